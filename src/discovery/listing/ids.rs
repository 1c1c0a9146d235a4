//! The id that a component goes by: from its path, from what it declares, or from both.

use std::path::Path;

use super::Walker;
use crate::discovery::judge::Judged;
use crate::host::{Entries, IdRule};
use crate::model::IdOrigin;

impl Walker<'_, '_> {
    /// The id of what lies at `inner` below its component directory; `path_name` is the name that its path alone gives.
    pub(super) fn id(&self, judged: &Judged, inner: &Path, own: &str, path_name: &str) -> IdOrigin {
        let tree = self.listing.tree;
        let path_id = |separator: &str| {
            let stem = match tree.entries {
                Entries::Files(_) => inner.with_extension(""),
                Entries::Marker(_) => inner.to_path_buf(),
            };
            let parts: Vec<String> = stem
                .components()
                .map(|part| self.cleaned(&part.as_os_str().to_string_lossy()))
                .collect();
            parts.join(separator)
        };
        let declared = judged.name.as_deref().filter(|_| tree.id != IdRule::Folder);
        let id = match (tree.id, declared) {
            (IdRule::Path(_), _) if matches!(tree.entries, Entries::Marker(marker) if inner == Path::new(marker)) => {
                own.to_owned()
            }
            (IdRule::Path(separator), _) => path_id(separator),
            (IdRule::FoldersThenDeclared(separator), name) => {
                let name = name.unwrap_or(own);
                let mut parts: Vec<String> = inner
                    .parent()
                    .into_iter()
                    .flat_map(Path::components)
                    .map(|part| part.as_os_str().to_string_lossy().into_owned())
                    .collect();
                parts.push(name.to_owned());
                parts.join(separator)
            }
            (IdRule::Declared | IdRule::DeclaredElsePath(_), Some(name)) => self.cleaned(name),
            (IdRule::DeclaredElsePath(separator), None) => path_id(separator),
            (IdRule::Declared | IdRule::Folder, _) => own.replace(tree.cleaned, "-"),
        };
        match self.listing.plugin {
            Some(plugin) => IdOrigin::Derived(format!("{plugin}:{id}").into()),
            None if id == path_name => IdOrigin::PathName,
            None => IdOrigin::Derived(id.into()),
        }
    }

    fn cleaned(&self, name: &str) -> String {
        let tree = self.listing.tree;
        if let IdRule::Path(":") = tree.id
            && tree.entries == Entries::Files("toml")
        {
            return clean_segment(name);
        }
        name.replace(tree.cleaned, "-")
    }
}

/// One part of a command's name: everything but letters, digits, `_`, `-` and `.` becomes `_`; cut at 50.
fn clean_segment(name: &str) -> String {
    let clean: String = name
        .encode_utf16()
        .map(|unit| match char::from_u32(u32::from(unit)) {
            Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') => c,
            _ => '_',
        })
        .collect();
    match clean.get(..47) {
        Some(beginning) if clean.len() > 50 => format!("{beginning}..."),
        _ => clean,
    }
}
