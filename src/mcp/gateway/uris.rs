//! The ways of writing one uri, for a policy that is not to be talked round: what a server takes for a resource that the
//! operator denies is denied, however it is written.

use reqwest::Url;

/// How often percent-encoding is undone: what was encoded twice is decoded twice by some servers.
const ROUNDS: usize = 4;

/// A uri as it is written, and as it is read by whoever resolves it: decoded, with scheme and host in lower case,
/// without `.`, `..` and doubled slashes; with and without its query and fragment.
pub(super) fn spellings(uri: &str) -> Vec<String> {
    let plain = decoded(uri.trim());
    let mut all = vec![uri.to_owned()];
    if let Ok(mut url) = Url::parse(&plain.replace('\\', "/")) {
        all.push(collapsed(&decoded(url.as_str())));
        url.set_query(None);
        url.set_fragment(None);
        all.push(collapsed(&decoded(url.as_str())));
    }
    all.push(plain);
    all.dedup();
    all
}

/// A uri as whoever resolves it reads it, in lower case.
pub(super) fn resolved(uri: &str) -> String {
    let plain = decoded(uri.trim());
    match Url::parse(&plain.replace('\\', "/")) {
        Ok(url) => collapsed(&decoded(url.as_str())).to_lowercase(),
        Err(_) => plain.to_lowercase(),
    }
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

/// Without percent-encoding.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let once = decoded_once(&text);
        if once == text {
            break;
        }
        text = once;
    }
    text
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

/// With one slash where there are several, but for those before the host.
fn collapsed(url: &str) -> String {
    let (scheme, rest) = url
        .split_once("://")
        .map_or(("", url), |(scheme, rest)| (scheme, rest));
    let mut path = String::with_capacity(rest.len());
    for character in rest.chars() {
        if character != '/' || !path.ends_with('/') {
            path.push(character);
        }
    }
    if scheme.is_empty() {
        path
    } else {
        format!("{scheme}://{path}")
    }
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
            assert_eq!(resolved(uri), "file:///secret/key", "{uri}");
        }
        let bare = |uri: &str| spellings(uri).contains(&"file:///secret/key".to_owned());
        assert!(bare("file:///secret/key?x=1#y"));
        assert!(!bare("file:///secret/keys"));
    }

    #[test]
    fn what_is_no_uri_stays_what_it_is() {
        assert_eq!(resolved("a b"), "a b");
        assert_eq!(resolved("%"), "%");
        assert_eq!(resolved("%zz%4"), "%zz%4");
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
