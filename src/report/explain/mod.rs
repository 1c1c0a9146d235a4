//! `explain`: a page for every word that the program prints as a code.
//!
//! The pages are data in the files beside this one. Each file ends in a function that matches every variant of one
//! enum, so a new rule, state or code does not compile before it has its page. Tables, JSON and `docs/rules.md` are
//! made from the same pages, and a test builds the trees of their examples and looks whether the code shows.

mod config;
mod entries;
mod front_matter;
mod host_codes;
mod host_rules;
mod manifests;
mod mcp;
mod places;
mod plugins;
mod rules;
mod states;
mod tools;
mod trouble;
mod view;

pub use view::{ExampleView, ExplainListView, ExplainView, PageView, Verdict};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ErrorCode, PathFate};
use crate::discovery::WalkStop;
use crate::model::{ChainState, Code, RootReason, RootStatus, Rule, State};

/// What kind of word a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    /// Why something sound does not count, or why the walk ended.
    Rule,
    /// What became of something.
    State,
    /// What is wrong, or worth saying.
    Diagnostic,
}

impl PageKind {
    /// Every kind, in the order in which pages are listed.
    pub const ALL: [Self; 3] = [Self::Rule, Self::State, Self::Diagnostic];

    /// The name used in JSON and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::State => "state",
            Self::Diagnostic => "diagnostic",
        }
    }
}

/// What a code is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// An entry: one candidate of a chain.
    Entry,
    /// A chain: all entries of one kind and name.
    Chain,
    /// A root, or one of its component directories.
    Root,
    /// The walk upward from the working directory.
    Walk,
    /// A path that `why` was asked about.
    Path,
    /// A finding.
    Finding,
    /// A question that could not be answered.
    Failure,
}

impl Said {
    /// The word in a sentence: "said of an entry".
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Entry => "an entry",
            Self::Chain => "a chain",
            Self::Root => "a root",
            Self::Walk => "the walk",
            Self::Path => "a path",
            Self::Finding => "a finding",
            Self::Failure => "a failure",
        }
    }
}

/// Which part of the discovery rules a page comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Roots,
    Walk,
    Scanner,
    FrontMatter,
    Chains,
    Config,
    Plugins,
    Tools,
    Disclosure,
    Mcp,
    CommandLine,
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    Hosts,
}

impl Source {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Roots => "discovery rules of Aleph: roots and priorities",
            Self::Walk => "discovery rules of Aleph: the upward walk",
            Self::Scanner => "discovery rules of Aleph: the scanner",
            Self::FrontMatter => "discovery rules of Aleph: front matter, names and ids",
            Self::Chains => "discovery rules of Aleph: states and chains",
            Self::Config => "discovery rules of Aleph: configuration files",
            Self::Plugins => "discovery rules of Aleph: plugins",
            Self::Tools => "tools on demand: the catalogue",
            Self::Disclosure => "tools on demand: staged and triggered disclosure",
            Self::Mcp => "MCP servers: configuration and consent",
            Self::CommandLine => "command line of aleph-discover: exit codes",
            Self::ClaudeCode => "observed on Claude Code 2.1.332",
            Self::Codex => "observed on Codex 0.171.0",
            Self::Gemini => "observed on Gemini CLI 0.61.0",
            Self::Opencode => "observed on opencode 1.18.33",
            Self::Hosts => "observed on the hosts that it is said of; docs/hosts.md has their versions",
        }
    }
}

/// A small tree of files that shows a code, or how to do without it.
///
/// Each line of the text that is not indented is a path, below `~` or below a project `shop` that is a git
/// repository; `path/` is a directory, `path -> target` a link, and what is indented below a path is what the file
/// holds. `$` begins a command, two blanks and `#` a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// What it shows, in a few words.
    pub title: &'static str,
    /// The tree.
    pub text: &'static str,
}

/// What is to be said of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// What kind of word it is.
    pub kind: PageKind,
    /// One line without a full stop.
    pub title: &'static str,
    /// The same as a clause that can follow "because"; empty for what is never a reason.
    pub clause: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Why it is so.
    pub why: &'static str,
    /// What to do; empty where there is nothing to be done.
    pub remedy: &'static str,
    /// How people come to meet it, or what they hoped for.
    pub bad: Example,
    /// How it is meant to be.
    pub good: Example,
    /// Whether this version says it of anything; false for a word that is kept for what is still to come.
    pub in_use: bool,
    source: Source,
}

impl Page {
    /// Where the rule is laid down, in words.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source.in_words()
    }

    /// The same as a sentence.
    #[must_use]
    pub fn basis(&self) -> String {
        let source = self.source();
        if source.starts_with("observed ") {
            format!("As {source}.")
        } else {
            format!("Laid down in the {source}.")
        }
    }

    /// Its text, paragraph by paragraph: meaning, why, what to do.
    #[must_use]
    pub fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs = vec![self.meaning.to_owned(), format!("Why: {}", self.why)];
        if !self.remedy.is_empty() {
            paragraphs.push(format!("What to do: {}", self.remedy));
        }
        if !self.in_use {
            paragraphs
                .push("This version says it of nothing: the word is kept for what is to come.".to_owned());
        }
        paragraphs
    }
}

/// A page about plugins: title and clause, meaning, why, remedy, and what is bad and good, each title and tree.
const fn about_plugins(
    kind: PageKind,
    (title, clause): (&'static str, &'static str),
    (meaning, why, remedy): (&'static str, &'static str, &'static str),
    bad: (&'static str, &'static str),
    good: (&'static str, &'static str),
) -> Page {
    Page {
        kind,
        title,
        clause,
        meaning,
        why,
        remedy,
        bad: Example {
            title: bad.0,
            text: bad.1,
        },
        good: Example {
            title: good.0,
            text: good.1,
        },
        in_use: true,
        source: Source::Plugins,
    }
}

/// A word that the program prints as a code, as the type that it is printed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Why an entry loses or coexists.
    Rule(Rule),
    /// What became of an entry.
    State(State),
    /// What is wrong with an entry, or what a finding is about.
    Code(Code),
    /// Whether a chain has a winner.
    Chain(ChainState),
    /// What came of looking at a root.
    RootStatus(RootStatus),
    /// Why a root was not read.
    RootReason(RootReason),
    /// Why the walk ended.
    WalkStop(WalkStop),
    /// What a path is to the host.
    Fate(PathFate),
    /// Why a question could not be answered.
    Error(ErrorCode),
}

impl Topic {
    /// Every topic; those of one word stand for one page.
    pub fn all() -> impl Iterator<Item = Self> {
        let rules = Rule::ALL.into_iter().map(Self::Rule);
        rules
            .chain(State::ALL.into_iter().map(Self::State))
            .chain(Code::ALL.into_iter().map(Self::Code))
            .chain(ChainState::ALL.into_iter().map(Self::Chain))
            .chain(RootStatus::ALL.into_iter().map(Self::RootStatus))
            .chain(RootReason::ALL.into_iter().map(Self::RootReason))
            .chain(WalkStop::ALL.into_iter().map(Self::WalkStop))
            .chain(PathFate::ALL.into_iter().map(Self::Fate))
            .chain(ErrorCode::ALL.into_iter().map(Self::Error))
    }

    /// The word as it is printed.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.as_str(),
            Self::State(state) => state.as_str(),
            Self::Code(code) => code.as_str(),
            Self::Chain(state) => state.as_str(),
            Self::RootStatus(status) => status.as_str(),
            Self::RootReason(reason) => reason.as_str(),
            Self::WalkStop(stop) => stop.as_str(),
            Self::Fate(fate) => fate.as_str(),
            Self::Error(code) => code.as_str(),
        }
    }

    /// Its page.
    #[must_use]
    pub const fn page(self) -> &'static Page {
        match self {
            Self::Rule(rule) => rules::page(rule),
            Self::State(state) => states::page(state),
            Self::Code(code) => entries::page(code),
            Self::Chain(state) => places::chain(state),
            Self::RootStatus(status) => places::status(status),
            Self::RootReason(reason) => places::reason(reason),
            Self::WalkStop(stop) => places::stop(stop),
            Self::Fate(fate) => places::fate(fate),
            Self::Error(code) => trouble::error(code),
        }
    }

    const fn said_of(self) -> Said {
        match self {
            Self::Rule(_) | Self::State(_) => Said::Entry,
            Self::Code(_) => Said::Finding,
            Self::Chain(_) => Said::Chain,
            Self::RootStatus(_) | Self::RootReason(_) => Said::Root,
            Self::WalkStop(_) => Said::Walk,
            Self::Fate(_) => Said::Path,
            Self::Error(_) => Said::Failure,
        }
    }
}

/// A code with its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The word as it is printed.
    pub code: &'static str,
    /// What is to be said of it.
    pub page: &'static Page,
    /// What it is said of.
    pub said_of: Vec<Said>,
}

/// Every code with its page, by kind and in the order of the types; a word that is printed in several places is
/// there once.
#[must_use]
pub fn explanations() -> Vec<Explanation> {
    let mut all: Vec<Explanation> = Vec::new();
    for topic in Topic::all() {
        let said = topic.said_of();
        match all.iter_mut().find(|known| known.code == topic.code()) {
            Some(known) if known.said_of.contains(&said) => {}
            Some(known) => known.said_of.push(said),
            None => all.push(Explanation {
                code: topic.code(),
                page: topic.page(),
                said_of: vec![said],
            }),
        }
    }
    all.sort_by_key(|explanation| explanation.page.kind);
    all
}

/// The explanation of a code.
#[must_use]
pub fn explain(code: &str) -> Option<Explanation> {
    explanations()
        .into_iter()
        .find(|explanation| explanation.code == code)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_word_has_one_page_wherever_it_is_printed() {
        let mut pages: HashMap<&str, &Page> = HashMap::new();
        for topic in Topic::all() {
            let page = topic.page();
            let known = pages.entry(topic.code()).or_insert(page);
            assert!(std::ptr::eq(*known, page), "{} has two pages", topic.code());
        }
        assert_eq!(explanations().len(), pages.len());
    }

    #[test]
    fn pages_are_whole_and_alike() {
        for Explanation { code, page, .. } in explanations() {
            for text in [page.meaning, page.why] {
                assert!(text.ends_with('.') && text.len() > 20, "{code}: {text}");
            }
            assert!(page.remedy.is_empty() || page.remedy.ends_with('.'), "{code}");
            for line in [page.title, page.bad.title, page.good.title] {
                assert!(
                    !line.is_empty() && !line.ends_with('.') && line.len() < 90,
                    "{code}: {line}"
                );
                assert!(
                    line.starts_with(|first: char| !first.is_lowercase()),
                    "{code}: {line}"
                );
            }
            for example in [page.bad, page.good] {
                assert!(
                    !example.text.ends_with('\n') && example.text.lines().all(|line| line.len() <= 90),
                    "{code}"
                );
            }
            for text in [page.meaning, page.why, page.remedy] {
                assert!(!text.contains("  ") && !text.contains('\n'), "{code}: {text}");
            }
        }
    }

    #[test]
    fn every_page_is_found_by_its_code() {
        for known in explanations() {
            assert_eq!(explain(known.code), Some(known));
        }
        assert_eq!(explain("native"), None);
    }
}
