//! The structure of an archive: its end, its directory, and the header before each entry's bytes.

use std::io::{Read, Seek, SeekFrom};

use super::names::{Names, checked};
use super::{Fault, MAX_ARCHIVE, MAX_RATIO, Refusal};
use crate::plugin::tree::{MAX_BYTES, MAX_FILES};

const END: &[u8] = b"PK\x05\x06";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
/// Bytes of the record at the end, without its comment.
const END_SIZE: usize = 22;
/// Bytes of a header in the directory, without name, extra fields and comment.
const CENTRAL_SIZE: usize = 46;
/// Bytes of the header before an entry, without name and extra fields.
const LOCAL_SIZE: usize = 30;
/// A size or offset that stands elsewhere: the archive is larger than is taken.
const ELSEWHERE: u32 = u32::MAX;

/// How an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

/// One entry that may be unpacked.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) is_dir: bool,
    pub(super) executable: bool,
    pub(super) method: Method,
    pub(super) crc: u32,
    /// Bytes in the archive.
    pub(super) packed: u64,
    /// Bytes when unpacked.
    pub(super) size: u64,
    /// Where the header before it begins.
    header: u64,
    flags: u16,
    /// Where its bytes begin.
    pub(super) data: u64,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    match bytes.get(at..at + 2) {
        Some([low, high]) => u16::from_le_bytes([*low, *high]),
        _ => 0,
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

/// Reads and checks the whole structure.
pub(super) fn read<R: Read + Seek>(reader: &mut R) -> Result<Vec<Entry>, Fault> {
    let length = reader.seek(SeekFrom::End(0))?;
    if length > MAX_ARCHIVE {
        return Err(Refusal::whole(format!("it has more than {MAX_ARCHIVE} bytes")).into());
    }
    let (count, start, size) = end(reader, length)?;
    if count > MAX_FILES {
        return Err(Refusal::whole(format!("it has more than {MAX_FILES} entries")).into());
    }
    reader.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    reader.by_ref().take(size).read_to_end(&mut bytes)?;
    let mut rest = bytes.as_slice();
    let mut names = Names::default();
    let mut entries = Vec::with_capacity(count);
    let (mut packed, mut unpacked) = (0_u64, 0_u64);
    for _ in 0..count {
        let (entry, tail) = central(rest)?;
        names.add(&entry.name, entry.is_dir)?;
        packed += entry.packed;
        unpacked += entry.size;
        if unpacked > MAX_BYTES {
            let why = format!("brings the archive to more than {MAX_BYTES} bytes");
            return Err(Refusal::entry(entry.name.as_bytes(), why).into());
        }
        entries.push(entry);
        rest = tail;
    }
    if !rest.is_empty() {
        return Err(Refusal::whole("its directory holds more than the entries it counts").into());
    }
    if unpacked > packed.saturating_mul(MAX_RATIO) {
        return Err(Refusal::whole(format!("it unpacks to more than {MAX_RATIO} times its size")).into());
    }
    entries.sort_by_key(|entry| entry.header);
    for entry in &mut entries {
        local(reader, entry)?;
    }
    let mut free = 0;
    for entry in &entries {
        if entry.header < free {
            return Err(Refusal::entry(entry.name.as_bytes(), "shares bytes with another").into());
        }
        free = entry.data + entry.packed;
        if free > start {
            return Err(Refusal::entry(entry.name.as_bytes(), "reaches into the directory").into());
        }
    }
    Ok(entries)
}

/// Number of entries, and where the directory begins and how long it is.
fn end<R: Read + Seek>(reader: &mut R, length: u64) -> Result<(usize, u64, u64), Fault> {
    let tail = length.min((END_SIZE + usize::from(u16::MAX)) as u64);
    reader.seek(SeekFrom::Start(length - tail))?;
    let mut bytes = Vec::new();
    reader.by_ref().take(tail).read_to_end(&mut bytes)?;
    let last = bytes.len().checked_sub(END_SIZE);
    let is_end = |at: &usize| {
        let record = bytes.get(*at..).unwrap_or_default();
        record.starts_with(END) && END_SIZE + usize::from(u16_at(record, 20)) == record.len()
    };
    let found = last.and_then(|last| (0..=last).rev().find(is_end));
    let Some(at) = found else {
        return Err(Refusal::whole("it is no archive, or truncated: its end is missing").into());
    };
    let record = bytes.get(at..).unwrap_or_default();
    let (count, start, size) = (u16_at(record, 10), u32_at(record, 16), u32_at(record, 12));
    if u16_at(record, 4) != 0 || u16_at(record, 6) != 0 || u16_at(record, 8) != count {
        return Err(Refusal::whole("it is one of several parts").into());
    }
    if start == ELSEWHERE || size == ELSEWHERE || count == u16::MAX {
        return Err(Refusal::whole("it is in the form for large archives, which is not taken").into());
    }
    let position = length - tail + at as u64;
    if u64::from(start) + u64::from(size) != position {
        let why =
            "its directory does not end where its end begins: it is damaged, or something is joined to it";
        return Err(Refusal::whole(why).into());
    }
    Ok((usize::from(count), u64::from(start), u64::from(size)))
}

/// One header of the directory, and what follows it.
fn central(bytes: &[u8]) -> Result<(Entry, &[u8]), Refusal> {
    let damaged = || Refusal::whole("its directory is damaged");
    let head = bytes.get(..CENTRAL_SIZE).ok_or_else(damaged)?;
    if !head.starts_with(CENTRAL) {
        return Err(damaged());
    }
    let length = |at| usize::from(u16_at(head, at));
    let name_end = CENTRAL_SIZE + length(28);
    let extra_end = name_end + length(30);
    let end = extra_end + length(32);
    let raw = bytes.get(CENTRAL_SIZE..name_end).ok_or_else(damaged)?;
    let extra = bytes.get(name_end..extra_end).ok_or_else(damaged)?;
    let tail = bytes.get(end..).ok_or_else(damaged)?;
    let name = checked(raw)?;
    let refuse = |why: &str| Err(Refusal::entry(raw, why));

    let flags = u16_at(head, 8);
    // Encrypted, strongly encrypted, with a masked directory.
    if flags & (1 | 1 << 6 | 1 << 13) != 0 {
        return refuse("is encrypted");
    }
    if flags & (1 << 5) != 0 {
        return refuse("is a patch to another file");
    }
    let method = match u16_at(head, 10) {
        0 => Method::Stored,
        8 => Method::Deflated,
        99 => return refuse("is encrypted"),
        other => {
            return Err(Refusal::entry(
                raw,
                format!("is packed in a way that is not known ({other})"),
            ));
        }
    };
    let (packed, size, header) = (u32_at(head, 20), u32_at(head, 24), u32_at(head, 42));
    if packed == ELSEWHERE || size == ELSEWHERE || header == ELSEWHERE {
        return refuse("is in the form for large files, which is not taken");
    }
    if u16_at(head, 34) != 0 {
        return refuse("lies in another part of the archive");
    }
    let mode = u32_at(head, 38) >> 16;
    let mut is_dir = name.ends_with('/');
    match mode & 0o170_000 {
        0 | 0o100_000 if is_dir && mode & 0o170_000 != 0 => {
            return refuse("is a file and a directory in one");
        }
        0 | 0o100_000 => {}
        0o040_000 if !is_dir && size == 0 => is_dir = true,
        0o040_000 if is_dir => {}
        0o040_000 => return refuse("is a file and a directory in one"),
        0o120_000 => return refuse("is a symbolic link"),
        _ => return refuse("is a device, FIFO or socket"),
    }
    links(raw, extra)?;
    if is_dir && (size != 0 || packed > 2) {
        return refuse("is a directory with content");
    }
    if method == Method::Stored && packed != size {
        return refuse("is stored with another size than it has");
    }
    if u64::from(size) > u64::from(packed).saturating_mul(MAX_RATIO) {
        return Err(Refusal::entry(
            raw,
            format!("unpacks to more than {MAX_RATIO} times its size"),
        ));
    }
    let entry = Entry {
        name,
        is_dir,
        executable: mode & 0o100 != 0,
        method,
        crc: u32_at(head, 16),
        packed: u64::from(packed),
        size: u64::from(size),
        header: u64::from(header),
        flags,
        data: 0,
    };
    Ok((entry, tail))
}

/// Refuses links and devices that extra fields of Unix programs make of an entry.
fn links(name: &[u8], extra: &[u8]) -> Result<(), Refusal> {
    let mut rest = extra;
    while let (Some(head), Some(tail)) = (rest.get(..4), rest.get(4..)) {
        let (id, length) = (u16_at(head, 0), usize::from(u16_at(head, 2)));
        let Some(field) = tail.get(..length) else {
            return Err(Refusal::entry(name, "has damaged extra fields"));
        };
        let is_link = match id {
            // PKWARE: times and owner take 12 bytes; what follows is where a link leads, or a device.
            0x000d => length > 12,
            // ASi: checksum, mode, then the length of where a link leads.
            0x756e => {
                u32_at(field, 6) != 0 || !matches!(u16_at(field, 4) & 0o170_000, 0 | 0o100_000 | 0o040_000)
            }
            // The form for large files.
            0x0001 => {
                return Err(Refusal::entry(
                    name,
                    "is in the form for large files, which is not taken",
                ));
            }
            _ => false,
        };
        if is_link {
            return Err(Refusal::entry(name, "is a hard link, symbolic link or device"));
        }
        // Another name for the same entry: which one counts depends on the reader.
        if id == 0x7075 {
            let other = field.get(5..).unwrap_or_default();
            if other != name {
                return Err(Refusal::entry(name, "has a second name"));
            }
        }
        rest = tail.get(length..).unwrap_or_default();
    }
    Ok(())
}

/// Reads the header before an entry's bytes, which must say what the directory says.
fn local<R: Read + Seek>(reader: &mut R, entry: &mut Entry) -> Result<(), Fault> {
    let name = entry.name.as_bytes();
    let refuse = |why: &str| Err(Fault::Refused(Refusal::entry(name, why)));
    reader.seek(SeekFrom::Start(entry.header))?;
    let mut head = [0_u8; LOCAL_SIZE];
    reader.read_exact(&mut head)?;
    if !head.starts_with(LOCAL) {
        return refuse("is not where the directory says");
    }
    let mut rest = vec![0_u8; usize::from(u16_at(&head, 26)) + usize::from(u16_at(&head, 28))];
    reader.read_exact(&mut rest)?;
    let (own, extra) = rest
        .split_at_checked(usize::from(u16_at(&head, 26)))
        .unwrap_or_default();
    let method = if entry.method == Method::Stored { 0 } else { 8 };
    // Bit 3: sizes and checksum follow the bytes, and stand here as zero.
    let follows = entry.flags & (1 << 3) != 0;
    let is_same =
        |at, wanted: u64| u64::from(u32_at(&head, at)) == wanted || (follows && u32_at(&head, at) == 0);
    if own != name
        || u16_at(&head, 6) & !(1 << 11) != entry.flags & !(1 << 11)
        || u16_at(&head, 8) != method
        || !is_same(14, u64::from(entry.crc))
        || !is_same(18, entry.packed)
        || !is_same(22, entry.size)
    {
        return refuse("is described differently in the directory and before its bytes");
    }
    links(name, extra)?;
    entry.data = entry.header + (LOCAL_SIZE + rest.len()) as u64;
    Ok(())
}
