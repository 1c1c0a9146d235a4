//! Reading the YAML of front matter from the parser's events.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;

use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span, Tag};

use super::diagnose::{self, shown};
use super::scalar::{ScalarKind, plain_kind};
use super::{Field, FieldValue, FrontMatter, Position, Problem, to_u32};
use crate::model::Code;

/// How deep lists, and mappings too, may be nested; real front matter has three levels.
pub(super) const MAX_DEPTH: usize = 64;

/// How much there may be once every alias is replaced by what it stands for.
///
/// Nothing here replaces them, but a host that does would not get through. Without aliases, 64 KiB of YAML
/// cannot hold as much.
const MAX_EXPANDED: Size = Size {
    values: 100_000,
    bytes: 1024 * 1024,
};

/// Reads the front matter's mapping, or says why it is not valid YAML.
pub(super) fn read(text: &str, first_line: u32, wanted: &[&str]) -> Result<FrontMatter, Problem> {
    let mut options = Options::default();
    // Another dependency may switch comments on for everyone; nobody reads them here.
    options.set_emit_comments(false);
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut reader = Reader {
        first_line,
        wanted,
        found: FrontMatter::default(),
        target: Target::Nothing,
        open: Vec::new(),
        anchors: HashMap::new(),
        size: Size::default(),
        documents: 0,
    };
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|error| diagnose::syntax_error(text, first_line, &error))?;
        reader.take(event, span)?;
    }
    Ok(reader.found)
}

/// How much YAML stands for, with aliases replaced.
#[derive(Clone, Copy, Default)]
struct Size {
    values: u64,
    bytes: u64,
}

impl Size {
    fn of_scalar(text: &str) -> Self {
        Self {
            values: 1,
            bytes: text.len() as u64,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_sub(other.values),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

/// What the next value of the outermost mapping is for.
#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Name,
    Description,
    /// Index into the keys that the caller asked for.
    Wanted(usize),
}

/// A value as far as it is kept.
#[derive(Clone)]
enum Value<'input> {
    Scalar(Cow<'input, str>, ScalarKind),
    List(Vec<Box<str>>),
    Mapping,
}

/// What an anchor marks.
struct Anchor<'input> {
    value: Value<'input>,
    size: Size,
}

/// A key, and whether it is text: `1` and `"1"` are two keys.
type Key<'input> = (Cow<'input, str>, bool);

enum Inside<'input> {
    List {
        /// The items, where somebody wants them.
        items: Option<Vec<Box<str>>>,
    },
    Mapping {
        /// The keys so far and the lines that they are in.
        keys: HashMap<Key<'input>, u32>,
        /// Whether a key was read and its value comes next.
        value_next: bool,
    },
}

/// Where the tags of YAML itself begin.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// The types of YAML 1.1.
const KNOWN_TAGS: [&str; 13] = [
    "str",
    "int",
    "float",
    "bool",
    "null",
    "seq",
    "map",
    "merge",
    "timestamp",
    "binary",
    "omap",
    "pairs",
    "set",
];

/// A list or mapping that is not closed yet.
struct Open<'input> {
    inside: Inside<'input>,
    anchor: usize,
    /// What was counted before it was opened.
    size_before: Size,
    /// Index of the field that its items are for.
    field: Option<usize>,
}

struct Reader<'input, 'wanted> {
    first_line: u32,
    wanted: &'wanted [&'wanted str],
    found: FrontMatter,
    target: Target,
    open: Vec<Open<'input>>,
    anchors: HashMap<usize, Anchor<'input>>,
    size: Size,
    documents: usize,
}

impl<'input> Reader<'input, '_> {
    fn take(&mut self, event: Event<'input>, span: Span) -> Result<(), Problem> {
        let at = self.position(span);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(bad(at, "a second YAML document begins here")
                        .with_help("remove the `---` or `...`, or take out what follows it on its line"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.note_tag(tag.as_deref(), at);
                let kind = scalar_kind(&text, style, tag.as_deref());
                let size = Size::of_scalar(&text);
                self.count(size, at)?;
                if anchor != 0 {
                    let value = Value::Scalar(text.clone(), kind);
                    self.anchors.insert(anchor, Anchor { value, size });
                }
                self.scalar(text, kind, at)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.note_tag(tag.as_deref(), at);
                self.open(Value::List(Vec::new()), anchor, at)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.note_tag(tag.as_deref(), at);
                self.open(Value::Mapping, anchor, at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at)?,
            // The rest says nothing about values.
            _ => {}
        }
        Ok(())
    }

    fn note_tag(&mut self, tag: Option<&Tag>, at: Position) {
        let is_known = |tag: &Tag| {
            // `!` alone says that the value is text.
            let is_bare = matches!((tag.handle(), tag.suffix()), ("", "!") | ("!", ""));
            is_bare
                || tag
                    .suffix_in_namespace(YAML_TAGS)
                    .is_some_and(|name| KNOWN_TAGS.contains(&&*name))
        };
        if tag.is_some_and(|tag| !is_known(tag)) {
            self.found.unknown_tag.get_or_insert(at);
        }
    }

    fn position(&self, span: Span) -> Position {
        Position {
            line: self
                .first_line
                .saturating_add(to_u32(span.start.line()))
                .saturating_sub(1),
            column: to_u32(span.start.col()).saturating_add(1),
        }
    }

    fn count(&mut self, size: Size, at: Position) -> Result<(), Problem> {
        self.size = self.size.plus(size);
        if self.size.values > MAX_EXPANDED.values || self.size.bytes > MAX_EXPANDED.bytes {
            return Err(bad(
                at,
                "the aliases stand for far more than the front matter could hold",
            )
            .with_help("write the values out instead of repeating them with `*`"));
        }
        Ok(())
    }

    fn scalar(&mut self, text: Cow<'input, str>, kind: ScalarKind, at: Position) -> Result<(), Problem> {
        let outermost = self.open.len() == 1;
        match self.open.last_mut().map(|open| &mut open.inside) {
            // An empty document is a mapping without entries.
            None if kind == ScalarKind::Null && text.is_empty() => {}
            None => self.not_a_mapping("a single value", at),
            Some(Inside::List { items }) => {
                if let Some(items) = items
                    && kind != ScalarKind::Null
                {
                    items.push(text.into());
                }
            }
            Some(Inside::Mapping { keys, value_next }) if !*value_next => {
                *value_next = true;
                if outermost {
                    self.target = match &*text {
                        "name" => Target::Name,
                        "description" => Target::Description,
                        other => self
                            .wanted
                            .iter()
                            .position(|wanted| *wanted == other)
                            .map_or(Target::Nothing, Target::Wanted),
                    };
                }
                match keys.entry((text, kind == ScalarKind::Text)) {
                    Entry::Vacant(free) => {
                        free.insert(at.line);
                    }
                    Entry::Occupied(taken) => {
                        let key = shown(&taken.key().0);
                        return Err(bad(
                            at,
                            format!(
                                "the key `{key}` is given twice; it is also in line {}",
                                taken.get()
                            ),
                        )
                        .with_help("remove or rename one of the two"));
                    }
                }
            }
            Some(Inside::Mapping { value_next, .. }) => {
                *value_next = false;
                if outermost {
                    self.deliver(Value::Scalar(text, kind), at);
                }
            }
        }
        Ok(())
    }

    /// Begins a list or mapping, for which an empty value stands.
    fn open(&mut self, value: Value<'input>, anchor: usize, at: Position) -> Result<(), Problem> {
        let size_before = self.size;
        self.count(Size { values: 1, bytes: 0 }, at)?;
        let is_list = matches!(value, Value::List(_));
        let field = self.collection(value, at);
        let inside = if is_list {
            Inside::List {
                items: (anchor != 0 || field.is_some()).then(Vec::new),
            }
        } else {
            Inside::Mapping {
                keys: HashMap::new(),
                value_next: false,
            }
        };
        self.open.push(Open {
            inside,
            anchor,
            size_before,
            field,
        });
        Ok(())
    }

    /// Puts a list or mapping where it belongs; gives the index of the field that it is the value of.
    fn collection(&mut self, value: Value<'input>, at: Position) -> Option<usize> {
        let outermost = self.open.len() == 1;
        match self.open.last_mut().map(|open| &mut open.inside) {
            None => {
                if matches!(value, Value::List(_)) {
                    self.not_a_mapping("a list", at);
                }
                None
            }
            Some(Inside::List { .. }) => None,
            Some(Inside::Mapping { value_next, .. }) => {
                let is_value = mem::replace(value_next, !*value_next);
                if !outermost {
                    None
                } else if is_value {
                    self.deliver(value, at)
                } else {
                    self.target = Target::Nothing;
                    None
                }
            }
        }
    }

    fn close(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        let value = match closed.inside {
            Inside::Mapping { .. } => Value::Mapping,
            Inside::List { items } => Value::List(items.unwrap_or_default()),
        };
        if let Some(index) = closed.field
            && let Some(field) = self.found.fields.get_mut(index)
            && let Value::List(items) = &value
        {
            field.value = FieldValue::List(items.clone());
        }
        if closed.anchor != 0 {
            let size = self.size.minus(closed.size_before);
            self.anchors.insert(closed.anchor, Anchor { value, size });
        }
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), Problem> {
        // A list or mapping is known under its anchor only once it is closed.
        let Some(Anchor { value, size }) = self.anchors.get(&anchor) else {
            return Err(bad(at, "an alias stands for the value that it is inside of")
                .with_help("write the value out, or quote it if the `*` is part of the text"));
        };
        let (value, size) = (value.clone(), *size);
        self.count(size, at)?;
        match value {
            Value::Scalar(text, kind) => self.scalar(text, kind, at)?,
            value => {
                self.collection(value, at);
            }
        }
        Ok(())
    }

    /// Keeps a value of the outermost mapping; gives the index of the field that it became.
    fn deliver(&mut self, value: Value<'input>, at: Position) -> Option<usize> {
        match mem::replace(&mut self.target, Target::Nothing) {
            Target::Nothing => None,
            Target::Name => {
                self.found.name_at = Some(at);
                let problem = match &value {
                    Value::Scalar(_, ScalarKind::Null | ScalarKind::Text) => None,
                    Value::Scalar(text, kind) => {
                        let what = if *kind == ScalarKind::Boolean {
                            "boolean"
                        } else {
                            "number"
                        };
                        let text = shown(text);
                        let message = format!("the name is the {what} `{text}`, taken as text");
                        Some((message, format!("put it in quotes: `name: \"{text}\"`")))
                    }
                    Value::List(_) => Some(collection_as_name("list")),
                    Value::Mapping => Some(collection_as_name("mapping")),
                };
                if let Some((message, help)) = problem {
                    let finding = Problem::new(Code::NameNotText, Some(at), message).with_help(help);
                    self.found.findings.push(finding);
                }
                self.found.name = scalar_text(value);
                None
            }
            Target::Description => {
                self.found.description_not_text = !matches!(value, Value::Scalar(_, ScalarKind::Text));
                self.found.description = scalar_text(value);
                None
            }
            Target::Wanted(index) => {
                let value = match value {
                    Value::Scalar(_, ScalarKind::Null) => FieldValue::Null,
                    Value::Scalar(text, ScalarKind::Text) => FieldValue::Text(text.into()),
                    Value::Scalar(text, ScalarKind::Boolean | ScalarKind::Number) => {
                        FieldValue::NotText(text.into())
                    }
                    Value::List(items) => FieldValue::List(items),
                    Value::Mapping => FieldValue::Mapping,
                };
                let key = self.wanted.get(index).copied().unwrap_or_default().into();
                self.found.fields.push(Field { key, value, at });
                Some(self.found.fields.len() - 1)
            }
        }
    }

    fn not_a_mapping(&mut self, what: &str, at: Position) {
        let message = format!("the front matter is {what}, not a mapping of keys to values");
        let finding = Problem::new(Code::FrontMatterNotAMapping, Some(at), message)
            .with_help("write one `key: value` a line");
        self.found.findings.push(finding);
    }
}

fn bad(at: Position, message: impl Into<String>) -> Problem {
    Problem::new(Code::BadFrontMatter, Some(at), message)
}

fn collection_as_name(what: &str) -> (String, String) {
    (
        format!("the name is a {what}, so none is declared"),
        "write the name as text, in quotes if need be".to_owned(),
    )
}

fn scalar_text(value: Value<'_>) -> Option<Box<str>> {
    match value {
        Value::Scalar(_, ScalarKind::Null) | Value::List(_) | Value::Mapping => None,
        Value::Scalar(text, _) => Some(text.into()),
    }
}

fn scalar_kind(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> ScalarKind {
    match tag.map(Tag::core_suffix) {
        None if style == ScalarStyle::Plain => plain_kind(text),
        None => ScalarKind::Text,
        Some(Some("null")) => ScalarKind::Null,
        Some(Some("bool")) => ScalarKind::Boolean,
        Some(Some("int" | "float")) => ScalarKind::Number,
        // `!!str`, and tags of which only their author knows what they mean.
        Some(_) => ScalarKind::Text,
    }
}
