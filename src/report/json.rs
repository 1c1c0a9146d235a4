//! Writing JSON in which no character of a stranger's text is dangerous to look at.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::escape::is_unsafe;

/// Writes a value as one indented JSON document and a line end.
///
/// # Errors
///
/// What the writer answers.
pub fn write_json<W: Write + ?Sized, T: Serialize + ?Sized>(writer: &mut W, value: &T) -> io::Result<()> {
    let formatter = Safe(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut *writer, formatter))?;
    writer.write_all(b"\n")
}

/// Writes a value as one line of JSON.
///
/// # Errors
///
/// What the writer answers.
pub fn write_json_line<W: Write + ?Sized, T: Serialize + ?Sized>(
    writer: &mut W,
    value: &T,
) -> io::Result<()> {
    let formatter = Safe(CompactFormatter);
    value.serialize(&mut Serializer::with_formatter(&mut *writer, formatter))?;
    writer.write_all(b"\n")
}

/// A formatter that escapes every unsafe character, where JSON itself asks only for C0.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Most text is plain, and a look at its bytes is far cheaper than one at its characters: of ASCII only
        // DEL is unsafe, since JSON has already escaped C0 before a fragment begins.
        if fragment.bytes().all(|byte| byte < 0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|(_, character)| is_unsafe(*character)) {
            let (safe, tail) = rest.split_at(at);
            writer.write_all(safe.as_bytes())?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = tail.get(character.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }

    /// JSON that was read and is written again, such as a tool's schema: between its tokens there is only white
    /// space, which line ends among it make unfit for a line of JSON lines; in its strings unsafe characters can
    /// be escaped where they stand.
    fn write_raw_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['\n', '\r', '\t']) {
            let (before, tail) = rest.split_at(at);
            self.write_string_fragment(writer, before)?;
            rest = tail.get(1..).unwrap_or_default();
        }
        self.write_string_fragment(writer, rest)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unsafe_character_is_escaped_and_reads_back_as_it_was() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{200b}\u{202e}\u{e0041}\"\\\u{1f600}é";
        let mut written = Vec::new();
        write_json_line(&mut written, text).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(
            written,
            "\"a\\u001b\\u007f\\u009b\\u200b\\u202e\\udb40\\udc41\\\"\\\\\u{1f600}é\"\n"
        );
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }

    #[test]
    fn json_that_is_written_again_is_escaped_too_and_stays_on_its_line() {
        let text = "{\n\t\"a\" : \"\u{202e}\\n\u{e0041}\"\r\n}";
        let raw = serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
        let mut written = Vec::new();
        write_json_line(&mut written, &raw).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(written, "{\"a\" : \"\\u202e\\n\\udb40\\udc41\"}\n");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&written), read(text));
    }

    #[test]
    fn documents_are_indented() {
        let mut written = Vec::new();
        write_json(&mut written, &serde_json::json!({"a": [1, 2], "b": {}})).unwrap();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}\n"
        );
    }
}
