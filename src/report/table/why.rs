//! `why`: the answer of a colleague who knows. First what is in effect, then each other one: what became of it,
//! by which rule, and what to change to make it win.

use std::io::{self, Write};
use std::path::Path;

use super::entries::Entry;
use super::layout::Line;
use super::paint::Paint;
use super::prose::Prose;
use super::scan::{Listing, as_loaded, expected, in_place};
use super::{Detail, Look, advice, roots, words};
use crate::model::{CandidateRef, Chain, Rule, State};
use crate::report::{PathFate, Question, WhyReport, escape};

/// What belongs to an entry stands behind this.
const INDENT: &str = "  ";

/// Writes the answer of `why`.
///
/// # Errors
///
/// What the writer answers.
pub fn why(report: &WhyReport, look: &Look, writer: &mut dyn Write) -> io::Result<()> {
    let answer = Answer { report, look };
    match &report.question {
        Question::Path { path, .. } => answer.fate(path, writer)?,
        Question::Name(name) => answer.headline(name, writer)?,
    }
    if matches!(report.fate, Some(PathFate::ComponentDirectory | PathFate::Root)) {
        return answer.listing(writer);
    }
    let mut is_first = look.quiet;
    let several = report.scan.chains().nth(1).is_some();
    for chain in report.scan.chains() {
        if !std::mem::take(&mut is_first) {
            writeln!(writer)?;
        }
        if several || matches!(report.question, Question::Path { .. }) {
            Prose::new(look)
                .painted(Paint::Heading, &words::capital(words::kind(chain.kind())))
                .painted(Paint::Heading, &format!("`{}`", escape::visible(&chain.id())))
                .write(writer, "", INDENT)?;
        }
        answer.chain(chain, writer)?;
    }
    if report.meant.is_empty() {
        answer.nothing(writer)?;
    }
    Ok(())
}

struct Answer<'a> {
    report: &'a WhyReport,
    look: &'a Look,
}

impl<'a> Answer<'a> {
    fn prose(&self) -> Prose<'a> {
        Prose::new(self.look)
    }

    /// What the question was about, and where.
    fn headline(&self, name: &str, writer: &mut dyn Write) -> io::Result<()> {
        let context = &self.report.scan.context;
        let chains: Vec<Chain<'_>> = self.report.scan.chains().take(10).collect();
        // That there is nothing is the answer itself.
        if self.look.quiet && !chains.is_empty() {
            return Ok(());
        }
        let prose = match chains.as_slice() {
            [] => self
                .prose()
                .painted(Paint::Heading, "Nothing is called")
                .name(name),
            [chain] => self
                .prose()
                .painted(Paint::Heading, &words::capital(words::kind(chain.kind())))
                .name(&chain.id()),
            several => {
                let what: Vec<String> = several.iter().map(|chain| words::a_kind(chain.kind())).collect();
                self.prose().name(name).glue(&format!(": {}", words::list(&what)))
            }
        };
        in_place(context, prose, self.look).write(writer, "", INDENT)
    }

    /// What became of a path, before anything else.
    fn fate(&self, path: &Path, writer: &mut dyn Write) -> io::Result<()> {
        let message = self.report.message.as_deref().unwrap_or_default();
        // What is in effect in any chain is in effect, as the exit code says.
        let mut named: Vec<(Chain<'_>, CandidateRef<'_>)> = self.meant().collect();
        named.sort_by_key(|(_, candidate)| !candidate.state.is_in_effect());
        let mut prose = self.prose().painted_path(Paint::Heading, path);
        prose = match (self.report.fate, named.as_slice()) {
            (Some(PathFate::Candidate), [(chain, candidate), ..]) => {
                let in_effect = candidate.state.is_in_effect();
                let is = if in_effect {
                    "is in effect"
                } else {
                    "is not in effect"
                };
                let prose = as_loaded(&self.report.scan.context, prose.say(is))
                    .glue(&format!(": it is the {}", words::kind(chain.kind())))
                    .name(&chain.id());
                let prose = if in_effect {
                    prose
                } else {
                    prose
                        .glue(",")
                        .painted(words::paint(candidate.state), candidate.state.as_str())
                };
                prose.glue(".")
            }
            (Some(PathFate::InsideCandidate), _) => {
                prose.say("defines nothing itself:").say(message).glue(".")
            }
            (Some(PathFate::ComponentDirectory | PathFate::Root), _) => {
                prose.glue(":").say(message).glue(".")
            }
            (Some(PathFate::NotRead), _) => prose.say("is not read:").say(message).glue("."),
            (Some(PathFate::Missing), _) => prose.say("is not there: there is no such file or directory."),
            (Some(PathFate::Unreadable), _) => prose
                .say("cannot be looked at:")
                .say(message)
                .glue("; what is there is not known."),
            (Some(PathFate::Candidate) | None, _) => prose.say(message),
        };
        prose.write(writer, "", INDENT)
    }

    /// The candidates that the question named.
    fn meant(&self) -> impl Iterator<Item = (Chain<'a>, CandidateRef<'a>)> {
        let resolution = &self.report.scan.resolution;
        self.report.meant.iter().filter_map(|(place, index)| {
            let chain = resolution.chain(*resolution.spans.get(*place)?);
            Some((chain, chain.get(*index)?))
        })
    }

    /// What a directory holds, as a list.
    fn listing(&self, writer: &mut dyn Write) -> io::Result<()> {
        Listing {
            report: &self.report.scan,
            detail: Detail::Everything,
            look: self.look,
        }
        .write(true, writer)
        .map(drop)
    }

    /// Everything about one name of one kind.
    fn chain(&self, chain: Chain<'_>, writer: &mut dyn Write) -> io::Result<()> {
        if let Some(winner) = chain.winner() {
            self.winner(chain, winner, writer)?;
        } else {
            self.prose()
                .say("Nothing of this name is in effect.")
                .write(writer, "", "")?;
        }
        for (index, candidate) in (0..).zip(chain.candidates()) {
            if Some(index) != chain.winner_index() {
                writeln!(writer)?;
                self.other(chain, index, candidate, writer)?;
            }
        }
        let keep_all = advice::to_keep_all(chain, self.look);
        if !keep_all.is_empty() {
            writeln!(writer)?;
        }
        keep_all.write(writer, "", INDENT)
    }

    fn winner(&self, chain: Chain<'_>, winner: CandidateRef<'_>, writer: &mut dyn Write) -> io::Result<()> {
        self.title(winner, writer)?;
        let others = chain.candidates().filter(|other| other.state.is_loser()).count();
        let passed_over = chain
            .candidates()
            .any(|other| other.state.is_out_of_the_running());
        let mut prose = self.prose().say(&format!(
            "From {}, priority {}.",
            words::origin_in_words(winner),
            winner.priority()
        ));
        if winner.state == State::Additive {
            prose = prose.say("It has the last word: what it sets overrides what the others set.");
        }
        if let Some(rules) = beaten_by(chain) {
            let number = u64::try_from(others).unwrap_or(u64::MAX);
            prose = prose.say(&format!(
                "It wins over {}: {rules}.",
                words::count(number, "other", "others")
            ));
        } else if passed_over {
            prose = prose.say("It is the only valid one of this name.");
        } else if winner.state != State::Additive {
            prose = prose.say("It is the only one of this name.");
        }
        prose.write(writer, INDENT, INDENT)?;
        self.names(winner, writer)?;
        if let Some(description) = &winner.description {
            self.description(description, writer)?;
        }
        Ok(())
    }

    /// `In effect: /p/.aleph/skills/deploy/SKILL.md`.
    fn title(&self, candidate: CandidateRef<'_>, writer: &mut dyn Write) -> io::Result<()> {
        let label = words::label(candidate.state);
        let path = candidate.marker().unwrap_or_else(|| candidate.path());
        let paint = match words::paint(candidate.state) {
            Paint::Winner => Paint::Winner,
            Paint::Bad => Paint::Bad,
            Paint::Warning => Paint::Warning,
            Paint::Plain | Paint::Faint | Paint::Heading => Paint::Heading,
        };
        self.prose()
            .painted(paint, &format!("{label}:"))
            .painted_path(
                if paint == Paint::Winner {
                    paint
                } else {
                    Paint::Plain
                },
                &path,
            )
            .write(writer, "", INDENT)
    }

    /// Where the id is not what the path says.
    fn names(&self, candidate: CandidateRef<'_>, writer: &mut dyn Write) -> io::Result<()> {
        let (id, path_name) = (candidate.id(), candidate.path_name());
        let is_declared = candidate.declared_name().is_some_and(|name| name.trim() == id);
        if id == path_name || !is_declared {
            return Ok(());
        }
        self.prose()
            .say("It goes by the name that it declares,")
            .name(&id)
            .glue(", not by its path's,")
            .name(&path_name)
            .glue(".")
            .write(writer, INDENT, INDENT)
    }

    /// A stranger's description, at most two lines of it where lines have a width.
    fn description(&self, description: &str, writer: &mut dyn Write) -> io::Result<()> {
        let text = escape::prose(description);
        if text.is_empty() {
            return Ok(());
        }
        let room = self
            .look
            .width
            .map(|width| width.saturating_sub(INDENT.len() + 2).max(20) * 2 - 20);
        self.prose()
            .painted(
                Paint::Faint,
                &format!("\u{201c}{}\u{201d}", shortened(&text, room)),
            )
            .write(writer, INDENT, INDENT)
    }

    /// A candidate that is not the winner.
    fn other(
        &self,
        chain: Chain<'_>,
        index: u32,
        candidate: CandidateRef<'_>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        self.title(candidate, writer)?;
        self.reason(chain, candidate, writer)?;
        self.names(candidate, writer)?;
        if candidate.state == State::Shadowed {
            advice::to_win(&self.report.scan, chain, index, candidate, self.look)
                .write(writer, INDENT, INDENT)?;
        }
        if candidate.state.is_out_of_the_running() {
            let mend = advice::to_mend(&self.report.scan, candidate).unwrap_or_default();
            let then = advice::once_mended(chain, index, candidate).unwrap_or_default();
            self.prose().say(&mend).say(then).write(writer, INDENT, INDENT)?;
        }
        Ok(())
    }

    /// What became of a candidate, in a sentence, with the id to look it up by.
    fn reason(
        &self,
        chain: Chain<'_>,
        candidate: CandidateRef<'_>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let detail = candidate.candidate().detail.as_deref();
        let rule = candidate
            .rule
            .map(|rule| format!("{} ({rule}).", words::rule(rule)))
            .unwrap_or_default();
        let prose = self.prose();
        let prose = match candidate.state {
            State::Identical => prose.say(
                "Its bytes equal the winner's, so it makes no difference which of them is read. The other one wins since",
            )
            .say(&rule)
            .say("Nothing to do; delete one of them to have one less to look after."),
            State::Alias => {
                let same = detail.and_then(|detail| chain.get(detail.alias_of?));
                let same = same.or_else(|| chain.winner());
                let prose = prose.say("It is the same real file as");
                let prose = match same {
                    Some(same) => prose.path(&same.marker().unwrap_or_else(|| same.path())),
                    None => prose.say("another one"),
                };
                prose
                    .glue(", reached by another path: an edit of one is an edit of both. Nothing to do.")
                    .say("That path wins since")
                    .say(&rule)
            }
            State::Shadowed => prose.say(&words::capital(&rule)),
            State::Active | State::Additive | State::Namespaced => {
                prose.say("It is in effect, too:").say(&rule)
            }
            State::Disabled
            | State::Untrusted
            | State::Invalid
            | State::Rejected
            | State::Ignored
            | State::Unreadable => {
                let code = candidate.code;
                let words = self
                    .report
                    .scan
                    .message(candidate)
                    .or_else(|| code.map(words::code))
                    .unwrap_or("it is not in effect");
                let mut prose = prose.say(&position(candidate)).say(&words::capital(words));
                if let Some(code) = code {
                    prose = prose.say(&format!("({code})"));
                }
                if let Some(target) = detail.and_then(|detail| detail.symlink_target.as_deref()) {
                    prose = prose.glue("; it points at").path(target);
                }
                prose.glue(".")
            }
        };
        prose.write(writer, INDENT, INDENT)
    }

    /// Nothing has the name, or the path: what may have been meant, and where was looked.
    fn nothing(&self, writer: &mut dyn Write) -> io::Result<()> {
        let scan = &self.report.scan;
        let mut like: Vec<Entry> = Vec::new();
        for chain in scan.resolution.chains() {
            let id = chain.id();
            if !self.report.suggestions.iter().any(|name| *name == id) {
                continue;
            }
            let Some(candidate) = chain.winner().or_else(|| chain.get(0)) else {
                continue;
            };
            let path = candidate.path();
            let state = match (candidate.state, candidate.code) {
                (State::Active, _) => "in effect".to_owned(),
                (state, Some(code)) => format!("{state}, {code}"),
                (state, None) => state.to_string(),
            };
            like.push(Entry {
                label: Line::new(Paint::Heading, format!("{INDENT}{}", escape::visible(&id))),
                path: Line {
                    text: self.look.path(&path),
                    paint: Paint::Plain,
                    url: self.look.target(&path),
                },
                note: Line::new(Paint::Faint, format!("{}, {state}", words::kind(chain.kind()))),
                note_is_optional: false,
            });
        }
        if !like.is_empty() {
            writeln!(writer, "\nThere is, under a like name:")?;
            return roots::write_all(&like, self.look, writer);
        }
        if matches!(self.report.question, Question::Name(_)) {
            writeln!(writer, "\nThese roots were looked at, highest priority first:")?;
            roots::list(&scan.context, &scan.resolution.roots, self.look, writer)?;
            writeln!(writer)?;
            expected(scan.context.profile, &scan.kinds, self.look, writer)?;
        }
        Ok(())
    }
}

/// The rules by which a winner beats the others, each once, in words; none if it beats none.
fn beaten_by(chain: Chain<'_>) -> Option<String> {
    let mut rules: Vec<Rule> = Vec::new();
    for rule in chain
        .candidates()
        .filter(|candidate| candidate.state.is_loser())
        .filter_map(|candidate| candidate.rule)
    {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules.sort_unstable();
    let clauses: Vec<&str> = rules.into_iter().map(words::rule).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// `Line 3, column 14:`.
fn position(candidate: CandidateRef<'_>) -> String {
    let detail = candidate.candidate().detail.as_deref();
    match detail.map(|detail| (detail.line, detail.column)) {
        Some((Some(line), Some(column))) => format!("Line {line}, column {column}:"),
        Some((Some(line), None)) => format!("Line {line}:"),
        _ => String::new(),
    }
}

/// The beginning of a text, cut between words with an ellipsis, if there is less room than it takes.
fn shortened(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|room| super::layout::width(text) > *room) else {
        return text.to_owned();
    };
    let mut short = String::new();
    for word in text.split(' ') {
        if super::layout::width(&short) + 1 + super::layout::width(word) > room {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short.push('\u{2026}');
    short
}
