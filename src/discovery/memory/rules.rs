//! Directories of rules, and what a rule waits for.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::{Memory, Piece};
use crate::discovery::judge;
use crate::discovery::marker::{MarkerReader, Opened};
use crate::discovery::real_or_given;
use crate::discovery::repair::repair;
use crate::discovery::roots::place;
use crate::host::{BadYaml, MATTER, Matter, RulesDir};
use crate::model::{Code, Scope};

impl Memory<'_> {
    pub(super) fn rules_of(&mut self, dir: &Path) {
        for rules in self.spec.rules.iter().filter(|rules| rules.anchor.is_none()) {
            self.rules(rules, &dir.join(rules.folder));
        }
    }

    pub(super) fn rules_at(&mut self, rules: &RulesDir) {
        let anchor = rules
            .anchor
            .and_then(|anchor| place(anchor, self.environment, self.walk));
        if let Some(dir) = anchor {
            self.rules(rules, &dir.join(rules.folder));
        }
    }

    /// Reads a directory of rules with all below it.
    fn rules(&mut self, rules: &RulesDir, dir: &Path) {
        let Ok(real) = dir.canonicalize() else {
            return;
        };
        let mut files = Vec::new();
        let mut open = HashSet::from([real.clone()]);
        let mut todo = vec![dir.to_path_buf()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(metadata) = fs::metadata(&path) else {
                    continue;
                };
                if metadata.is_dir() {
                    if path.canonicalize().is_ok_and(|real| open.insert(real)) {
                        todo.push(path);
                    }
                } else if metadata.is_file()
                    && path
                        .extension()
                        .is_some_and(|extension| extension == rules.extension)
                {
                    files.push(path);
                }
            }
        }
        files.sort();
        let mut reader = MarkerReader::default();
        for path in files {
            let leads_out = path.canonicalize().is_ok_and(|file| {
                !file.starts_with(&real)
                    && rules.scope == Scope::Project
                    && !file.starts_with(&self.walk.start)
            });
            if leads_out {
                let why = "a link that leads out of the project, which nobody has approved";
                self.passed_over(&path, rules.scope, Code::OutsideProject, why);
                continue;
            }
            if let Some(patterns) = waits(&mut reader, &path, rules.waits_for) {
                let why = format!("it waits for work on files that match {patterns}");
                self.passed_over(&path, rules.scope, Code::OnDemand, &why);
                continue;
            }
            let within = (rules.scope == Scope::Project).then(|| self.walk.start.clone());
            self.take(Piece {
                path,
                scope: rules.scope,
                within,
            });
        }
    }
}

/// The patterns of the files that a rule waits for; none where it waits for nothing, or for everything.
fn waits(reader: &mut MarkerReader, path: &Path, key: &str) -> Option<String> {
    const RULE: Matter = Matter {
        bad_yaml: BadYaml::SpecialsElseNothing,
        ..MATTER
    };
    let wanted = [judge::WANTED, &[key]].concat();
    let Opened::Read(mut reading) = reader.read_with(&real_or_given(path), &wanted, RULE.fences) else {
        return None;
    };
    let _ = repair(&RULE, &mut reading.front_matter, reader.bytes(), &wanted);
    let field = reading
        .front_matter
        .fields
        .iter()
        .find(|field| &*field.key == key)?;
    judge::patterns_waited_for(field)
}
