//! Masking of secrets in values and texts from configuration files.
//!
//! What is masked follows spec/cli.md: values under `env`, `environment`, `headers` and `oauth`, values of keys that
//! say key, token, secret or password, credentials in URLs, and defaults of variables. Where it is not clear whether
//! something is a secret it is masked: `--show-secrets` is one flag away, a leak is for good. Decided here:
//!
//! - A key says what its words say: `apiKey`, `api_key`, `API-KEY` and `accesstoken` count, `keyboard`, `keywords`
//!   and `tokenizer` do not. `authorization`, `credentials`, `passphrase` and their like count as well.
//! - Texts and numbers are masked, booleans and null never: they give nothing away. Numbers of keys that say how
//!   many or how long (`max_tokens`, `token_limit`, `key_timeout`) are kept.
//! - Keys stay visible everywhere, and so does the shape of tables and lists.
//! - Names that the user chooses are no words about their value: the server `token-counter` under `mcp` is shown.
//!   The same holds for the patterns under `permission`.
//! - In lists, which are mostly command lines, the element behind `--api-key` is masked, and so is what follows
//!   `Authorization:`.
//!
//! A secret that nothing names, such as a bare `sk-…` among arguments, is not recognised.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;

/// What stands for a secret.
pub const MASK: &str = "***";

/// Keys under which every value is masked, also as the last word of a longer key (`httpHeaders`).
const COVERING: [&str; 4] = ["env", "environment", "headers", "oauth"];

/// Words that make a key's value a secret.
const SECRET_WORDS: [&str; 18] = [
    "apikey",
    "authorization",
    "credential",
    "credentials",
    "key",
    "keys",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pat",
    "pwd",
    "secret",
    "secrets",
    "sig",
    "signature",
    "token",
    "tokens",
];

/// Ends of words written together, such as `clientsecret`.
const SECRET_ENDS: [&str; 6] = ["accesskey", "apikey", "password", "privatekey", "secret", "token"];

/// Words that make a number a quantity.
const QUANTITY_WORDS: [&str; 18] = [
    "budget", "bytes", "count", "days", "expiry", "hours", "keys", "length", "limit", "max", "maximum",
    "min", "minutes", "seconds", "size", "timeout", "tokens", "ttl",
];

/// Tables whose keys are names that the user chooses.
const TABLES_OF_NAMES: [&str; 8] = [
    "agent",
    "agents",
    "command",
    "commands",
    "mcp",
    "mcpServers",
    "mcp_servers",
    "provider",
];

/// What is known about a value from the keys above it.
#[derive(Clone, Copy)]
struct Context {
    /// Every text and number in it is a secret.
    is_secret: bool,
    /// Its keys say what their values are.
    keys_speak: bool,
    /// Its keys are names that the user chooses, where their values are tables.
    has_names: bool,
}

impl Context {
    const OUTERMOST: Self = Self {
        is_secret: false,
        keys_speak: true,
        has_names: false,
    };

    /// What is known about the value of a key.
    fn of(self, key: &str, value: &Value) -> Self {
        let is_name = self.has_names && value.is_object();
        let speaks = self.keys_speak && !is_name;
        let words = if speaks { words(key) } else { Vec::new() };
        let covers = words.last().is_some_and(|word| COVERING.contains(&word.as_str()));
        let is_quantity =
            value.is_number() && words.iter().any(|word| QUANTITY_WORDS.contains(&word.as_str()));
        let named = words.iter().any(|word| is_secret_word(word)) && !is_quantity;
        Self {
            is_secret: self.is_secret || covers || named,
            keys_speak: self.keys_speak && (is_name || key != "permission"),
            has_names: !is_name && TABLES_OF_NAMES.contains(&key),
        }
    }
}

/// The value with every secret in it replaced by [`MASK`]; `path` is the keys that lead to it, outermost first.
///
/// Recurses as deep as the value is nested, which parsers bound.
#[must_use]
pub fn mask<K: AsRef<str>>(value: &Value, path: &[K]) -> Value {
    let mut context = Context::OUTERMOST;
    let above = Value::Object(serde_json::Map::new());
    for (index, key) in path.iter().enumerate() {
        let is_last = index + 1 == path.len();
        context = context.of(key.as_ref(), if is_last { value } else { &above });
    }
    mask_in(value, context)
}

fn mask_in(value: &Value, context: Context) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(_) if context.is_secret => MASK.into(),
        Value::Number(_) => value.clone(),
        Value::String(text) if context.is_secret && !text.is_empty() => MASK.into(),
        Value::String(text) => mask_text(text).into(),
        Value::Array(elements) => mask_list(elements, context),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), mask_in(value, context.of(key, value))))
            .collect(),
    }
}

fn mask_list(elements: &[Value], context: Context) -> Value {
    let context = Context {
        has_names: false,
        ..context
    };
    let mut follows_secret_flag = false;
    let mut masked = Vec::with_capacity(elements.len());
    for element in elements {
        let text = element.as_str().unwrap_or_default();
        let is_flag = text.starts_with('-');
        masked.push(if follows_secret_flag && !is_flag && !text.is_empty() {
            MASK.into()
        } else if let Some(text) = mask_header(text) {
            text.into()
        } else {
            mask_in(element, context)
        });
        follows_secret_flag = is_flag && !text.contains('=') && says_secret(text);
    }
    Value::Array(masked)
}

/// `Authorization: …` without what follows the colon, if the text is a header whose name says that it is a secret.
fn mask_header(text: &str) -> Option<String> {
    let (name, value) = text.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    (is_name && !value.is_empty() && !value.starts_with("//") && says_secret(name))
        .then(|| format!("{name}: {MASK}"))
}

/// Whether a key says that its value is a secret; what it holds may still be a quantity.
#[must_use]
pub fn says_secret(key: &str) -> bool {
    words(key).iter().any(|word| is_secret_word(word))
}

fn is_secret_word(word: &str) -> bool {
    SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end))
}

/// The words of a key in lower case: `apiKey`, `API_KEY`, `APIKey` and `api-key` are all `api` and `key`.
fn words(key: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    let mut characters = key.chars().peekable();
    while let Some(character) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|next| next.is_lowercase());
        let begins_word = character.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
        if (begins_word || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        previous = character;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A text without the secrets that can be told from the text alone.
///
/// These are credentials in URLs (`https://user:pass@host`), values of parameters and variables whose names say that
/// they are secrets (`?token=…`, `API_KEY=…`, `--password=…`), and defaults (`${X:-default}`). Time is linear.
#[must_use]
pub fn mask_text(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains("${") {
        text = Cow::Owned(mask_defaults(&text));
    }
    if text.contains("://") {
        text = Cow::Owned(mask_credentials(&text));
    }
    if text.contains('=') {
        text = Cow::Owned(mask_assignments(&text));
    }
    text
}

/// Masks what follows the `:-`, `-`, `:=` or `=` of `${NAME…}`, up to the brace that closes it.
fn mask_defaults(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        masked.push_str(before);
        masked.push_str("${");
        let name_end = after
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(after.len());
        let (name, tail) = split_at(after, name_end);
        masked.push_str(name);
        let operator = [":-", ":=", "-", "="]
            .into_iter()
            .find(|operator| tail.starts_with(operator));
        let Some(operator) = operator else {
            rest = tail;
            continue;
        };
        masked.push_str(operator);
        let (default, tail) = split_at_closing_brace(split_at(tail, operator.len()).1);
        if !default.is_empty() {
            masked.push_str(MASK);
        }
        rest = tail;
    }
    masked.push_str(rest);
    masked
}

/// Splitting that never cuts a character: at the end where the place is none.
fn split_at(text: &str, place: usize) -> (&str, &str) {
    text.split_at_checked(place).unwrap_or((text, ""))
}

/// Splits before the `}` that closes a brace opened before this text; at the end if there is none.
fn split_at_closing_brace(text: &str) -> (&str, &str) {
    let mut open = 0_usize;
    for (offset, character) in text.char_indices() {
        match character {
            '{' => open += 1,
            '}' if open == 0 => return split_at(text, offset),
            '}' => open -= 1,
            _ => {}
        }
    }
    (text, "")
}

/// Whether a character ends a URL in running text.
fn ends_url(character: char) -> bool {
    character.is_whitespace() || "\"'`<>".contains(character)
}

/// Masks what stands between `://` and `@`.
fn mask_credentials(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut parts = text.split("://");
    masked.push_str(parts.next().unwrap_or_default());
    for part in parts {
        masked.push_str("://");
        let url = part.split(ends_url).next().unwrap_or_default();
        let authority = url.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let after_colon = authority.rsplit_once(':').map_or("", |(_, port)| port);
        // A password with an unescaped `/`: what looks like a port is none.
        let is_cut_short = !authority.contains('@')
            && !authority.ends_with(']')
            && after_colon.contains(|c: char| !c.is_ascii_digit());
        let searched = if is_cut_short { url } else { authority };
        match searched.rfind('@') {
            Some(at) if at > 0 => {
                masked.push_str(MASK);
                masked.push_str(split_at(part, at).1);
            }
            _ => masked.push_str(part),
        }
    }
    masked
}

/// Masks the values of `name=value` whose name says that it is a secret.
fn mask_assignments(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        masked.push_str(before);
        masked.push('=');
        let name_start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_name(*c))
            .last()
            .map_or(before.len(), |(offset, _)| offset);
        let name = split_at(before, name_start).1;
        if !says_secret(name) {
            rest = after;
            continue;
        }
        let quote = after.chars().next().filter(|c| "\"'".contains(*c));
        let (opening, value) = split_at(after, quote.map_or(0, char::len_utf8));
        let value_end = match quote {
            Some(quote) => value.find(quote),
            None => value.find(|c: char| ends_url(c) || "&#;".contains(c)),
        };
        let (value, tail) = split_at(value, value_end.unwrap_or(value.len()));
        masked.push_str(opening);
        if !value.is_empty() {
            masked.push_str(MASK);
        }
        rest = tail;
    }
    masked.push_str(rest);
    masked
}
