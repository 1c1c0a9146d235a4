//! How a kind is found below a folder, and what its files must say: the words for hosts that walk trees.

use super::ValueType;

/// How a kind is read from a folder and what is below it.
#[derive(Debug)]
pub struct TreeSpec {
    /// What an entry is.
    pub entries: Entries,
    /// How deep it is looked for.
    pub depth: Depth,
    /// Whether files and folders whose name begins with a dot count.
    pub hidden: bool,
    /// Names that are passed over at every level; a pattern that ends in `*` is a beginning.
    pub passed_over: &'static [&'static str],
    /// What becomes of symbolic links.
    pub links: Links,
    /// What the front matter must and may look like.
    pub matter: Matter,
    /// What an entry is called.
    pub id: IdRule,
    /// Characters that become `-` in the name.
    pub cleaned: &'static [char],
    /// Whether the host lists one real file only once, under the name that comes first.
    pub one_file_once: bool,
    /// A marker whose folder is of another kind, so that the files beside it are not read here.
    pub not_beside: Option<&'static str>,
    /// What a folder without the marker is, for people.
    pub without_marker: &'static str,
    /// What is read here, for people.
    pub wrong_kind: &'static str,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// A folder with a file of exactly this name.
    Marker(&'static str),
    /// A file with exactly this extension, without the dot.
    Files(&'static str),
}

/// How many folders lie between the component directory and what is read: the marker's folder counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// At least.
    pub min: usize,
    /// At most.
    pub max: usize,
}

impl Depth {
    /// Any depth; the bound is there so that a walk ends, and is far beyond what people make.
    pub const ANY: Self = Self { min: 0, max: 64 };
}

/// What becomes of symbolic links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// Whether a linked folder is entered.
    pub folders: bool,
    /// Whether a linked file is read.
    pub files: bool,
}

/// What the front matter must and may look like.
#[derive(Clone, Copy, Debug)]
pub struct Matter {
    /// Whether there must be front matter.
    pub needed: bool,
    /// Whether a byte order mark hides it.
    pub mark_hides: bool,
    /// What becomes of YAML that is not valid.
    pub bad_yaml: BadYaml,
    /// Whether bytes that are not UTF-8 are taken as replacement characters; else the file is refused.
    pub lossy: bool,
    /// Whether a name must be declared.
    pub name: bool,
    /// Whether a description must be declared.
    pub description: bool,
    /// Whether a name that is a number or a boolean counts as none.
    pub name_must_be_text: bool,
    /// Whether a name or description without text counts as none.
    pub blank_is_none: bool,
    /// Which descriptions take the entry away because they are no text.
    pub description_type: TextRule,
    /// How the host tells where the front matter begins and ends.
    pub fences: Fences,
    /// What the values of further keys must be where they are there.
    pub fields: &'static [FieldSpec],
    /// Whether a value of another type keeps the host from starting, and does not only take the entry away.
    pub wrong_type_stops: bool,
    /// Whether its front matter may hide an entry from the user and from the model.
    pub may_be_hidden: bool,
    /// Whether a date without quotes is no text.
    pub dates_are_no_text: bool,
    /// Whether a name or description that is empty counts as none.
    pub empty_is_none: bool,
    /// Whether line ends and rows of blanks in a name become single blanks.
    pub name_in_one_line: bool,
    /// How many characters a name may have; 0 where any number.
    pub longest_name: usize,
    /// Whether the body's first line stands in for a description.
    pub body_describes: bool,
    /// Whether the name may only have small letters, digits, `-` and `_`.
    pub slug: bool,
    /// Whether a name that begins with `-` or has a `:` is refused.
    pub no_colon: bool,
    /// The only keys that may stand in it; none where any may.
    pub only_keys: &'static [&'static str],
    /// Keys that a TOML file must have, as text.
    pub needs_keys: &'static [&'static str],
    /// The keys that a TOML file may have, with what their values must be, blank texts not counting for those that
    /// it must have; none where any may stand there.
    pub toml_types: &'static [(&'static str, ValueType)],
    /// The key with patterns of files: an entry that has some waits for work on such a file. None where it is empty.
    pub waits_for: &'static str,
}

/// Front matter that is forgiven everything and asked for nothing; the rest is given for each.
pub(crate) const MATTER: Matter = Matter {
    needed: false,
    mark_hides: false,
    bad_yaml: BadYaml::Recovered,
    lossy: true,
    name: false,
    description: false,
    name_must_be_text: false,
    blank_is_none: false,
    description_type: TextRule::Any,
    fences: Fences::LOOSE,
    fields: &[],
    wrong_type_stops: false,
    dates_are_no_text: false,
    may_be_hidden: false,
    empty_is_none: false,
    name_in_one_line: false,
    longest_name: 0,
    body_describes: false,
    slug: false,
    no_colon: false,
    only_keys: &[],
    needs_keys: &[],
    toml_types: &[],
    waits_for: "",
};

/// How a host tells where front matter begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    /// Whether blanks may stand before a fence.
    pub indented: bool,
    /// Whether blanks may stand after the opening fence.
    pub padded: bool,
    /// Whether a closing line only has to begin with `---`.
    pub longer: bool,
    /// Whether `...` closes too.
    pub dots: bool,
    /// Whether all of the file is front matter where nothing closes it.
    pub open_end: bool,
    /// Whether the first `---` closes, wherever in a line it stands.
    pub anywhere: bool,
}

impl Fences {
    /// Those of the native host: a line `---` with blanks after it, or `...` at the end.
    pub const NATIVE: Self = Self {
        indented: false,
        padded: true,
        longer: false,
        dots: true,
        open_end: false,
        anywhere: false,
    };
    /// A line that begins with `---` closes, whatever follows it.
    pub const LOOSE: Self = Self {
        longer: true,
        dots: false,
        ..Self::NATIVE
    };
    /// The first `---` closes, be it in the middle of a line.
    pub const ANYWHERE: Self = Self {
        anywhere: true,
        ..Self::LOOSE
    };
}

/// What a value must be that should be text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRule {
    /// Anything is taken.
    Any,
    /// A number or a boolean is taken as it is written; a list or a mapping is not.
    Scalar,
    /// Nothing but text.
    Text,
}

/// What the value of a further key must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// The key.
    pub key: &'static str,
    /// What it takes.
    pub takes: Takes,
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A mapping.
    Mapping,
    /// A mapping, or nothing.
    MappingOrNothing,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `#` and six hexadecimal digits, or one of these words.
    Color(&'static [&'static str]),
    /// A list of these words, or of words that begin like one that ends in `*`.
    ListOf(&'static [&'static str]),
}

/// What becomes of YAML that is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadYaml {
    /// Name and description are read line by line all the same; of a key that is there twice the last counts.
    Recovered,
    /// Name and description are read line by line, the last line counting, also where they are no text.
    LastLine,
    /// Values with a colon, or that begin like a list, a mapping or nothing that YAML knows, are taken as text;
    /// nothing else is forgiven.
    ValuesQuoted,
    /// Values with a colon are taken as text; nothing else is forgiven.
    ColonsQuoted,
    /// The same, but what is still not valid counts as empty and takes nothing away.
    ColonsElseNothing,
    /// Values of top-level keys that have a character which means something in YAML are taken as text; what is still
    /// not valid counts as empty and takes nothing away. Of a key that is there twice the last counts.
    SpecialsElseNothing,
    /// The entry is left out.
    Refused,
}

/// What an entry is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRule {
    /// As its folder; the declared name is a label.
    Folder,
    /// By its declared name, else as its folder or file.
    Declared,
    /// By its declared name, else by its path from the component directory.
    DeclaredElsePath(&'static str),
    /// By its path from the component directory, joined by this.
    Path(&'static str),
    /// By the folders above it and its declared name, else its file's, joined by this.
    FoldersThenDeclared(&'static str),
}
