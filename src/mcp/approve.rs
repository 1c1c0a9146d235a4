//! Saying yes to a server, and taking it back: all that writes the file of approvals.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use toml_edit::{Array, Table, value};

use super::approvals::{Approvals, Distrust, FILE, TABLE};
use super::configured::ConfiguredServer;
use super::digest::parts;
use crate::parse::moment::utc;
use crate::plugin::install::{Change, InstallError, change_records};

/// How long another process that changes the Aleph home is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Approves a server exactly as it is now. What was approved under its name in its file before no longer is.
///
/// # Errors
///
/// [`InstallError`]; nothing is changed then. A file of approvals that cannot be used is not overwritten.
pub fn approve(
    aleph_home: &Path,
    server: &ConfiguredServer,
    now: SystemTime,
) -> Result<Change, InstallError> {
    let approvals = trusted(aleph_home)?;
    let own = server.digest();
    let mut change = Change {
        subject: server.name.clone(),
        changed: Vec::new(),
    };
    let before = approvals.of_name(&server.definition.name, Some(&server.site.file));
    if before == [own.as_str()] {
        return Ok(change);
    }
    let mut entries: Vec<(String, Option<Table>)> = before
        .into_iter()
        .filter(|digest| *digest != own)
        .map(|digest| (digest.to_owned(), None))
        .collect();
    entries.push((own.clone(), Some(record(server, &own, now))));
    change.changed = changed(aleph_home, entries)?;
    Ok(change)
}

/// Takes back every approval of a server: in one file, or of that name in all files. Nothing is changed where there is
/// none.
///
/// # Errors
///
/// [`InstallError`]; nothing is changed then. A file of approvals that cannot be used is not overwritten.
pub fn revoke(aleph_home: &Path, name: &str, file: Option<&Path>) -> Result<Change, InstallError> {
    let approvals = trusted(aleph_home)?;
    let entries: Vec<(String, Option<Table>)> = approvals
        .of_name(name, file)
        .into_iter()
        .map(|digest| (digest.to_owned(), None))
        .collect();
    let mut change = Change {
        subject: name.to_owned(),
        changed: Vec::new(),
    };
    if let (true, Some(broken)) = (entries.is_empty(), approvals.diagnostics.first()) {
        // It may hold approvals that nobody can see: it must not look as if they had been taken back.
        return Err(InstallError::BrokenRecord {
            path: approvals.path.clone(),
            why: broken.message.to_string(),
        });
    }
    if !entries.is_empty() {
        change.changed = changed(aleph_home, entries)?;
    }
    Ok(change)
}

/// The file of approvals, unless others than the user could have written it: what they approved must not become
/// approved by adding to it.
fn trusted(aleph_home: &Path) -> Result<Approvals, InstallError> {
    let approvals = Approvals::read(aleph_home);
    match approvals.distrust {
        Some(Distrust { path, why, help }) => Err(InstallError::WritableByOthers { path, why, help }),
        None => Ok(approvals),
    }
}

fn changed(aleph_home: &Path, entries: Vec<(String, Option<Table>)>) -> Result<Vec<PathBuf>, InstallError> {
    let path = change_records(aleph_home, FILE, TABLE, PATIENCE, entries)?;
    Ok(path.into_iter().collect())
}

fn record(server: &ConfiguredServer, digest: &str, now: SystemTime) -> Table {
    let mut table = Table::new();
    table.insert("name", value(&server.definition.name));
    table.insert("file", value(server.site.file.to_string_lossy().into_owned()));
    table.insert("approved", value(utc(now)));
    let mut kept = Table::new();
    for part in parts(&server.definition, &server.site, digest) {
        let mut pair = Array::new();
        pair.push(part.shown);
        pair.push(part.mark);
        kept.insert(&part.key, value(pair));
    }
    table.insert("parts", kept.into());
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::launch::Site;
    use crate::mcp::{Consent, Obstacle};
    use crate::model::{DiscoverySource, Scope, ServerDefinition, Transport};

    /// An Aleph home that is the user's alone, whatever the user's mask allows others.
    fn home() -> tempfile::TempDir {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        builder.tempdir().unwrap()
    }

    fn server(name: &str) -> ConfiguredServer {
        ConfiguredServer {
            name: name.to_owned(),
            short_name: None,
            definition: ServerDefinition {
                name: name.to_owned(),
                transport: Some(Transport::Stdio),
                command: Some("run".to_owned()),
                args: vec!["--token".to_owned(), "hunter2hunter2".to_owned()],
                env: vec![("A".to_owned(), "verysecretvalue".to_owned())],
                enabled: true,
                ..ServerDefinition::default()
            },
            site: Site::of_file(Path::new("/p/.mcp.json")),
            line: None,
            source: DiscoverySource::Project,
            scope: Scope::Project,
            plugin: None,
            consent: Consent::Unapproved,
            obstacle: None::<Obstacle>,
        }
    }

    fn consent(home: &Path, server: &ConfiguredServer) -> Consent {
        Approvals::read(home).consent(&server.definition, &server.site)
    }

    #[test]
    fn a_yes_is_to_one_definition_and_can_be_taken_back() {
        let home = home();
        let home = home.path();
        let own = server("s");
        assert_eq!(consent(home, &own), Consent::Unapproved);
        let change = approve(home, &own, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(change.changed, [home.join("data").join(FILE)]);
        assert_eq!(consent(home, &own), Consent::Approved);
        assert!(
            approve(home, &own, SystemTime::UNIX_EPOCH)
                .unwrap()
                .changed
                .is_empty()
        );
        let text = std::fs::read_to_string(home.join("data").join(FILE)).unwrap();
        assert!(
            !text.contains("hunter2") && !text.contains("verysecret"),
            "{text}"
        );

        let mut other = server("s");
        other.definition.args.push("--all".to_owned());
        other.definition.env[0].1.push('x');
        other.definition.cwd = Some("sub".to_owned());
        let Consent::Changed(differences) = consent(home, &other) else {
            panic!("it is another definition");
        };
        let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "directory: `sub` is new",
                "argument 3: `--all` is new",
                "variable A: another value than the one that was approved",
            ]
        );
        // The new yes takes the place of the old one.
        approve(home, &other, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(consent(home, &other), Consent::Approved);
        assert!(matches!(consent(home, &own), Consent::Changed(_)));

        assert!(
            !revoke(home, "s", Some(Path::new("/p/.mcp.json")))
                .unwrap()
                .changed
                .is_empty()
        );
        assert_eq!(consent(home, &other), Consent::Unapproved);
        assert!(revoke(home, "s", None).unwrap().changed.is_empty());
    }

    #[test]
    fn what_was_moved_says_from_where() {
        let home = home();
        approve(home.path(), &server("s"), SystemTime::UNIX_EPOCH).unwrap();
        let mut moved = server("s");
        moved.site = Site::of_file(Path::new("/q/.mcp.json"));
        let Consent::Changed(differences) = consent(home.path(), &moved) else {
            panic!("it stands elsewhere");
        };
        let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["file: `/q/.mcp.json` instead of `/p/.mcp.json`"]);
        moved.definition.args.clear();
        assert_eq!(consent(home.path(), &moved), Consent::Unapproved);
    }

    #[test]
    fn a_broken_file_approves_nothing_and_is_kept() {
        let home = home();
        let home = home.path();
        approve(home, &server("s"), SystemTime::UNIX_EPOCH).unwrap();
        let path = home.join("data").join(FILE);
        let whole = std::fs::read_to_string(&path).unwrap();
        for broken in [
            format!("{whole}\n[x"),
            whole
                .replace("[approvals.", "[appr.")
                .replacen("[appr.", "approvals = 3\n[appr.", 1),
        ] {
            std::fs::write(&path, &broken).unwrap();
            let read = Approvals::read(home);
            assert!(!read.diagnostics.is_empty(), "{broken}");
            assert_eq!(consent(home, &server("s")), Consent::Unapproved);
            assert!(approve(home, &server("s"), SystemTime::UNIX_EPOCH).is_err());
            assert!(revoke(home, "s", None).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
        }
        // One bad entry spoils itself only.
        let one = format!("{whole}\n[approvals.short]\nname = \"s\"\n");
        std::fs::write(&path, one).unwrap();
        assert_eq!(Approvals::read(home).diagnostics.len(), 1);
        assert_eq!(consent(home, &server("s")), Consent::Approved);
        std::fs::write(&path, whole.replace("name = \"s\"", "name = 3")).unwrap();
        assert_eq!(consent(home, &server("s")), Consent::Unapproved);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_approves_nothing_and_is_not_added_to() {
        use std::fs::{Permissions, set_permissions};
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let home = home();
        let home = home.path();
        approve(home, &server("s"), SystemTime::UNIX_EPOCH).unwrap();
        let (data, file) = (home.join("data"), home.join("data").join(FILE));
        let before = std::fs::read(&file).unwrap();
        let own = file.metadata().unwrap().uid();
        // A group of the user's own number is the user; here it must be another's.
        let is_others_group = file.metadata().unwrap().gid() != own;
        for (path, mode) in [
            (&file, 0o666),
            (&file, 0o646),
            (&data, 0o777),
            (&home.to_path_buf(), 0o757),
            (&file, 0o664),
        ] {
            let usual = path.metadata().unwrap().permissions();
            set_permissions(path, Permissions::from_mode(mode)).unwrap();
            let counts = mode == 0o664 && !is_others_group;
            let read = Approvals::read(home);
            assert_eq!(consent(home, &server("s")).is_approved(), counts, "{mode:o}");
            if !counts {
                let told = read.diagnostics[0].clone();
                assert!(told.message.contains("so nothing is approved"), "{told:?}");
                assert!(told.help.unwrap().contains(&format!(
                    "`chmod go-w {}`",
                    path.canonicalize().unwrap().display()
                )));
                for error in [
                    approve(home, &server("t"), SystemTime::UNIX_EPOCH).unwrap_err(),
                    revoke(home, "s", None).unwrap_err(),
                ] {
                    assert!(matches!(error, InstallError::WritableByOthers { .. }), "{error}");
                }
            }
            assert_eq!(std::fs::read(&file).unwrap(), before);
            set_permissions(path, usual).unwrap();
        }
        assert!(consent(home, &server("s")).is_approved());
        // Only root can give a file away.
        if chown(&file, Some(12_345), None).is_ok() {
            assert!(!consent(home, &server("s")).is_approved());
            let why = &Approvals::read(home).diagnostics[0].message;
            assert!(why.contains("belongs to another user (number 12345)"), "{why}");
        }
    }

    #[test]
    fn two_who_approve_at_once_are_both_heard() {
        let home = home();
        let home = home.path();
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || {
                    let server = server(&format!("s{number}"));
                    // Who has waited too long is told so, and may try again.
                    loop {
                        match approve(home, &server, SystemTime::UNIX_EPOCH) {
                            Err(InstallError::Busy { .. }) => {}
                            done => break done.unwrap(),
                        }
                    }
                });
            }
        });
        for number in 0..8 {
            assert_eq!(consent(home, &server(&format!("s{number}"))), Consent::Approved);
        }
    }
}
