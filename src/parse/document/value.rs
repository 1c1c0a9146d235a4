//! The data model: values that know where they stand.

use serde_json::Number;

use crate::parse::Position;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Where the value begins: its first character, quote or bracket.
    ///
    /// A TOML table stands at the `[` of its header; one that a dotted key or a longer header brings into being
    /// has no text of its own and stands where its key does.
    pub position: Position,
    /// The value.
    pub value: Value,
}

/// One key of a table and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, without quotes and with escapes resolved.
    pub key: String,
    /// Where the key, or its opening quote, stands.
    ///
    /// The key of a TOML table stands in its own header if it has one (the first, for an array of tables), else
    /// where it is first mentioned.
    pub key_position: Position,
    /// Its value.
    pub value: Located,
}

/// A value of any of the three formats.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON's `null`; TOML has none.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number from −2⁶³ to 2⁶⁴ − 1.
    Integer(i128),
    /// A whole number of JSON beyond that, as it is written; within the range of [`Value::Float`].
    BigInteger(String),
    /// Any other number; only TOML has infinities and NaN.
    Float(f64),
    /// Text.
    String(String),
    /// A date, a time or both, of TOML, in its standard form.
    Datetime(String),
    /// A list.
    List(Vec<Located>),
    /// Keys and values in the order of the file; no key comes twice.
    Table(Vec<Entry>),
}

impl Value {
    /// What it is called in a message to a person.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::BigInteger(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Datetime(_) => "a date or time",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }

    /// The value under a key, if this is a table that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Located> {
        let entry = self.entries().iter().find(|entry| entry.key == key)?;
        Some(&entry.value)
    }

    /// The entries, if this is a table; otherwise none.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The same data as a JSON value, without positions.
    ///
    /// JSON in memory holds 64 bits: a [`BigInteger`](Self::BigInteger) becomes the nearest floating-point number,
    /// as in every program that reads JSON that way; the parser has reported it (`number-precision`). What JSON has
    /// no word for becomes a string: dates and times in their standard form, infinities and NaN as `inf`, `-inf`
    /// and `nan`, as TOML writes them.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Integer(value) => match Number::from_i128(*value) {
                Some(number) => number.into(),
                None => value.to_string().into(),
            },
            Self::BigInteger(text) => match text.parse().ok().and_then(Number::from_f64) {
                Some(number) => number.into(),
                None => text.as_str().into(),
            },
            Self::Float(value) => match Number::from_f64(*value) {
                Some(number) => number.into(),
                None if value.is_nan() => "nan".into(),
                None if value.is_sign_negative() => "-inf".into(),
                None => "inf".into(),
            },
            Self::String(text) | Self::Datetime(text) => text.as_str().into(),
            Self::List(elements) => elements.iter().map(|element| element.value.to_json()).collect(),
            Self::Table(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.value.value.to_json()))
                .collect(),
        }
    }
}
