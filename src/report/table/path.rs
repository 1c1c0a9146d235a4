//! Paths for people: escaped, shortened only in ways that can still be opened, clickable where that works.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use super::Look;
use crate::report::escape;

impl Look {
    /// A path as text: relative if that was asked for, with `~` for the home directory where the look has one,
    /// else as it is. Never cut: what is shown can be pasted into a shell.
    pub(super) fn path(&self, path: &Path) -> String {
        let relative = self.relative_to.as_deref().and_then(|base| relative(path, base));
        if let Some(relative) = relative {
            return escape::visible(&relative.to_string_lossy()).into_owned();
        }
        let below_home = self
            .home
            .as_deref()
            .filter(|home| home.parent().is_some())
            .and_then(|home| path.strip_prefix(home).ok());
        match below_home {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", escape::visible(&rest.to_string_lossy())),
            None => escape::visible(&path.to_string_lossy()).into_owned(),
        }
    }

    /// The target of a hyperlink, if hyperlinks are wanted.
    pub(super) fn target(&self, path: &Path) -> Option<String> {
        (self.hyperlinks && path.is_absolute()).then(|| file_url(path))
    }
}

/// The way from `base` to `path`; none where they have only the top of the file system in common, since then
/// the absolute path is shorter and clearer.
fn relative(path: &Path, base: &Path) -> Option<PathBuf> {
    let mut ours = path.components().peekable();
    let mut theirs = base.components().peekable();
    let mut shared = 0;
    while let (Some(one), Some(other)) = (ours.peek(), theirs.peek()) {
        if one != other {
            break;
        }
        shared += usize::from(matches!(one, Component::Normal(_)));
        ours.next();
        theirs.next();
    }
    if shared == 0 {
        return None;
    }
    let mut way: PathBuf = theirs.map(|_| Component::ParentDir).collect();
    way.extend(ours);
    if way.as_os_str().is_empty() {
        way.push(".");
    }
    Some(way)
}

/// `file:///…` with everything but unreserved characters and separators percent-encoded. The host part is left
/// empty: terminals take that for this machine.
pub(super) fn file_url(path: &Path) -> String {
    let mut url = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                url.push(char::from(*byte));
            }
            // Writing to a String cannot fail.
            other => {
                let _ = write!(url, "%{other:02X}");
            }
        }
    }
    url
}

/// A text as a hyperlink.
pub(super) fn hyperlink(url: &str, text: &str) -> String {
    format!("\u{1b}]8;;{url}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look() -> Look {
        Look::default()
    }

    #[test]
    fn paths_are_shortened_only_in_ways_that_can_be_opened() {
        let path = Path::new("/home/me/shop/.aleph/skills/deploy");
        assert_eq!(look().path(path), "/home/me/shop/.aleph/skills/deploy");
        let home = Look {
            home: Some("/home/me".into()),
            ..look()
        };
        assert_eq!(home.path(path), "~/shop/.aleph/skills/deploy");
        assert_eq!(home.path(Path::new("/home/me")), "~");
        assert_eq!(home.path(Path::new("/home/mercy/x")), "/home/mercy/x");
        let top = Look {
            home: Some("/".into()),
            ..look()
        };
        assert_eq!(top.path(path), "/home/me/shop/.aleph/skills/deploy");
    }

    #[test]
    fn relative_paths_go_up_and_down() {
        let look = Look {
            relative_to: Some("/projects/shop/api".into()),
            ..look()
        };
        for (path, shown) in [
            ("/projects/shop/api/.claude/skills/x", ".claude/skills/x"),
            ("/projects/shop/.claude/skills/x", "../.claude/skills/x"),
            ("/projects/home/.claude", "../../home/.claude"),
            ("/projects/shop/api", "."),
            ("/home/me/.claude", "/home/me/.claude"),
        ] {
            assert_eq!(look.path(Path::new(path)), shown);
        }
    }

    #[test]
    fn what_could_steer_a_terminal_is_escaped() {
        assert_eq!(
            look().path(Path::new("/p/a\u{1b}[31mb\nc")),
            "/p/a\\u{1b}[31mb\\nc"
        );
    }

    #[test]
    fn urls_hold_nothing_but_unreserved_characters() {
        let look = Look {
            hyperlinks: true,
            ..look()
        };
        assert_eq!(
            look.target(Path::new("/p/a b/\u{e9}\u{1b}%;")).unwrap(),
            "file:///p/a%20b/%C3%A9%1B%25%3B"
        );
        assert_eq!(
            hyperlink("file:///p", "p"),
            "\u{1b}]8;;file:///p\u{1b}\\p\u{1b}]8;;\u{1b}\\"
        );
        assert_eq!(Look::default().target(Path::new("/p")), None);
    }
}
