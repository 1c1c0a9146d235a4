//! Default folders and files that a manifest puts out of use: they are not read, and not passed over in silence either.

use std::path::{Path, PathBuf};

use super::inside::Place as Located;
use super::parts::Collector;
use crate::model::{Candidate, Code, ComponentKind, Diagnostic, RootStatus, Severity, State};

impl Collector<'_> {
    /// Lists what a default folder has that is out of use, as `read` would list it if it were not. What the manifest
    /// names in it was read already and is left alone.
    pub(super) fn replaced_folder(
        &mut self,
        kind: ComponentKind,
        relative: &str,
        read: impl FnOnce(&mut Self, &Located),
    ) {
        let Ok(located) = self.plugin.inside.locate(relative) else {
            return;
        };
        if !located.is_dir || self.has_seen(kind, &located.real) {
            return;
        }
        let named: Vec<PathBuf> = self.seen_of(kind).map(Path::to_path_buf).collect();
        let start = (self.found.candidates.len(), self.found.diagnostics.len());
        let (first_dir, incomplete) = (self.dirs.len(), self.found.incomplete);
        read(self, &located);
        self.qualify(start, None);
        // What is odd about things that do not count matters to nobody.
        self.found.diagnostics.truncate(start.1);
        self.found.incomplete = incomplete;
        for dir in self.dirs.iter_mut().skip(first_dir) {
            dir.status = RootStatus::Skipped;
            dir.reason = Some(why(kind));
        }
        let manifest = self.manifest_path();
        let is_named = |candidate: &Candidate| {
            let name = Path::new(&*candidate.entry_name).file_name().unwrap_or_default();
            let entry = located.real.join(name);
            named.iter().any(|named| named.starts_with(&entry))
        };
        let unused = self.found.candidates.split_off(start.0);
        for mut candidate in unused.into_iter().filter(|candidate| !is_named(candidate)) {
            if candidate.state != State::Ignored {
                candidate.state = State::Ignored;
                candidate.code = Some(Code::DefaultReplaced);
                let detail = candidate.detail_mut();
                detail.message = Some(why(kind).into());
                detail.help = None;
                (detail.line, detail.column) = (None, None);
                detail.cause = manifest.clone().map(|manifest| (manifest, None));
            }
            self.found.candidates.push(candidate);
        }
    }

    /// Tells of a default file that is out of use, unless the manifest names that very file.
    pub(super) fn replaced_file(&mut self, kind: ComponentKind, relative: &str) {
        let Ok(located) = self.plugin.inside.locate(relative) else {
            return;
        };
        if !located.is_file || self.has_seen(kind, &located.real) {
            return;
        }
        let message = format!("this file is not read: {}", why(kind));
        self.found.diagnostics.push(
            Diagnostic::new(Code::DefaultReplaced, Severity::Note, message)
                .with_path(&located.path)
                .with_subject(ComponentKind::Plugin, self.plugin.id.as_str())
                .with_help("name it in the manifest too, if it is to count"),
        );
    }

    fn manifest_path(&self) -> Option<PathBuf> {
        self.manifests.first().map(|(file, _)| file.path.clone())
    }
}

fn why(kind: ComponentKind) -> String {
    format!(
        "the plugin's manifest says where its things of the kind {kind} are, and that takes the place of the usual"
    )
}
