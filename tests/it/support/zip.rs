//! Archives made by hand, so that anything can be wrong with them.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// One entry, and what it says of itself; the fields can be made to lie.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    /// The name before the bytes, if another.
    pub(crate) local_name: Option<Vec<u8>>,
    pub(crate) packed: Vec<u8>,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) crc: u32,
    pub(crate) packed_size: u32,
    pub(crate) size: u32,
    pub(crate) mode: u32,
    pub(crate) extra: Vec<u8>,
    /// Where the directory says that the entry begins, if elsewhere.
    pub(crate) offset: Option<u32>,
}

impl Entry {
    /// A file that is stored as it is.
    pub(crate) fn stored(name: &str, content: &[u8]) -> Self {
        let mut crc = Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap();
        Self {
            name: name.as_bytes().to_vec(),
            local_name: None,
            packed: content.to_vec(),
            method: 0,
            flags: 0,
            crc: crc.sum(),
            packed_size: size,
            size,
            mode: 0o100_644,
            extra: Vec::new(),
            offset: None,
        }
    }

    /// A file that is packed.
    pub(crate) fn deflated(name: &str, content: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        let packed = encoder.finish().unwrap();
        Self {
            packed_size: u32::try_from(packed.len()).unwrap(),
            packed,
            method: 8,
            ..Self::stored(name, content)
        }
    }

    /// The same with something changed.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// An archive of entries.
pub(crate) fn archive(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = u32::try_from(bytes.len()).unwrap();
        let name = entry.local_name.as_ref().unwrap_or(&entry.name);
        let length = |bytes: &[u8]| u16::try_from(bytes.len()).unwrap().to_le_bytes();
        let common = [
            entry.flags.to_le_bytes().as_slice(),
            &entry.method.to_le_bytes(),
            &[0; 4],
            &entry.crc.to_le_bytes(),
            &entry.packed_size.to_le_bytes(),
            &entry.size.to_le_bytes(),
        ]
        .concat();
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(&common);
        bytes.extend(length(name));
        bytes.extend(length(&entry.extra));
        bytes.extend(name);
        bytes.extend(&entry.extra);
        bytes.extend(&entry.packed);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        directory.extend(&common);
        directory.extend(length(&entry.name));
        directory.extend(length(&entry.extra));
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(entry.offset.unwrap_or(offset).to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    let start = u32::try_from(bytes.len()).unwrap();
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}
