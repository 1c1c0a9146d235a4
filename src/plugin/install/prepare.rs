//! From a source to a plugin that is ready to be installed: fetched, checked and disclosed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use toml_edit::Table;

use super::bench::Place;
use super::change::{Change, check_records, is_to_go};
use super::copy::{copy, only_child};
use super::disk::{create, make_dir, remove_all, remove_file};
use super::error::InstallError;
use super::records::texts;
use super::room::{Hold, Room};
use super::step::{Observer, Step};
use super::zip::Archive;
use super::{Setting, find};
use crate::model::{Code, Diagnostic, Severity, TrustTier};
use crate::parse::manifest::marketplace::{GitPick, MarketplaceEntry};
use crate::parse::moment::utc;
use crate::plugin::entry::{self, Role, Stated};
use crate::plugin::registry::{self, Fetch};
use crate::plugin::source::Source;
use crate::plugin::tree::TreeError;
use crate::plugin::{Disclosure, Plugin, Provenance, marketplace, tree};

/// A plugin that is ready to be installed. Dropped without that, nothing of it stays.
pub struct Prepared<'o> {
    /// The plugin, where it stands for the moment.
    pub plugin: Plugin,
    /// What installing it would mean.
    pub disclosure: Disclosure,
    /// Where it would be.
    pub target: PathBuf,
    setting: Setting,
    origin: Origin,
    /// Whether its tree may be moved rather than copied.
    is_movable: bool,
    /// The digests of the tree as it is served, where what is installed is another.
    served: Option<tree::Digests>,
    hold: Hold<'o>,
    /// The directory apart from the Aleph home that its tree stands in for the moment.
    apart: Option<TempDir>,
}

/// Where a plugin comes from, as it is recorded.
struct Origin {
    source: String,
    kind: &'static str,
    tier: TrustTier,
    pin: Option<String>,
    commit: Option<String>,
    /// The version that the entry of a marketplace states, for a plugin that states none itself.
    version: Option<String>,
    /// The entry of a marketplace, and the marketplace's own directory.
    entry: Option<(Box<MarketplaceEntry>, PathBuf)>,
}

impl<'o> Prepared<'o> {
    /// Fetches, checks and discloses what a source leads to. A path is looked at where it is; archives and
    /// repositories are unpacked in a hidden directory of the Aleph home, under its lock.
    ///
    /// # Errors
    ///
    /// [`InstallError`]; the Aleph home is as it was then.
    pub fn new(
        setting: &Setting,
        source: &Source,
        observer: &'o mut dyn Observer,
    ) -> Result<Self, InstallError> {
        Self::prepare(setting, source, None, observer)
    }

    /// The same to look at it only: nothing is written below the Aleph home but for a repository, whose clone is staged
    /// there. What has to be unpacked or copied is put in a directory of its own in `temporary`, which nobody else
    /// may look into and which goes away with the value.
    ///
    /// # Errors
    ///
    /// [`InstallError`]; nothing of it stays then.
    pub fn disclosed(
        setting: &Setting,
        source: &Source,
        temporary: &Path,
        observer: &'o mut dyn Observer,
    ) -> Result<Self, InstallError> {
        Self::prepare(setting, source, Some(temporary), observer)
    }

    fn prepare(
        setting: &Setting,
        source: &Source,
        temporary: Option<&Path>,
        observer: &'o mut dyn Observer,
    ) -> Result<Self, InstallError> {
        let (fetch, mut origin) = locate(setting, source)?;
        let mut room = Room {
            home: &setting.home,
            temporary,
            hold: Hold::Free(observer),
            apart: None,
        };
        let mut is_movable = false;
        let root = match fetch {
            Fetch::Directory(path) => real_directory(&path)?,
            Fetch::Archive(path) => {
                // One that is not there is a slip of the pen, like a directory that is not there.
                path.metadata().map_err(|source| InstallError::Missing {
                    path: path.clone(),
                    source,
                })?;
                let archive = Archive::open(&path)?;
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let name = Plugin::id_of(&stem);
                let staged;
                (room, staged) = room.stage("unpacked")?;
                let mut root = staged.join(name);
                make_dir(&root)?;
                archive.unpack(&root, room.hold.observer())?;
                if Plugin::read(&root).formats.is_empty()
                    && let Some(only) = only_child(&root)
                {
                    root = only;
                }
                is_movable = true;
                root
            }
            Fetch::Git { url, pick } => {
                let staged;
                (room, staged) = room.stage_at_home(&super::git::directory())?;
                let last = url.trim_end_matches(['/', ':']).trim_end_matches(".git");
                let last = last.rsplit(['/', ':']).next().unwrap_or_default();
                let clone = staged.join(Plugin::id_of(last));
                make_dir(&clone)?;
                let fetched = setting.git.fetch(&url, &pick, &clone, room.hold.observer())?;
                origin.commit = Some(fetched.commit);
                folder(&clone, &url, &pick)?
            }
        };
        let mut plugin = Plugin::read(&root);
        let mut served = None;
        match entered(&plugin, &origin, source)? {
            Role::Nothing => {}
            Role::Unheard(why) => plugin.diagnostics.push(unheard(why, &plugin)),
            Role::Manifest(stated) => {
                // What is pinned is what is served.
                served = Some(tree::digest(&tree::list(&root)?, |_, _| {})?);
                let mut staged = root.clone();
                if !is_movable {
                    if temporary.is_none() {
                        not_around(&setting.home, &root)?;
                    }
                    (room, staged) = room.stage("stated")?;
                    let name = origin.entry.as_ref().map(|(entry, _)| entry.name.value.as_str());
                    staged.push(Plugin::id_of(name.unwrap_or_default()));
                    make_dir(&staged)?;
                    copy(&root, &staged, room.hold.observer())?;
                    is_movable = true;
                }
                state(&staged, &stated)?;
                plugin = Plugin::read(&staged);
            }
        }
        refuse_what_is_no_plugin(&plugin, source, room.is_in_its_place())?;
        // One that does not name itself has the name of its directory; and that will be the entry's.
        if let Source::Marketplace { name, .. } = source
            && plugin.declared_name.is_none()
            && plugin.manifests.is_empty()
        {
            plugin.id = Plugin::id_of(name);
        }
        let target = setting.plugins().join(&plugin.id);
        room.hold.observer().at(Step::Hashing);
        InstallError::unless_interrupted(room.hold.observer())?;
        let provenance = Provenance {
            tier: origin.tier,
            pinned_sha256: origin.pin.clone(),
            served: served.clone(),
            show_secrets: setting.show_secrets,
            shown_at: (!room.is_in_its_place()).then(|| target.clone()),
            version: origin.version.clone(),
        };
        let disclosure = Disclosure::of(&plugin, setting.profile, &provenance)?;
        InstallError::unless_interrupted(room.hold.observer())?;
        Ok(Self {
            plugin,
            disclosure,
            target,
            setting: setting.clone(),
            origin,
            // What stands apart may be on another file system.
            is_movable: is_movable && room.apart.is_none(),
            served,
            hold: room.hold,
            apart: room.apart,
        })
    }

    /// The commit that a repository gave.
    #[must_use]
    pub fn commit(&self) -> Option<&str> {
        self.origin.commit.as_deref()
    }

    /// Whether it may be installed, but for the user's word.
    ///
    /// # Errors
    ///
    /// [`InstallError`]: a pin that differs, an invalid plugin, one that is there already (without `update`), files
    /// of records that cannot be used.
    pub fn check(&self, update: bool) -> Result<(), InstallError> {
        if let Some(invalid) = &self.plugin.invalid {
            // What is staged will not be there to be looked at.
            let is_here = self.apart.is_none() && matches!(self.hold, Hold::Free(_));
            return Err(InstallError::Invalid {
                why: invalid.message.to_string(),
                path: invalid.path.clone().filter(|_| is_here),
            });
        }
        if let (Some(pin), Some(false)) = (self.origin.pin.as_deref(), self.disclosure.pin_holds) {
            let (tree1, unframed) = match &self.served {
                Some(served) => (&served.tree1, &served.unframed),
                None => (&self.disclosure.sha256, &self.disclosure.sha256_unframed),
            };
            let is_framed = pin.trim().starts_with("tree1:");
            return Err(InstallError::Pin {
                stated: pin.to_owned(),
                found: if is_framed { tree1 } else { unframed }.clone(),
            });
        }
        if let Some(there) = find(&self.setting.home, &self.plugin.id) {
            let is_directory = there.symlink_metadata().is_ok_and(|there| there.is_dir());
            if there == self.target && !is_directory {
                return Err(InstallError::NotOurs { path: there });
            }
            // A directory of somebody's own is not what `--update` is about.
            is_to_go(&self.setting.home, &there, &self.plugin.id)?;
            // One of that id under another name would stay beside the new one.
            if !update || there != self.target {
                return Err(InstallError::Exists {
                    id: self.plugin.id.clone(),
                    path: there,
                });
            }
        }
        if !self.is_movable {
            not_around(&self.setting.home, &self.plugin.path)?;
        }
        if self.setting.home.is_dir() {
            super::disk::inside(&self.setting.home, "plugins")?;
            super::disk::inside(&self.setting.home, "data")?;
        }
        check_records(&self.setting.home, Place::Plugin)
    }

    /// Installs it. `now` is what is recorded as the moment.
    ///
    /// # Errors
    ///
    /// [`InstallError`]; the Aleph home is as it was then.
    pub fn install(self, update: bool, now: SystemTime) -> Result<Change, InstallError> {
        self.check(update)?;
        let record = self.record(now);
        let mut bench = self.hold.lock(&self.setting.home)?;
        // What stands apart stays until it was copied.
        let _apart = self.apart;
        // Looked at again under the lock.
        if self.target.symlink_metadata().is_ok() && !update {
            return Err(InstallError::Exists {
                id: self.plugin.id,
                path: self.target,
            });
        }
        let staged = if self.is_movable {
            self.plugin.path.clone()
        } else {
            let staged = bench.stage("new")?.join(&self.plugin.id);
            make_dir(&staged)?;
            copy(&self.plugin.path, &staged, &mut *bench.observer)?;
            // What was disclosed is what is installed.
            let digests = tree::digest(&tree::list(&staged)?, |_, _| {})?;
            if digests.tree1 != self.disclosure.sha256 {
                return Err(InstallError::Changed {
                    path: self.plugin.path,
                });
            }
            staged
        };
        InstallError::unless_interrupted(bench.observer)?;
        let changed = bench.put(Place::Plugin, &self.plugin.id, &staged, record)?;
        Ok(Change {
            subject: self.plugin.id,
            changed,
        })
    }

    fn record(&self, now: SystemTime) -> Table {
        texts(&[
            ("source", Some(&self.origin.source)),
            ("kind", Some(self.origin.kind)),
            ("version", self.disclosure.version.as_deref()),
            ("commit", self.origin.commit.as_deref()),
            ("sha256", Some(&self.disclosure.sha256)),
            ("tier", Some(self.origin.tier.as_str())),
            ("installed", Some(&utc(now))),
        ])
    }
}

/// How a source is fetched, and what is known of it from there.
fn locate(setting: &Setting, source: &Source) -> Result<(Fetch, Origin), InstallError> {
    let origin = |text: String| Origin {
        source: text,
        kind: source.kind().as_str(),
        tier: TrustTier::Unverified,
        pin: None,
        commit: None,
        version: None,
        entry: None,
    };
    match source {
        Source::Path(path) => Ok((Fetch::Directory(path.clone()), origin(source.text()))),
        Source::Zip(path) => Ok((Fetch::Archive(path.clone()), origin(source.text()))),
        Source::Git(url) => {
            let fetch = Fetch::Git {
                url: url.clone(),
                pick: GitPick::default(),
            };
            Ok((fetch, origin(url.clone())))
        }
        Source::Marketplace { name, marketplace } => {
            let registry = registry::read(&setting.home);
            if let Some(marketplace) = marketplace
                && registry.get(marketplace).is_none()
            {
                let known = registry.marketplaces.iter().map(|one| one.name.as_str());
                return Err(super::market::unknown("marketplace", marketplace, known, false));
            }
            let wanted =
                |one: &&registry::Registered| marketplace.as_ref().is_none_or(|wanted| one.name == *wanted);
            let mut found = Vec::new();
            for one in registry.marketplaces.iter().filter(wanted) {
                found.extend(
                    one.entries()
                        .iter()
                        .filter(|entry| entry.name.value == *name)
                        .map(|entry| (one, entry)),
                );
            }
            let (market, entry) = match found.as_slice() {
                [one] => *one,
                [] => {
                    let entries = registry.marketplaces.iter().filter(wanted);
                    let known = entries
                        .flat_map(|one| one.entries())
                        .map(|entry| entry.name.value.as_str());
                    return Err(super::market::unknown(
                        "entry of a marketplace",
                        name,
                        known,
                        false,
                    ));
                }
                several => {
                    return Err(InstallError::Ambiguous {
                        name: name.clone(),
                        marketplaces: several.iter().map(|(one, _)| one.name.clone()).collect(),
                    });
                }
            };
            let fetch = market.fetch(entry).map_err(|why| InstallError::NotInstallable {
                name: format!("{name}@{}", market.name),
                why,
            })?;
            let mut origin = origin(format!("{name}@{}", market.name));
            origin.tier = market.tier_of(entry);
            origin.version = entry
                .manifest
                .version
                .as_ref()
                .map(|text| text.value.trim().to_owned());
            origin.pin = entry.sha256.as_ref().map(|pin| pin.value.clone());
            origin.entry = Some((Box::new(entry.clone()), market.path.clone()));
            Ok((fetch, origin))
        }
    }
}

fn real_directory(path: &Path) -> Result<PathBuf, InstallError> {
    let real = path.canonicalize().map_err(|source| InstallError::Missing {
        path: path.to_path_buf(),
        source,
    })?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(InstallError::NotAPlugin {
            what: path.display().to_string(),
            path: Some(path.to_path_buf()),
        })
    }
}

/// Refuses a plugin whose directory the Aleph home lies in, or will once it is made.
fn not_around(home: &Path, plugin: &Path) -> Result<(), InstallError> {
    let there = home.ancestors().find_map(|dir| dir.canonicalize().ok());
    if there.is_some_and(|there| there.starts_with(plugin)) {
        return Err(InstallError::HoldsHome {
            path: plugin.to_path_buf(),
            home: home.to_path_buf(),
        });
    }
    Ok(())
}

/// The folder of a clone that a pick names.
fn folder(clone: &Path, url: &str, pick: &GitPick) -> Result<PathBuf, InstallError> {
    let Some(path) = pick.path.as_deref() else {
        return Ok(clone.to_path_buf());
    };
    let refuse = |why| InstallError::Pick {
        what: "path",
        text: path.to_owned(),
        url: url.to_owned(),
        why,
    };
    let located =
        crate::plugin::inside::Inside::new(clone)
            .locate(path)
            .map_err(|refusal| match refusal {
                crate::plugin::inside::Refusal::Escapes(why) => refuse(why),
                _ => refuse("there is no such folder in it"),
            })?;
    if located.is_dir {
        Ok(located.real)
    } else {
        Err(refuse("it is no folder"))
    }
}

/// What part the entry of a marketplace has in the plugin that it leads to.
fn entered(plugin: &Plugin, origin: &Origin, source: &Source) -> Result<Role, InstallError> {
    let Some((entry, market)) = &origin.entry else {
        return Ok(Role::Nothing);
    };
    let is_root = same_directory(&plugin.path, market);
    entry::role(entry, plugin, is_root).map_err(|why| InstallError::NotInstallable {
        name: source.text(),
        why,
    })
}

fn same_directory(one: &Path, other: &Path) -> bool {
    one.canonicalize()
        .is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn unheard(why: String, plugin: &Plugin) -> Diagnostic {
    let file = plugin
        .manifest()
        .map_or(plugin.path.as_path(), |(file, _)| file.path.as_path());
    Diagnostic::new(Code::ManifestsDisagree, Severity::Warning, why)
        .with_path(file)
        .with_help("name the components in the plugin's own manifest")
}

/// Writes what an entry states into a staged plugin, and takes out what is not part of it.
fn state(staged: &Path, stated: &Stated) -> Result<(), InstallError> {
    let path = staged.join(entry::MANIFEST);
    let dir = path.parent().unwrap_or(staged);
    match fs::symlink_metadata(dir) {
        Ok(there) if !there.is_dir() => {
            return Err(InstallError::NotOurs {
                path: dir.to_path_buf(),
            });
        }
        _ => make_dir(dir)?,
    }
    // A link there is no manifest, and is not written through.
    match fs::symlink_metadata(&path) {
        Ok(there) if there.is_dir() => return Err(InstallError::NotOurs { path }),
        _ => remove_file(&path)?,
    }
    let mut file = create(&path, false)?;
    file.write_all(stated.text.as_bytes())
        .map_err(InstallError::io("write", &path))?;
    if stated.skills_are_exact {
        let plugin = Plugin::read(staged);
        let Some((_, manifest)) = plugin.manifest() else {
            return Ok(());
        };
        let unnamed = entry::unnamed_skills(staged, manifest).map_err(InstallError::io("read", staged))?;
        for path in unnamed {
            let path = staged.join(path);
            if fs::symlink_metadata(&path).is_ok_and(|there| there.is_dir()) {
                remove_all(&path)?;
            } else {
                remove_file(&path)?;
            }
        }
    }
    Ok(())
}

fn refuse_what_is_no_plugin(plugin: &Plugin, source: &Source, is_here: bool) -> Result<(), InstallError> {
    if !plugin.formats.is_empty() {
        return Ok(());
    }
    let what = source.text();
    let path = match source {
        Source::Path(path) | Source::Zip(path) => Some(path.clone()),
        Source::Marketplace { .. } => is_here.then(|| plugin.path.clone()),
        Source::Git(_) => None,
    };
    if marketplace::find(&plugin.path).is_some() {
        return Err(InstallError::IsMarketplace { what, path });
    }
    // What cannot be listed cannot be told to be no plugin.
    fs::read_dir(&plugin.path).map_err(|source| TreeError::Unreadable {
        path: plugin.path.clone(),
        source,
    })?;
    Err(InstallError::NotAPlugin { what, path })
}
