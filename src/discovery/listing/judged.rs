//! What a host makes of a file that is a component: opened, judged, and what follows from it.

use std::ffi::OsString;
use std::path::Path;

use super::Walker;
use crate::discovery::config_files::read_regular;
use crate::discovery::judge::{self, Judged, Refusal};
use crate::discovery::marker::Opened;
use crate::discovery::scanner::Stop;
use crate::discovery::value_types::wrong_type;
use crate::host::{Entries, IdRule, TreeSpec};
use crate::model::{Candidate, Code, State};
use crate::parse::document::{Format, Located, Value, parse};

impl Walker<'_, '_> {
    pub(super) fn read(
        &mut self,
        mut candidate: Candidate,
        path: &Path,
        real: &Path,
        inner: &Path,
        own: Option<OsString>,
    ) {
        let tree = self.listing.tree;
        let judged = match self.reader.read_with(real, judge::WANTED, tree.matter.fences) {
            Opened::Read(reading) => {
                candidate.identity = reading.identity;
                candidate.size = reading.size;
                if tree.entries == Entries::Files("toml") {
                    match read_regular(real, true) {
                        Ok(_) if tree.matter.mark_hides && reading.has_mark => {
                            let why =
                                "a byte order mark stands before the first key, which the host does not take";
                            Judged {
                                refused: Some(Refusal::new(Code::BadConfig, why)),
                                ..Judged::default()
                            }
                        }
                        Ok(bytes) => judge_toml(tree, &bytes.unwrap_or_default()),
                        Err(error) => return self.unreadable(candidate, path, &error),
                    }
                } else {
                    judge::judge(&tree.matter, *reading, self.reader)
                }
            }
            Opened::NotRegular => {
                let why = "not a regular file, so it was not opened";
                return self.out(candidate, State::Rejected, Code::NotRegular, why);
            }
            Opened::BecameLink => {
                let why = "became a symbolic link while being read";
                return self.out(candidate, State::Rejected, Code::Symlink, why);
            }
            Opened::Refused(error) => return self.unreadable(candidate, path, &error),
        };
        let own = own.unwrap_or_default();
        let id = self.id(&judged, inner, &own.to_string_lossy(), &candidate.path_name());
        candidate.set_id(id);
        candidate.set_declared_name(judged.name);
        candidate.description = judged.description;
        let disabled = judged
            .fields
            .iter()
            .any(|field| &*field.key == "disable" && field.value.as_str() == Some("true"));
        let says = |key: &str, wanted: &[&str]| {
            judged.fields.iter().any(|field| {
                let value = field.value.as_str().map(str::to_ascii_lowercase);
                *field.key == *key && value.is_some_and(|value| wanted.contains(&&*value))
            })
        };
        let hidden_from_model =
            tree.matter.may_be_hidden && says("disable-model-invocation", &["true", "yes", "on", "1"]);
        let hidden_from_all = hidden_from_model && says("user-invocable", &["false", "no", "off", "0"]);
        if hidden_from_model {
            candidate.detail_mut().hidden_from_model = true;
        }
        let further = judged.fields.iter().find(|field| &*field.key == "when_to_use");
        if let Some(text) = further.and_then(|field| field.value.as_str())
            && tree.matter.may_be_hidden
        {
            // It follows the description after ` - `.
            candidate.detail_mut().further_description = text.chars().count() + 3;
        }
        let patterns = judged
            .fields
            .iter()
            .find(|field| *field.key == *tree.matter.waits_for)
            .and_then(judge::patterns_waited_for);
        match (judged.refused, patterns) {
            (None, Some(patterns)) => {
                let why = format!("it waits for work on files that match {patterns}");
                self.out(candidate, State::Ignored, Code::OnDemand, &why);
            }
            (None, None) if hidden_from_all => {
                let why = "its front matter hides it from the user and from the model";
                self.out(candidate, State::Disabled, Code::SwitchedOff, why);
            }
            (Some(refusal), _) => {
                let state = match refusal.code {
                    Code::NoFrontMatter => State::Ignored,
                    _ => State::Invalid,
                };
                let detail = candidate.detail_mut();
                (detail.line, detail.column) = (refusal.line, refusal.column);
                self.found.tell_of(&candidate, path, &refusal);
                if refusal.stops && self.found.stop.is_none() {
                    self.found.stop = Some(Stop {
                        path: path.to_path_buf(),
                        key: None,
                        why: refusal.message.clone(),
                    });
                }
                self.out(candidate, state, refusal.code, &refusal.message);
            }
            (None, None) if disabled && tree.id == IdRule::DeclaredElsePath("/") => {
                let why = "its front matter switches it off";
                self.out(candidate, State::Disabled, Code::SwitchedOff, why);
            }
            (None, None) => self.found.candidates.push(candidate),
        }
    }
}

/// A TOML file that defines an agent or a command: valid, with the keys that the host needs.
fn judge_toml(tree: &TreeSpec, bytes: &[u8]) -> Judged {
    let document = match parse(bytes, Format::Toml) {
        Ok(document) => document,
        Err(problem) => {
            return Judged {
                refused: Some(Refusal {
                    code: problem.code,
                    message: problem.message,
                    line: problem.line,
                    column: problem.column,
                    stops: false,
                }),
                ..Judged::default()
            };
        }
    };
    let text = |key: &str| match document.root.value.get(key).map(|found| &found.value) {
        Some(Value::String(text)) => Some(text.as_str().into()),
        _ => None,
    };
    let mut judged = Judged {
        name: text("name"),
        description: text("description"),
        ..Judged::default()
    };
    if document.root.value.get("description").is_some() && text("description").is_none() {
        judged.refused = Some(Refusal::new(
            Code::WrongType,
            "this host takes only text for a `description`",
        ));
        return judged;
    }
    let missing = tree.matter.needs_keys.iter().find(|key| text(key).is_none());
    if let Some(key) = missing {
        let code = match *key {
            "name" => Code::MissingName,
            "description" => Code::MissingDescription,
            _ => Code::BadConfig,
        };
        judged.refused = Some(Refusal::new(
            code,
            format!("this host needs a `{key}` that is text"),
        ));
        return judged;
    }
    judged.refused = odd_key(tree, &document.root);
    judged
}

/// A key that the host does not know in such a file, or whose value is nothing for it.
fn odd_key(tree: &TreeSpec, root: &Located) -> Option<Refusal> {
    let types = tree.matter.toml_types;
    for entry in root.value.entries().iter().filter(|_| !types.is_empty()) {
        let at = entry.key_position;
        let (code, why) = match types.iter().find(|(key, _)| *key == entry.key) {
            None => (
                Code::BadConfig,
                format!("this host refuses a key that it does not know: `{}`", entry.key),
            ),
            Some((key, takes)) => match wrong_type(root, key, *takes) {
                Some(what) => (Code::WrongType, format!("`{key}` must be {what}")),
                None => continue,
            },
        };
        return Some(Refusal {
            line: Some(at.line),
            column: Some(at.column),
            ..Refusal::new(code, why)
        });
    }
    None
}
