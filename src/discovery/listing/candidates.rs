//! The candidates that a walk leaves behind, and what is told of them.

use std::fs;
use std::io;
use std::path::Path;

use super::{Child, Walker};
use crate::discovery::judge::Refusal;
use crate::discovery::scanner::Found;
use crate::host::Entries;
use crate::model::{Candidate, Code, Diagnostic, Form, IdOrigin, Severity, State};

impl Walker<'_, '_> {
    pub(super) fn blank(&self, child: &Child, form: Form) -> Candidate {
        let mut candidate = Candidate::new(
            self.listing.spec.kind,
            form,
            self.listing.place.clone(),
            child.inner.clone().into_os_string(),
            IdOrigin::PathName,
        );
        if child.linked {
            candidate.detail_mut().symlink_target = fs::read_link(&child.path).ok();
        }
        if let Some(plugin) = self.listing.plugin {
            candidate.detail_mut().plugin = Some(plugin.into());
        }
        candidate
    }

    /// What an entry is taken for that is not looked into.
    pub(super) fn form(&self, child: &Child) -> Form {
        match self.listing.tree.entries {
            Entries::Marker(_) if child.is_dir || child.linked => Form::Directory,
            _ => Form::File,
        }
    }

    pub(super) fn ignore(&mut self, child: &Child, code: Code, message: Option<&str>) {
        let form = self.form(child);
        let mut candidate = self.blank(child, form);
        candidate.state = State::Ignored;
        candidate.code = Some(code);
        if matches!(code, Code::WrongKind | Code::WrongPlace) {
            candidate.set_id(IdOrigin::FileName);
        }
        if let Some(message) = message {
            candidate.detail_mut().message = Some(self.found.words.share(message.into()));
        }
        self.found.candidates.push(candidate);
    }

    pub(super) fn out(&mut self, mut candidate: Candidate, state: State, code: Code, message: &str) {
        candidate.state = state;
        candidate.code = Some(code);
        candidate.detail_mut().message = Some(message.into());
        self.found.candidates.push(candidate);
    }

    pub(super) fn unreadable(&mut self, candidate: Candidate, path: &Path, error: &io::Error) {
        self.found.incomplete = true;
        let message = self.found.words.share(error.to_string().into());
        let help = "make it readable, or run as a user who may read it".into();
        self.found.diagnostics.push(
            Diagnostic::new(Code::Unreadable, Severity::Error, message.clone())
                .with_path(path)
                .with_subject(candidate.kind, candidate.id())
                .with_help(self.found.words.share(help)),
        );
        self.out(candidate, State::Unreadable, Code::Unreadable, &message);
    }
}

impl Found {
    pub(super) fn tell_of(&mut self, candidate: &Candidate, path: &Path, refusal: &Refusal) {
        let message = self.words.share(refusal.message.as_str().into());
        self.diagnostics.push(
            Diagnostic::new(refusal.code, Severity::Warning, message)
                .with_path(path)
                .with_position(refusal.line, refusal.column)
                .with_subject(candidate.kind, candidate.id()),
        );
    }
}
