//! Front matter that is not valid YAML, as a host takes it that forgives some of it.

use super::judge::Refusal;
use crate::host::{BadYaml, Matter};
use crate::model::Code;
use crate::parse::Problem;
use crate::parse::front_matter::{self, FrontMatter};

/// Takes front matter that is not valid as the host takes it; says why where the host does not.
///
/// `wanted` are the further keys that are read.
pub(super) fn repair(
    matter: &Matter,
    front_matter: &mut FrontMatter,
    bytes: &[u8],
    wanted: &[&str],
) -> Option<Refusal> {
    let read_again = |text: &str| {
        let extent = front_matter::extent_between(text.as_bytes(), true, matter.fences);
        let mut again = front_matter::parse(text.as_bytes(), &extent, wanted);
        refuse_tags(matter, &mut again);
        again
    };
    refuse_tags(matter, front_matter);
    if !matter.lossy && !is_utf8_so_far(bytes) {
        return Some(Refusal::new(
            Code::NotUtf8,
            "the file is not UTF-8, and this host reads no other",
        ));
    }
    if matter.bad_yaml == BadYaml::LastLine
        && (front_matter.invalid.is_some()
            || front_matter.name.is_none()
            || front_matter.description.is_none())
    {
        let text = String::from_utf8_lossy(bytes);
        *front_matter = last_lines(&text);
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    if matter.bad_yaml == BadYaml::ColonsQuoted && text.contains(is_unprintable) {
        let why = "it has a control character, which this host refuses in front matter";
        return Some(Refusal::new(Code::BadFrontMatter, why));
    }
    // A value that YAML takes for a list or a mapping is text to this host too.
    if matter.bad_yaml == BadYaml::ValuesQuoted
        && front_matter.invalid.is_none()
        && front_matter.description_not_text
        && front_matter.description.is_none()
    {
        let again = read_again(&quoted(&text, is_worth_quoting));
        if again.invalid.is_none() {
            *front_matter = again;
        }
    }
    let mut problem = front_matter.invalid.take()?;
    if problem.code == Code::NotUtf8 {
        // The host reads replacement characters where bytes are wrong.
        *front_matter = read_again(&text);
        problem = front_matter.invalid.take()?;
    }
    let twice = problem.message.contains("given twice");
    match matter.bad_yaml {
        BadYaml::Recovered if twice => {
            let mut again = read_again(&last_of_each_key(&text));
            if again.invalid.take().is_none() {
                *front_matter = again;
            }
            None
        }
        BadYaml::Recovered | BadYaml::LastLine => None,
        BadYaml::SpecialsElseNothing => {
            // What follows the front matter is left out, since quotes may not go over its end.
            let text = match front_matter::extent_between(bytes, true, matter.fences) {
                front_matter::Extent::Closed { yaml, .. } => {
                    let yaml = String::from_utf8_lossy(bytes.get(yaml).unwrap_or_default());
                    format!("---\n{}\n---\n", yaml.strip_suffix('\n').unwrap_or(&yaml))
                }
                _ => text.into_owned(),
            };
            let mut again = read_again(&last_of_each_key(&spaced(&text)));
            if again.invalid.is_some() {
                again = read_again(&last_of_each_key(&spaced(&specials_quoted(&text))));
            }
            *front_matter = match again.invalid {
                None => again,
                Some(_) => FrontMatter::default(),
            };
            None
        }
        BadYaml::Refused => Some(refusal_of(&problem)),
        BadYaml::ValuesQuoted | BadYaml::ColonsQuoted | BadYaml::ColonsElseNothing => {
            let repaired = match matter.bad_yaml {
                BadYaml::ValuesQuoted => quoted(&text, is_worth_quoting),
                _ => quoted(&spaced(&text), has_colon),
            };
            let mut again = read_again(&repaired);
            let failed = again.invalid.take().is_some();
            if failed && matter.bad_yaml == BadYaml::ColonsElseNothing {
                *front_matter = FrontMatter::default();
                return None;
            }
            *front_matter = again;
            failed.then(|| refusal_of(&problem))
        }
    }
}

/// To most hosts a tag that is none of YAML's own is an error.
fn refuse_tags(matter: &Matter, front_matter: &mut FrontMatter) {
    let refuses = match matter.bad_yaml {
        BadYaml::LastLine | BadYaml::ColonsQuoted | BadYaml::ColonsElseNothing | BadYaml::Refused => true,
        BadYaml::Recovered | BadYaml::ValuesQuoted | BadYaml::SpecialsElseNothing => false,
    };
    if let Some(at) = front_matter.unknown_tag.filter(|_| refuses) {
        let message = "a value begins with `!`, which makes it a tag, and this host knows no such tag";
        let problem = Problem::new(Code::BadFrontMatter, Some(at), message);
        front_matter.invalid.get_or_insert(problem);
    }
}

fn refusal_of(problem: &Problem) -> Refusal {
    Refusal {
        code: problem.code,
        message: problem.message.clone(),
        line: problem.line,
        column: problem.column,
        stops: false,
    }
}

/// Whether what was read is UTF-8, but for a character that the end of the buffer cuts.
fn is_utf8_so_far(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// Characters that YAML does not allow anywhere.
fn is_unprintable(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}

/// Name and description as the last lines have them that begin with those words.
fn last_lines(text: &str) -> FrontMatter {
    let mut found = FrontMatter::default();
    let mut lines = text
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("---"))
        .peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("name:") {
            found.name = Some(name.trim().into());
        } else if let Some(first) = line.strip_prefix("description:") {
            let mut parts = vec![first.trim()];
            while let Some(more) =
                lines.next_if(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty())
            {
                parts.push(more.trim());
            }
            parts.retain(|part| !part.is_empty());
            found.description = Some(parts.join(" ").into());
        }
    }
    found
}

/// The text with quotes around the top-level values that `wanted` says of.
fn quoted(text: &str, wanted: fn(&str) -> bool) -> String {
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut fences = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            fences += 1;
        }
        let body = line.trim_end_matches(['\n', '\r']);
        let end = line.get(body.len()..).unwrap_or_default();
        let pair = body.split_once(": ").filter(|(key, value)| {
            fences == 1 && !key.starts_with([' ', '\t', '#', '-']) && wanted(value.trim())
        });
        match pair {
            Some((key, value)) => {
                let value = value.trim().replace('\'', "''");
                quoted.push_str(&format!("{key}: '{value}'{end}"));
            }
            None => quoted.push_str(line),
        }
    }
    quoted
}

/// The text with quotes around the values of plain top-level keys that have a character which means something in YAML.
fn specials_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut fences = 0;
    for line in text.split_inclusive('\n') {
        fences += usize::from(line.starts_with("---"));
        let body = line.trim_end_matches('\n');
        let pair = body
            .split_once(':')
            .filter(|_| fences == 1)
            .and_then(|(key, rest)| Some((key, rest, special_value(key, rest)?)));
        match pair {
            Some((key, rest, value)) => {
                let end = line.get(body.len()..).unwrap_or_default();
                let blanks = rest.len() - rest.trim_start().len();
                let blanks = rest.get(..blanks).unwrap_or_default();
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                quoted.push_str(&format!("{key}:{blanks}\"{value}\"{end}"));
            }
            None => quoted.push_str(line),
        }
    }
    quoted
}

/// The value behind a key, where it is one that is quoted: a carriage return at the end keeps it from being one.
fn special_value<'a>(key: &str, rest: &'a str) -> Option<&'a str> {
    let is_key = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'));
    let value = rest.trim_start();
    let within = |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    let is_special = |c: char| "{}[]*&#!|>%@`".contains(c);
    let is_one = is_key
        && value.len() < rest.len()
        && !value.contains('\r')
        && !within('"')
        && !within('\'')
        && (value.contains(is_special) || value.contains(": "));
    is_one.then_some(value)
}

/// Whether a value is not quoted and has a colon that YAML trips over.
fn has_colon(value: &str) -> bool {
    !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!'])
        && (value.contains(": ") || value.ends_with(':'))
}

/// Whether a value has a colon that YAML trips over or takes for a mapping, or begins like a list or a mapping
/// that does not end like one, or with a character that begins nothing in YAML.
fn is_worth_quoting(value: &str) -> bool {
    let is_marked = value.starts_with(['"', '\'', '|', '>', '&', '*', '!']);
    let is_open = |begins: char, ends: char| {
        value.starts_with(begins) && value.find(ends).is_none_or(|at| at + 1 != value.len())
    };
    !is_marked
        && (value.contains(": ")
            || value.ends_with(':')
            || value.starts_with(['@', '`'])
            || is_open('[', ']')
            || is_open('{', '}'))
}

/// The text with tabs at the beginning of a line as blanks.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches('\t');
        spaced.extend(std::iter::repeat_n("  ", line.len() - body.len()));
        spaced.push_str(body);
    }
    spaced
}

/// The text with only the last of the top-level entries that have one key.
fn last_of_each_key(text: &str) -> String {
    let mut entries: Vec<(Option<&str>, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let key = line
            .split_once(':')
            .map(|(key, _)| key)
            .filter(|key| !key.is_empty() && !key.starts_with([' ', '\t', '#', '-']));
        match entries.last_mut() {
            Some((_, entry)) if key.is_none() && !line.starts_with("---") => entry.push_str(line),
            _ => entries.push((key, line.to_owned())),
        }
    }
    let closing = entries
        .iter()
        .skip(1)
        .position(|(_, entry)| entry.starts_with("---"));
    let end = closing.map_or(entries.len(), |at| at + 1);
    let later = |at: usize, key: Option<&str>| {
        key.is_some()
            && entries
                .iter()
                .take(end)
                .skip(at + 1)
                .any(|(other, _)| *other == key)
    };
    entries
        .iter()
        .enumerate()
        .filter(|(at, (key, _))| *at >= end || !later(*at, *key))
        .map(|(_, (_, entry))| entry.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_key_given_twice_the_last_entry_stays() {
        let text = "---\nname: a\ntools:\n  - x\nname: b\ntools: y\n---\nname: body\nname: body\n";
        assert_eq!(
            last_of_each_key(text),
            "---\nname: b\ntools: y\n---\nname: body\nname: body\n"
        );
    }

    #[test]
    fn only_values_that_need_it_are_quoted() {
        let text = "---\na: b: c\nd: '@e'\nf: @g\n---\nh: i: j\n";
        assert_eq!(
            quoted(text, is_worth_quoting),
            "---\na: 'b: c'\nd: '@e'\nf: '@g'\n---\nh: i: j\n"
        );
        assert_eq!(
            quoted(text, has_colon),
            "---\na: 'b: c'\nd: '@e'\nf: @g\n---\nh: i: j\n"
        );
    }
}
