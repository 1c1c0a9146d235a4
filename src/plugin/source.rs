//! What the SOURCE of an installation means: a path, an archive, an entry of a marketplace, or a git repository.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::inside::{self, Refusal};
use crate::discovery::{ComponentNameError, real_or_given, validate_path_component};
use crate::parse::manifest::marketplace::GitPick;

/// How a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A directory of this machine.
    Path,
    /// An archive of this machine.
    Zip,
    /// An entry of a marketplace.
    Marketplace,
    /// A git repository.
    Git,
}

impl SourceKind {
    /// The name used in JSON, on the command line and in `installed.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Zip => "zip",
            Self::Marketplace => "marketplace",
            Self::Git => "git",
        }
    }
}

impl std::fmt::Display for SourceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a plugin is to come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A directory, as an absolute path.
    Path(PathBuf),
    /// An archive, as an absolute path.
    Zip(PathBuf),
    /// An entry of a marketplace.
    Marketplace {
        /// The entry.
        name: String,
        /// The marketplace; none to look in all.
        marketplace: Option<String>,
    },
    /// A git repository, by an address that git takes.
    Git(String),
}

impl Source {
    /// How it is read.
    #[must_use]
    pub const fn kind(&self) -> SourceKind {
        match self {
            Self::Path(_) => SourceKind::Path,
            Self::Zip(_) => SourceKind::Zip,
            Self::Marketplace { .. } => SourceKind::Marketplace,
            Self::Git(_) => SourceKind::Git,
        }
    }

    /// The source as it is written in records and messages.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Path(path) | Self::Zip(path) => path.to_string_lossy().into_owned(),
            Self::Marketplace { name, marketplace } => match marketplace {
                Some(marketplace) => format!("{name}@{marketplace}"),
                None => name.clone(),
            },
            Self::Git(url) => url.clone(),
        }
    }
}

/// Why a source cannot be told, or is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// There is no text.
    #[error("the source is empty")]
    Blank,
    /// It could mean two things.
    #[error("`{text}` could be {other}, or {} which is there", path.display())]
    TwoReadings {
        /// The source as it was given.
        text: String,
        /// The path that exists.
        path: PathBuf,
        /// What else it could be, in words.
        other: String,
        /// The kind to force for that.
        kind: SourceKind,
    },
    /// An address that is never handed to git.
    #[error("`{text}` is not taken as the address of a repository: {why}")]
    Address {
        /// The address, with what could be a secret masked.
        text: String,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// A name that cannot be one of a plugin or marketplace.
    #[error("`{text}` is not a name: {source}")]
    Name {
        /// The source as it was given.
        text: String,
        /// Which rule it breaks.
        source: ComponentNameError,
    },
    /// A name or an address that is not UTF-8.
    #[error("a {kind} source has to be UTF-8 text")]
    NotText {
        /// How it was to be read.
        kind: SourceKind,
    },
    /// It begins with `~`, and there is no home directory.
    #[error("`~` stands for the home directory, which is not known")]
    NoHome,
}

/// Tells what a source means; the first of these that holds (spec/plugins.md 4):
///
/// a URL or `git@…` is git; what begins with `.`, `~` or `/` is a path, or an archive if it is named `.zip`; so is an
/// existing archive; `name@marketplace` is an entry of a marketplace; exactly `owner/repo` is git, a bare name an
/// entry, and both are refused if such a path exists; anything else is a path.
///
/// `directory` is what relative paths start from, `home` what `~` stands for, `forced` overrules all this.
///
/// # Errors
///
/// [`SourceError`] where the source is empty, could mean two things, or breaks a rule of its kind.
pub fn classify(
    text: &OsStr,
    directory: &Path,
    home: Option<&Path>,
    forced: Option<SourceKind>,
) -> Result<Source, SourceError> {
    let words = text.to_str();
    if text.is_empty() || words.is_some_and(|words| words.trim().is_empty()) {
        return Err(SourceError::Blank);
    }
    let path = || absolute(text, directory, home);
    let needs_text = |kind| words.ok_or(SourceError::NotText { kind });
    match forced {
        Some(SourceKind::Path) => return Ok(Source::Path(path()?)),
        Some(SourceKind::Zip) => return Ok(Source::Zip(path()?)),
        Some(SourceKind::Git) => {
            let words = needs_text(SourceKind::Git)?;
            if !is_address(words) {
                if path()?.exists() {
                    return local_repository(&path()?);
                }
                if let Some(url) = github(words) {
                    return Ok(Source::Git(url));
                }
            }
            return address(words).map(Source::Git);
        }
        Some(SourceKind::Marketplace) => return entry(needs_text(SourceKind::Marketplace)?),
        None => {}
    }
    let Some(words) = words else {
        return Ok(file(path()?));
    };
    if is_address(words) {
        return address(words).map(Source::Git);
    }
    if words.starts_with(['.', '~', '/']) {
        return Ok(file(path()?));
    }
    let path = path()?;
    if is_archive_name(&path) && path.is_file() {
        return Ok(Source::Zip(path));
    }
    let has_separator = words.contains(['/', '\\']);
    if words.contains('@') && !has_separator {
        return entry(words);
    }
    if let Some(url) = github(words) {
        if std::fs::symlink_metadata(&path).is_ok() {
            return Err(SourceError::TwoReadings {
                text: words.to_owned(),
                path,
                other: format!("the repository {url}"),
                kind: SourceKind::Git,
            });
        }
        return Ok(Source::Git(url));
    }
    if !has_separator {
        if std::fs::symlink_metadata(&path).is_ok() {
            return Err(SourceError::TwoReadings {
                text: words.to_owned(),
                path,
                other: "the entry of that name in a marketplace".to_owned(),
                kind: SourceKind::Marketplace,
            });
        }
        return entry(words);
    }
    Ok(Source::Path(path))
}

/// Tells what the source of a marketplace means: as [`classify`] does, but a bare name or `a@b` of something that is there
/// is the path, since a marketplace is never the entry of another.
///
/// # Errors
///
/// As [`classify`].
pub fn classify_marketplace(
    text: &OsStr,
    directory: &Path,
    home: Option<&Path>,
    forced: Option<SourceKind>,
) -> Result<Source, SourceError> {
    let is_bare = text
        .to_str()
        .is_some_and(|words| !words.contains(['/', '\\']) && !words.trim().is_empty() && !is_address(words));
    if forced.is_none() && is_bare {
        let path = absolute(text, directory, home)?;
        if std::fs::symlink_metadata(&path).is_ok() {
            return Ok(file(path));
        }
    }
    classify(text, directory, home, forced)
}

/// A path, or an archive by its name; a directory is none, whatever its name.
fn file(path: PathBuf) -> Source {
    if is_archive_name(&path) && !path.is_dir() {
        Source::Zip(path)
    } else {
        Source::Path(path)
    }
}

fn is_archive_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

fn absolute(text: &OsStr, directory: &Path, home: Option<&Path>) -> Result<PathBuf, SourceError> {
    let mut parts = Path::new(text).components();
    if parts.next() == Some(Component::Normal(OsStr::new("~"))) {
        // No separator at the end, which joining nothing would leave.
        let home = home.ok_or(SourceError::NoHome)?;
        return Ok(home.components().chain(parts).collect());
    }
    Ok(directory.join(text))
}

/// `name` or `name@marketplace`.
fn entry(text: &str) -> Result<Source, SourceError> {
    let named = |name: &str| {
        validate_path_component(name).map_err(|source| SourceError::Name {
            text: text.to_owned(),
            source,
        })
    };
    // Names begin with `@` in some registries, so the last one divides.
    let (name, marketplace) = match text.rsplit_once('@') {
        Some((name, marketplace)) => (name, Some(marketplace)),
        None => (text, None),
    };
    named(name)?;
    if let Some(marketplace) = marketplace {
        named(marketplace)?;
    }
    Ok(Source::Marketplace {
        name: name.to_owned(),
        marketplace: marketplace.map(str::to_owned),
    })
}

/// The address of exactly `owner/repo`.
pub(super) fn github(text: &str) -> Option<String> {
    let (owner, repo) = text.split_once('/')?;
    let is_segment = |segment: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        !segment.is_empty()
            && segment != "."
            && segment != ".."
            && !segment.starts_with('-')
            && segment.chars().all(is_plain)
    };
    let repo = repo.strip_suffix(".git").unwrap_or(repo);
    (is_segment(owner) && is_segment(repo)).then(|| format!("https://github.com/{owner}/{repo}.git"))
}

/// Whether a text is the address of a repository: it has a scheme, `git@`, or names a helper of git's (`ext::`).
fn is_address(text: &str) -> bool {
    scheme(text).is_some() || text.starts_with("git@") || names_helper(text)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

fn scheme(text: &str) -> Option<(&str, &str)> {
    text.split_once("://").filter(|(scheme, _)| is_scheme(scheme))
}

fn names_helper(text: &str) -> bool {
    text.split_once("::").is_some_and(|(helper, _)| is_scheme(helper))
}

/// The schemes whose addresses are handed to git.
const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];

/// An address that may be handed to git.
///
/// # Errors
///
/// [`SourceError::Address`] where it could be taken for a flag, makes git run a program, or holds credentials.
pub fn address(text: &str) -> Result<String, SourceError> {
    let refuse = |why| {
        Err(SourceError::Address {
            text: crate::parse::secrets::mask_text(text).into_owned(),
            why,
        })
    };
    if text.starts_with('-') {
        return refuse("it begins with `-`, which git takes for a flag");
    }
    if text.chars().any(|c| c.is_control() || c == ' ') {
        return refuse("it contains blanks or control characters");
    }
    if names_helper(text) {
        return refuse("it names a helper program for git to run");
    }
    if let Some((scheme, rest)) = scheme(text) {
        let scheme = scheme.to_ascii_lowercase();
        if !SCHEMES.contains(&scheme.as_str()) {
            return refuse("only https, http, ssh, git and file addresses are taken");
        }
        if scheme == "file" {
            return if rest.starts_with('/') {
                Ok(text.to_owned())
            } else {
                refuse("a file address needs an absolute path: file:///path")
            };
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        if host.is_empty() || host.starts_with('-') || user.starts_with('-') {
            return refuse("it has no usable host");
        }
        if user.contains(':') || (!user.is_empty() && scheme != "ssh") {
            return refuse("it holds credentials, which would be recorded");
        }
        return Ok(text.to_owned());
    }
    match text.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        Some((host, path)) if !host.is_empty() && !host.starts_with('-') && !path.is_empty() => {
            if path.starts_with('-') {
                return refuse("its path begins with `-`");
            }
            Ok(text.to_owned())
        }
        _ => refuse("it has neither a scheme nor the form git@host:path"),
    }
}

/// Why what a marketplace picks of a repository is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {what} `{text}` is not taken: {why}")]
pub struct PickError {
    /// `commit`, `ref` or `path`.
    pub what: &'static str,
    /// As it is written.
    pub text: String,
    /// Which rule it breaks.
    pub why: &'static str,
}

/// Checks what a marketplace picks of a repository, as far as that can be told without fetching it.
///
/// # Errors
///
/// [`PickError`] where git could take it for something else, or a path leads out of the repository.
pub fn check_pick(pick: &GitPick) -> Result<(), PickError> {
    let refuse = |what, text: &str, why| {
        Err(PickError {
            what,
            text: text.to_owned(),
            why,
        })
    };
    if let Some(sha) = &pick.sha {
        let is_whole = matches!(sha.len(), 40 | 64) && sha.chars().all(|c| c.is_ascii_hexdigit());
        if !is_whole {
            return refuse("commit", sha, "a pin is a whole commit id of 40 or 64 hex digits");
        }
    }
    if let Some(reference) = &pick.reference {
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+' | '@' | '#');
        if reference.is_empty()
            || reference.starts_with(['-', '+'])
            || reference.contains("..")
            || reference.contains("@{")
            || !reference.chars().all(is_plain)
        {
            return refuse("ref", reference, "it is no plain name of a branch or tag");
        }
    }
    if let Some(path) = &pick.path {
        match inside::relative(path) {
            Ok(_) => {}
            Err(Refusal::Escapes(why)) => return refuse("path", path, why),
            Err(_) => return refuse("path", path, "there is no such folder in it"),
        }
    }
    Ok(())
}

/// A repository in a directory of this machine, as an address: so that git takes it as it takes any other.
fn local_repository(path: &Path) -> Result<Source, SourceError> {
    let real = real_or_given(path);
    let text = real.to_str().ok_or(SourceError::NotText {
        kind: SourceKind::Git,
    })?;
    Ok(Source::Git(format!("file://{text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, dir: &Path, forced: Option<SourceKind>) -> String {
        match classify(OsStr::new(text), dir, Some(Path::new("/home/me")), forced) {
            Ok(source) => format!(
                "{} {}",
                source.kind(),
                source.text().replace(dir.to_str().unwrap(), "DIR")
            ),
            Err(SourceError::TwoReadings { kind, .. }) => format!("two: path or {kind}"),
            Err(SourceError::Address { why, .. }) => format!(
                "no address: {}",
                why.split(' ').take(4).collect::<Vec<_>>().join(" ")
            ),
            Err(error) => format!("no: {error}"),
        }
    }

    #[test]
    fn every_form_is_read_as_the_specification_says() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        std::fs::create_dir_all(dir.join("owner/taken")).unwrap();
        std::fs::create_dir_all(dir.join("bare-taken")).unwrap();
        std::fs::create_dir_all(dir.join("d.zip")).unwrap();
        std::fs::write(dir.join("a.zip"), "").unwrap();
        std::fs::write(dir.join("B.ZIP"), "").unwrap();
        let table = [
            ("https://example.com/a.git", "git https://example.com/a.git"),
            ("https://example.com/a.zip", "git https://example.com/a.zip"),
            ("file:///srv/a", "git file:///srv/a"),
            ("ssh://git@example.com/a", "git ssh://git@example.com/a"),
            ("git@github.com:o/r.git", "git git@github.com:o/r.git"),
            ("./a", "path DIR/./a"),
            ("../a", "path DIR/../a"),
            (".", "path DIR/."),
            (".hidden", "path DIR/.hidden"),
            ("~/a", "path /home/me/a"),
            ("~", "path /home/me"),
            ("~/a.zip", "zip /home/me/a.zip"),
            ("/srv/a", "path /srv/a"),
            ("/srv/a.zip", "zip /srv/a.zip"),
            ("./a.zip", "zip DIR/./a.zip"),
            ("./d.zip", "path DIR/./d.zip"),
            ("a.zip", "zip DIR/a.zip"),
            ("B.ZIP", "zip DIR/B.ZIP"),
            ("d.zip", "two: path or marketplace"),
            ("missing.zip", "marketplace missing.zip"),
            ("name@market", "marketplace name@market"),
            ("@scope@market", "marketplace @scope@market"),
            ("name@", "no: `name@` is not a name: the name is empty"),
            ("@market", "no: `@market` is not a name: the name is empty"),
            ("owner/repo", "git https://github.com/owner/repo.git"),
            ("owner/repo.git", "git https://github.com/owner/repo.git"),
            ("owner/taken", "two: path or git"),
            ("bare", "marketplace bare"),
            ("bare-taken", "two: path or marketplace"),
            ("a/b/c", "path DIR/a/b/c"),
            ("owner/re po", "path DIR/owner/re po"),
            ("owner/..", "path DIR/owner/.."),
            ("C:\\dir", "path DIR/C:\\dir"),
            ("", "no: the source is empty"),
            ("  ", "no: the source is empty"),
            ("ext::sh -c id", "no address: it contains blanks or"),
            ("ext::id", "no address: it names a helper"),
            ("https://-oProxyCommand=id/x", "no address: it has no usable"),
            ("ssh://-oProxyCommand=id/x", "no address: it has no usable"),
            ("git@-oProxyCommand=id:x", "no address: it has neither a"),
            (
                "https://me:secret@example.com/x",
                "no address: it holds credentials, which",
            ),
            (
                "https://token@example.com/x",
                "no address: it holds credentials, which",
            ),
            ("gopher://example.com/x", "no address: only https, http, ssh,"),
            ("file://host/x", "no address: a file address needs"),
        ];
        for (text, wanted) in table {
            assert_eq!(read(text, dir, None), wanted, "{text}");
        }
    }

    #[test]
    fn a_forced_kind_overrules_the_form() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(dir.join("owner/taken")).unwrap();
        let table = [
            ("bare", SourceKind::Path, "path DIR/bare"),
            ("name@market", SourceKind::Path, "path DIR/name@market"),
            ("bare", SourceKind::Zip, "zip DIR/bare"),
            ("owner/taken", SourceKind::Git, "git file://DIR/owner/taken"),
            (
                "owner/repo",
                SourceKind::Git,
                "git https://github.com/owner/repo.git",
            ),
            ("-x", SourceKind::Git, "no address: it begins with `-`,"),
            ("bare", SourceKind::Git, "no address: it has neither a"),
            ("a.zip", SourceKind::Marketplace, "marketplace a.zip"),
            (
                "a/b",
                SourceKind::Marketplace,
                "no: `a/b` is not a name: the name contains the path separator `/`",
            ),
        ];
        for (text, kind, wanted) in table {
            assert_eq!(read(text, &dir, Some(kind)), wanted, "{text} as {kind}");
        }
    }
}
