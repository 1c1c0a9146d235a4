//! What several of stand in one file: hooks and MCP servers.

use std::path::{Path, PathBuf};

use super::inside::{self, Place as Located};
use super::parts::Collector;
use super::read::{MCP_FILE, ManifestFile, told};
use crate::discovery::unusable;
use crate::model::{Code, ComponentKind, Definition, Diagnostic, HookDefinition, Severity, State};
use crate::parse::manifest::hooks::{self, Merged};
use crate::parse::manifest::{DeclaredPath, Manifest, Spot, mcp_servers};
use crate::parse::{Position, Problem};

/// The file of hooks that a plugin has by default.
const HOOKS_FILE: &str = "hooks/hooks.json";

impl<'a> Collector<'a> {
    /// Hooks: of the default file, of the files that manifests name, and in manifests.
    pub(super) fn hooks(&mut self) {
        let kind = ComponentKind::Hook;
        let mut sources: Vec<PathBuf> = Vec::new();
        let mut all: Vec<(usize, Spot<HookDefinition>)> = Vec::new();
        let mut defaults = Vec::new();
        if self.has_defaults(kind) {
            defaults.push(HOOKS_FILE);
            if self.is_cursor() {
                defaults.push(".cursor/hooks.json");
            }
        }
        let mut files: Vec<Located> = defaults
            .into_iter()
            .filter_map(|relative| self.default_file(relative))
            .collect();
        for (file, path) in self.files(|manifest| &manifest.hook_files) {
            if let Some(located) = self.locate(file, path) {
                if located.is_dir {
                    // Some name the folder; its standard file is meant.
                    let standard = format!("{}/hooks.json", path.text.trim_end_matches('/'));
                    files.extend(self.default_file(&standard));
                } else {
                    files.push(located);
                }
            }
        }
        for located in files {
            // A file that is named twice is read twice: what it defines then runs twice.
            let is_new = self.is_new(kind, &located.real);
            if let Some(hooks) = self.read_with(&located, is_new, hooks::parse) {
                all.extend(hooks.into_iter().map(|hook| (sources.len(), hook)));
            }
            sources.push(located.path);
        }
        if !self.has_defaults(kind) {
            self.replaced_file(kind, HOOKS_FILE);
            if self.is_cursor() {
                self.replaced_file(kind, ".cursor/hooks.json");
            }
        }
        for (file, manifest) in self.manifests.clone() {
            all.extend(manifest.hooks.iter().map(|hook| (sources.len(), hook.clone())));
            sources.push(file.path.clone());
        }
        for merged in hooks::merge(all) {
            let Some(path) = sources.get(merged.source).cloned() else {
                continue;
            };
            self.hook(&path, merged, &sources);
        }
    }

    fn hook(&mut self, path: &Path, merged: Merged, sources: &[PathBuf]) {
        let Spot { value: hook, at } = merged.hook;
        let (event, fires) = (hook.event.clone(), hook.fires);
        let definition = Some(Definition::Hook(hook));
        let mut candidate = self.defined_in(path, ComponentKind::Hook, &event, definition, at);
        if fires == 0 && candidate.state == State::Active {
            switched_off(&mut candidate, path, format!("hooks.{event}"));
        }
        let again = merged.again.first().filter(|_| fires > 1);
        if let Some((source, second)) = again {
            let other = sources.get(*source).map(|path| path.display().to_string());
            let message = format!(
                "this hook is defined {} times, so it runs {fires} times on each {event}; the next is line {} of {}",
                merged.again.len() + 1,
                second.line,
                other.unwrap_or_default()
            );
            self.found.diagnostics.push(
                Diagnostic::new(Code::HookFiresTwice, Severity::Warning, message)
                    .with_path(path)
                    .with_position(Some(at.line), Some(at.column))
                    .with_subject(ComponentKind::Hook, candidate.id())
                    .with_help(
                        "define it once: the standard file is read without being named in the manifest",
                    ),
            );
        }
        self.found.candidates.push(candidate);
    }

    /// MCP servers: of the default file, of the files that manifests name, and in manifests.
    pub(super) fn servers(&mut self) {
        let kind = ComponentKind::McpServer;
        let mut files: Vec<Located> = Vec::new();
        if self.has_defaults(kind) {
            files.extend(self.default_file(MCP_FILE));
            if self.is_cursor() {
                files.extend(self.default_file("mcp.json"));
            }
        }
        for (file, path) in self.files(|manifest| &manifest.server_files) {
            files.extend(self.locate(file, path));
        }
        let mut all = Vec::new();
        for located in files {
            if self.is_new(kind, &located.real)
                && let Some(servers) = self.read_with(&located, true, mcp_servers::parse)
            {
                all.extend(servers.into_iter().map(|server| (located.path.clone(), server)));
            }
        }
        if !self.has_defaults(kind) {
            self.replaced_file(kind, MCP_FILE);
            if self.is_cursor() {
                self.replaced_file(kind, "mcp.json");
            }
        }
        for (file, manifest) in self.manifests.clone() {
            all.extend(
                manifest
                    .servers
                    .iter()
                    .map(|server| (file.path.clone(), server.clone())),
            );
        }
        for (path, Spot { value: server, at }) in all {
            let name = server.name.clone();
            let definition = Some(Definition::Server(server.clone()));
            let mut candidate = self.defined_in(&path, kind, &name, definition, at);
            if candidate.state == State::Active && !server.enabled {
                switched_off(&mut candidate, &path, format!("{name}.enabled"));
            } else if candidate.state == State::Active
                && let Some(told) = unusable(&mut candidate, &server)
            {
                self.found.diagnostics.push(
                    told.with_path(&path)
                        .with_position(Some(at.line), Some(at.column))
                        .with_subject(kind, candidate.id()),
                );
            }
            self.found.candidates.push(candidate);
        }
    }

    fn files(
        &self,
        of: impl Fn(&'a Manifest) -> &'a Vec<DeclaredPath>,
    ) -> Vec<(&'a ManifestFile, &'a DeclaredPath)> {
        self.manifests
            .iter()
            .flat_map(|(file, manifest)| of(manifest).iter().map(move |path| (*file, path)))
            .collect()
    }

    /// Reads a file with a parser; what is wrong with it is told only the first time.
    fn read_with<T>(
        &mut self,
        located: &Located,
        tell: bool,
        parse: impl Fn(&[u8]) -> Result<(T, Vec<Problem>), Problem>,
    ) -> Option<T> {
        let (value, problems) = match inside::read(&located.real) {
            Ok(bytes) => match parse(&bytes) {
                Ok((value, problems)) => (Some(value), problems),
                Err(problem) => (None, vec![problem]),
            },
            Err(error) => {
                self.found.incomplete |= error.kind() != std::io::ErrorKind::InvalidInput;
                let at: Option<Position> = None;
                let message = format!("cannot read this file: {error}");
                (None, vec![Problem::new(Code::Unreadable, at, message)])
            }
        };
        if tell {
            let told = problems.into_iter().map(|problem| told(problem, &located.path));
            self.found.diagnostics.extend(told);
        }
        value
    }
}

fn switched_off(candidate: &mut crate::model::Candidate, path: &Path, key: String) {
    candidate.state = State::Disabled;
    candidate.code = Some(Code::SwitchedOff);
    let detail = candidate.detail_mut();
    detail.message = Some("its own definition switches it off".into());
    detail.cause = Some((path.to_path_buf(), Some(key)));
}
