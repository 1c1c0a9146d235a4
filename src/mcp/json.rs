//! JSON as others write it, with what JSON allows and text cannot hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Reads JSON. Bytes that are no UTF-8 and escaped halves of surrogate pairs, which programs write that cut text in the
/// middle of a character, are U+FFFD, as they are in most programs.
///
/// # Errors
///
/// What is wrong.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    let error = match serde_json::from_slice(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(text);
    let whole = with_whole_characters(&text);
    match (&text, &whole) {
        (Cow::Borrowed(_), Cow::Borrowed(_)) => Err(error),
        _ => serde_json::from_str(&whole),
    }
}

/// Puts U+FFFD in the place of escaped halves of surrogate pairs.
fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let unit = |from: usize| {
        let digits = text.get(from..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        at = escape
            + match (unit(escape), unit(escape + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => {
                    whole.push_str(text.get(copied..escape).unwrap_or_default());
                    whole.push_str("\\ufffd");
                    copied = escape + 6;
                    6
                }
                // What is escaped may be a backslash. A character of several bytes is never escaped.
                _ => 2,
            };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

/// The parts of a message, unread: they may be nested deeper than can be read.
pub(super) struct Head<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Head<'a> {
    /// None for what is no object of JSON.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// The id of an answer.
    pub(super) fn answered(&self) -> Option<Value> {
        self.id(false)
    }

    /// The id of a request.
    pub(super) fn asked(&self) -> Option<Value> {
        self.id(true)
    }

    fn id(&self, is_request: bool) -> Option<Value> {
        if self.0.contains_key("method") != is_request {
            return None;
        }
        serde_json::from_str(self.0.get("id")?.get()).ok()
    }

    /// The result, as it is written.
    pub(super) fn result(&self) -> Option<&'a str> {
        self.0.get("result").map(|result| result.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_replaced_and_whole_ones_are_not() {
        for (written, read) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\uDE00b""#, "a\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\ud83d\n\\ud83d""#, "\u{fffd}\n\\ud83d"),
            (r#""\\\ud83d é \u0000""#, "\\\u{fffd} é \0"),
        ] {
            let value = parse(written.as_bytes()).unwrap();
            assert_eq!(value, read, "{written}");
        }
        assert_eq!(parse(b"\"a\xffb\"").unwrap(), "a\u{fffd}b");
        for no in [
            &b"\"\\ud83"[..],
            b"\"\\ud83d",
            b"\"\\",
            b"\\",
            b"{\"a\": 1e400}",
            b"",
        ] {
            assert!(parse(no).is_err(), "{no:?}");
        }
    }

    #[test]
    fn what_is_too_deep_to_be_read_is_known_by_its_id() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let text = format!("{{\"id\": 7, \"result\": {deep}, \"more\": {deep}}}");
        assert!(parse(text.as_bytes()).is_err());
        let head = Head::of(&text).unwrap();
        assert_eq!(head.answered(), Some(Value::from(7)));
        assert_eq!(head.result(), Some(&*deep));
        assert_eq!(
            Head::of("{\"id\": 7, \"method\": \"m\"}").unwrap().answered(),
            None
        );
        assert_eq!(Head::of("{\"result\": null}").unwrap().result(), Some("null"));
        assert!(Head::of("[1]").is_none());
    }
}
