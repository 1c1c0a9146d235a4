//! One plugin's directory: its signs, its manifests, and what they say of it together.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::inside::{self, Inside};
use crate::discovery::platform;
use crate::discovery::plugins::{DIRECTORY_SIGNS, FILE_SIGNS, has};
use crate::model::{Code, Diagnostic, FileIdentity, PluginFormat, Severity};
use crate::parse::Problem;
use crate::parse::manifest::{self, Manifest, Spot};

/// The manifests that give metadata, in the order in which they do.
const MANIFESTS: &[(&str, PluginFormat)] = &[
    ("aleph.plugin.toml", PluginFormat::AlephToml),
    ("aleph.plugin.json", PluginFormat::AlephJson),
    (".claude-plugin/plugin.toml", PluginFormat::Claude),
    (".claude-plugin/plugin.json", PluginFormat::Claude),
    (".codex-plugin/plugin.json", PluginFormat::Codex),
    (".cursor-plugin/plugin.json", PluginFormat::Cursor),
];

/// The file of MCP servers that is a sign by itself.
pub(super) const MCP_FILE: &str = ".mcp.json";
/// The file of rules that is a sign by itself.
pub(super) const CURSOR_RULES: &str = ".cursorrules";

/// One manifest of a plugin.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestFile {
    /// Its format.
    pub format: PluginFormat,
    /// The file.
    pub path: PathBuf,
    /// Its path in the plugin, with `/`.
    pub relative: &'static str,
    /// What it says, or why nothing of it counts.
    pub manifest: Result<Manifest, Diagnostic>,
    /// What makes the file the same as another.
    pub identity: Option<FileIdentity>,
    /// Its size in bytes.
    pub size: u64,
}

/// One plugin: what its manifests say.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// Its directory, as it is spelled.
    pub path: PathBuf,
    /// The signs by which it is one, each format once, in the order of the specification.
    pub formats: Vec<PluginFormat>,
    /// Its manifests, those that cannot be parsed too, in the order in which they give metadata.
    pub manifests: Vec<ManifestFile>,
    /// Index of the manifest that gives the metadata and names components: the first that can be parsed.
    pub chosen: Option<usize>,
    /// Its id.
    pub id: String,
    /// Its name as the manifest gives it.
    pub declared_name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Why it cannot be in effect, if it cannot.
    pub invalid: Option<Diagnostic>,
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the operating system refused to let something be read.
    pub incomplete: bool,
    pub(super) inside: Inside,
}

/// The id that a name gives a plugin: lowercase, everything outside `[a-z0-9-]` to `-`, runs collapsed, cut at 64
/// bytes, ends trimmed; `plugin-` and the first 8 hex digits of the name's SHA-256 if nothing is left.
#[must_use]
pub fn plugin_id(name: &str) -> String {
    crate::discovery::plugins::plugin_id(name)
}

impl Plugin {
    /// Reads the manifests of a directory; whether it has any sign of a plugin is told by
    /// [`formats`](Self::formats).
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let inside = Inside::new(path);
        let mut plugin = Self {
            path: path.to_path_buf(),
            formats: Vec::new(),
            manifests: Vec::new(),
            chosen: None,
            id: String::new(),
            declared_name: None,
            version: None,
            description: None,
            invalid: None,
            diagnostics: Vec::new(),
            incomplete: false,
            inside,
        };
        for (relative, format) in MANIFESTS {
            if plugin.has_file(relative) {
                plugin.add_manifest(relative, *format);
            }
        }
        plugin.find_formats();
        plugin.chosen = plugin.manifests.iter().position(|file| file.manifest.is_ok());
        plugin.take_metadata();
        plugin.compare_manifests();
        plugin.judge();
        plugin
    }

    /// The id that a name gives.
    #[cfg(feature = "install")]
    pub(super) fn id_of(name: &str) -> String {
        plugin_id(name)
    }

    /// The manifest that gives the metadata and names components.
    #[must_use]
    pub fn manifest(&self) -> Option<(&ManifestFile, &Manifest)> {
        let file = self.manifests.get(self.chosen?)?;
        Some((file, file.manifest.as_ref().ok()?))
    }

    /// The name of its directory; lossy where it is not UTF-8.
    #[must_use]
    pub fn dir_name(&self) -> String {
        let name = self.path.file_name().map(OsStr::to_os_string);
        let name = name.or_else(|| Some(self.inside.real.file_name()?.to_os_string()));
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether a regular file is at this path of the plugin, with no link on the way.
    fn has_file(&mut self, relative: &str) -> bool {
        match has(&self.path, relative, fs::FileType::is_file) {
            Ok(is_there) => is_there,
            Err(error) => {
                self.unreadable(&self.path.join(relative), &error);
                false
            }
        }
    }

    fn unreadable(&mut self, path: &Path, error: &std::io::Error) {
        self.incomplete = true;
        let message = format!("cannot read this file of a plugin: {error}");
        self.diagnostics.push(
            Diagnostic::new(Code::Unreadable, Severity::Error, message)
                .with_path(path)
                .with_help("make it readable, or run as a user who may read it"),
        );
    }

    fn add_manifest(&mut self, relative: &'static str, format: PluginFormat) {
        let path = self.path.join(relative);
        let metadata = fs::symlink_metadata(&path).ok();
        let manifest = match inside::read(&path) {
            Ok(bytes) => {
                let parsed = manifest::parse(&bytes, format, relative.ends_with(".toml"));
                parsed.map_err(|problem| told(problem, &path))
            }
            Err(error) => {
                self.incomplete = true;
                let message = format!("cannot read this manifest: {error}");
                Err(Diagnostic::new(Code::Unreadable, Severity::Error, message)
                    .with_path(&path)
                    .with_help("make it readable, or run as a user who may read it"))
            }
        };
        match &manifest {
            Ok(manifest) => {
                let problems = manifest.problems.iter().cloned();
                self.diagnostics
                    .extend(problems.map(|problem| told(problem, &path)));
            }
            Err(diagnostic) => self.diagnostics.push(diagnostic.clone()),
        }
        self.manifests.push(ManifestFile {
            format,
            path,
            relative,
            manifest,
            identity: metadata.as_ref().and_then(platform::identity),
            size: metadata.map_or(0, |metadata| metadata.len()),
        });
    }

    fn find_formats(&mut self) {
        let mut formats: Vec<PluginFormat> = self.manifests.iter().map(|file| file.format).collect();
        for sign in FILE_SIGNS {
            let format = match *sign {
                CURSOR_RULES => PluginFormat::CursorRules,
                MCP_FILE => PluginFormat::Mcp,
                _ => continue,
            };
            if self.has_file(sign) {
                formats.push(format);
            }
        }
        for sign in DIRECTORY_SIGNS {
            let format = match *sign {
                ".cursor/rules" => PluginFormat::CursorRules,
                _ => PluginFormat::Layout,
            };
            if has(&self.path, sign, fs::FileType::is_dir).unwrap_or(false) {
                formats.push(format);
            }
        }
        formats.sort_unstable();
        formats.dedup();
        self.formats = formats;
    }

    fn take_metadata(&mut self) {
        let dir_name = self.dir_name();
        let Some((file, manifest)) = self.manifest() else {
            self.id = plugin_id(&dir_name);
            return;
        };
        let text = |spot: &Option<Spot<String>>| spot.as_ref().map(|spot| spot.value.trim().to_owned());
        let (id, name) = (text(&manifest.id), text(&manifest.name));
        let (version, description) = (text(&manifest.version), text(&manifest.description));
        let needs_id = matches!(file.format, PluginFormat::AlephToml | PluginFormat::AlephJson);
        let called = if needs_id {
            id.as_ref().or(name.as_ref())
        } else {
            name.as_ref()
        };
        let nameless = called.is_none().then(|| {
            let key = if needs_id { "id" } else { "name" };
            let message = format!("the manifest has no `{key}`, so the plugin goes by its directory's name");
            Diagnostic::new(Code::ManifestWithoutName, Severity::Warning, message)
                .with_path(&file.path)
                .with_position(
                    manifest.start.map(|at| at.line),
                    manifest.start.map(|at| at.column),
                )
                .with_help(format!("add `{key}` to the manifest"))
        });
        let plugin_id = plugin_id(called.unwrap_or(&dir_name));
        self.declared_name = name.or(id);
        (self.version, self.description, self.id) = (version, description, plugin_id);
        self.diagnostics.extend(nameless);
    }

    /// Tells of fields that two manifests state differently.
    fn compare_manifests(&mut self) {
        let mut told_of = Vec::new();
        let Some((first, chosen)) = self.manifest() else {
            return;
        };
        let fields = |manifest: &Manifest| {
            let name = manifest.id.clone().or_else(|| manifest.name.clone());
            [("name", name), ("version", manifest.version.clone())]
        };
        for file in &self.manifests {
            let Some(manifest) = file.manifest.as_ref().ok().filter(|_| file.path != first.path) else {
                continue;
            };
            for ((field, one), (_, other)) in fields(chosen).into_iter().zip(fields(manifest)) {
                let (Some(one), Some(other)) = (one, other) else {
                    continue;
                };
                let same = one.value.trim() == other.value.trim()
                    || (field == "name" && plugin_id(&one.value) == plugin_id(&other.value));
                if !same {
                    let message = format!(
                        "the {field} is `{}` here and `{}` in {}, which counts",
                        other.value, one.value, first.relative
                    );
                    told_of.push(
                        Diagnostic::new(Code::ManifestsDisagree, Severity::Warning, message)
                            .with_path(&file.path)
                            .with_position(Some(other.at.line), Some(other.at.column))
                            .with_help("state it the same in both"),
                    );
                }
            }
        }
        self.diagnostics.append(&mut told_of);
    }

    /// Whether it can be in effect: not if every manifest that it has is broken.
    fn judge(&mut self) {
        let broken = self
            .manifests
            .iter()
            .find_map(|file| file.manifest.as_ref().err());
        if self.chosen.is_none() {
            self.invalid = broken.cloned();
        }
        if self.formats == [PluginFormat::Mcp] {
            let path = self.path.join(MCP_FILE);
            self.invalid = match inside::read(&path) {
                Ok(bytes) => manifest::mcp_servers::parse(&bytes)
                    .err()
                    .map(|problem| told(problem, &path)),
                // Told of, and counted as incomplete, where its servers are read.
                Err(_) => None,
            };
        }
    }
}

/// A parser's problem as a finding about a file.
pub(super) fn told(problem: Problem, path: &Path) -> Diagnostic {
    let severity = match problem.code {
        Code::BrokenManifest
        | Code::ManifestWrongType
        | Code::BadServer
        | Code::BrokenMarketplace
        | Code::BadMarketplaceEntry => Severity::Error,
        Code::NumberPrecision => Severity::Note,
        _ => Severity::Warning,
    };
    problem.into_diagnostic(severity).with_path(path)
}
