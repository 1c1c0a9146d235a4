//! The ways of writing one uri, for a policy that is not to be talked round: what a server takes for a resource that the
//! operator denies is denied, however it is written.

use reqwest::Url;
use unicode_normalization::UnicodeNormalization;

/// How often percent-encoding is undone: what was encoded twice is decoded twice by some servers.
const ROUNDS: usize = 4;

/// A uri as it is written, and in every way in which it may be read by whoever resolves it: decoded, with scheme and host
/// in lower case, without `.`, `..` and doubled slashes; with and without its query and fragment, a slash at its end, and
/// what follows a NUL character, where programs end that take it for the end of a text.
pub(super) fn spellings(uri: &str) -> Vec<String> {
    let Resolved {
        plain,
        whole,
        head,
        tail,
    } = Resolved::of(uri);
    let mut all = vec![
        uri.to_owned(),
        whole.trim_end_matches('/').to_owned(),
        head.trim_end_matches('/').to_owned(),
        format!("{head}{tail}"),
    ];
    all.extend([plain, whole, head]);
    all.sort_unstable();
    all.dedup();
    all
}

/// What a uri is, in lower case, to those who know queries and to those who take all of it for a path.
pub(super) fn resolved(uri: &str) -> [String; 2] {
    let Resolved {
        whole, head, tail, ..
    } = Resolved::of(uri);
    [whole, head + &tail].map(|uri| uri.to_lowercase())
}

/// The ways of reading a uri.
struct Resolved {
    /// Decoded, and nothing more.
    plain: String,
    /// All of it taken for a path, and resolved.
    whole: String,
    /// What comes before query, fragment or NUL, resolved.
    head: String,
    /// The rest.
    tail: String,
}

impl Resolved {
    fn of(uri: &str) -> Self {
        let plain = decoded(uri.trim());
        let slashed = plain.replace('\\', "/");
        let url = Url::parse(&slashed).map_or_else(|_| slashed.clone(), |url| decoded(url.as_str()));
        let cut = |text: &str| text.find(['?', '#', '\0']).unwrap_or(text.len());
        let (head, tail) = url.split_at(cut(&url));
        Self {
            whole: path_resolved(&url),
            head: path_resolved(head),
            tail: tail.to_owned(),
            plain,
        }
    }
}

/// With the path resolved. Servers take any text for a uri, so what is none is a path too.
fn path_resolved(uri: &str) -> String {
    let (start, path) = match uri.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (format!("{scheme}://{host}"), path)
        }
        None => match uri.split_once(':') {
            Some((scheme, path)) => (format!("{scheme}:"), path),
            None => (String::new(), uri),
        },
    };
    start + &without_dots(path)
}

/// A path with one slash where there are several, and without `.` and `..`.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let slash = |is_there: bool| if is_there { "/" } else { "" };
    let ends_in_slash = path.len() > 1 && path.ends_with('/') && !parts.is_empty();
    [
        slash(path.starts_with('/')),
        &parts.join("/"),
        slash(ends_in_slash),
    ]
    .concat()
}

/// A template of uris as a pattern: what is filled in may be anything.
pub(super) fn pattern_of_template(template: &str) -> String {
    let mut pattern = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        pattern.push_str(before);
        pattern.push('*');
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    pattern.push_str(rest);
    pattern
}

/// Without percent-encoding, and with one form for characters that can be written in several.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let once = decoded_once(&text);
        if once == text {
            break;
        }
        text = once;
    }
    text.nfkc().collect()
}

fn decoded_once(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let encoded = (*byte == b'%')
            .then(|| digit(bytes.get(at + 1)).zip(digit(bytes.get(at + 2))))
            .flatten()
            .and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        plain.push(encoded.unwrap_or(*byte));
        at += if encoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_known_however_it_is_written() {
        for uri in [
            "file:///secret/key",
            "FILE:///secret/key",
            "file:///%73ecret/key",
            "file:///%2573ecret/key",
            "file:///pub/../secret/key",
            "file:///pub/%2e%2e/secret/key",
            "file:///pub/..%2fsecret/key",
            "file:///pub/..\\secret\\key",
            "file://localhost/secret/key",
            "file:/secret/key",
            "file:////secret//key",
            "file:///secret%2Fkey",
            "file:///./secret/key",
            " file:///secret/key ",
            "file:///SECRET/Key",
        ] {
            assert_eq!(
                resolved(uri),
                ["file:///secret/key", "file:///secret/key"],
                "{uri}"
            );
        }
        let bare = |uri: &str| spellings(uri).contains(&"file:///secret/key".to_owned());
        assert!(bare("file:///secret/key?x=1#y"));
        assert!(bare("file:///secret/key/"));
        assert!(bare("file:///secret/key?a=/../x"));
        assert!(bare("file:///pub%3F/../secret/key"));
        assert!(bare("file:///secret/key%00.txt"));
        assert!(!bare("file:///secret/keys"));
    }

    #[test]
    fn what_is_no_url_is_resolved_as_a_path() {
        for (uri, is) in [
            ("db:x/../secret", "db:secret"),
            ("db://Host/x/%2e%2e/secret", "db://host/secret"),
            ("x/./../secret//key", "secret/key"),
            ("/../a/", "/a/"),
            ("note://r\u{e9}sum\u{e9}", "note://r\u{e9}sum\u{e9}"),
            ("note:re\u{301}sume\u{301}", "note:r\u{e9}sum\u{e9}"),
            ("note:\u{ff53}ecret", "note:secret"),
        ] {
            assert_eq!(resolved(uri), [is, is], "{uri}");
        }
    }

    #[test]
    fn what_is_no_uri_stays_what_it_is() {
        for text in ["a b", "%", "%zz%4"] {
            assert_eq!(resolved(text), [text, text]);
        }
        assert_eq!(spellings("a:b:c"), ["a:b:c"]);
    }

    #[test]
    fn templates_are_patterns() {
        for (template, pattern) in [
            ("file:///{name}", "file:///*"),
            ("a://{x}/{+y}{?z*}", "a://*/**"),
            ("none", "none"),
            ("open{", "open*"),
        ] {
            assert_eq!(pattern_of_template(template), pattern);
        }
    }
}
