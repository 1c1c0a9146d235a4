//! Masking of secrets in values and texts from configuration files.
//!
//! What is masked follows spec/cli.md: values under `env`, `environment`, `headers` and `oauth`, values of keys that
//! say key, token, secret or password, credentials in URLs, and defaults of variables. Where it is not clear whether
//! something is a secret it is masked: `--show-secrets` is one flag away, a leak is for good. Decided here:
//!
//! - A key says what its words say: `apiKey`, `api_key`, `API-KEY`, `accesstoken` and `token2` count, `keyboard`,
//!   `keywords` and `tokenizer` do not. `authorization`, `cookie`, `credentials`, `passphrase` and their like count
//!   as well, and so does the `value` beside a `name` that says so.
//! - Texts and numbers are masked, booleans and null never: they give nothing away. Numbers of keys that say how
//!   many or how long (`max_tokens`, `token_limit`, `key_timeout`) are kept.
//! - Keys stay visible everywhere, and so does the shape of tables and lists.
//! - Names that the user chooses are no words about their value: the server `token-counter` under `mcp` is shown.
//!   The same holds for the patterns under `permission`.
//! - In lists and in texts, which are often command lines, what stands behind `--api-key`, `Authorization:` or
//!   `Bearer` is masked.
//!
//! - A secret that nothing names, such as a bare `sk-…` among arguments, is masked if its form is that of a well-known
//!   access token; any other is not recognised.

#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;

use serde_json::Value;

/// What stands for a secret.
pub const MASK: &str = "***";

/// Keys under which every value is masked, also as the last word of a longer key (`httpHeaders`).
const COVERING: [&str; 4] = ["env", "environment", "headers", "oauth"];

/// Words that make a key's value a secret.
const SECRET_WORDS: [&str; 24] = [
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "key",
    "keys",
    "jwt",
    "pass",
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

/// Parts of words written together that are nothing else, such as `mypasswordfile`.
const SECRET_PARTS: [&str; 6] = [
    "accesskey",
    "apikey",
    "passphrase",
    "password",
    "privatekey",
    "secretkey",
];

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
        let covering = |word: &String| COVERING.contains(&word.as_str());
        let covers = match words.as_slice() {
            [.., word, last] if matches!(last.as_str(), "vars" | "variables") => covering(word),
            [.., last] => covering(last),
            [] => false,
        };
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
        Value::Object(entries) => {
            // `{"name": "API_KEY", "value": …}`
            let named = ["name", "key"].iter().any(|name| {
                let name = entries.get(*name).and_then(Value::as_str);
                name.is_some_and(says_secret)
            });
            entries
                .iter()
                .map(|(key, value)| {
                    let mut context = context.of(key, value);
                    context.is_secret |= named && matches!(key.as_str(), "value" | "values" | "default");
                    (key.clone(), mask_in(value, context))
                })
                .collect()
        }
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
        let is_flag = is_flag(text);
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

/// Whether an element of a command line is a flag: `--verbose` or `-v`, but not `-Vz8…`, which a secret may be.
fn is_flag(text: &str) -> bool {
    text.starts_with("--") || (text.starts_with('-') && text.chars().count() == 2)
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
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    SECRET_WORDS.contains(&word)
        || SECRET_ENDS.iter().any(|end| word.ends_with(end))
        || SECRET_PARTS.iter().any(|part| word.contains(part))
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
/// they are secrets (`?token=…`, `API_KEY=…`, `--password=…`, `--password …`), values of headers and JSON members
/// whose names do (`Authorization: …`, `"token": "…"`), defaults (`${X:-default}`), and access tokens of a well-known
/// form (`ghp_…`). Time is linear.
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
    if text.contains(':') {
        text = Cow::Owned(mask_members(&text));
    }
    if text.contains(char::is_whitespace) {
        text = Cow::Owned(mask_words(&text));
    }
    if let Some(masked) = tokens::mask_tokens(&text) {
        text = Cow::Owned(masked);
    }
    text
}

/// Masks what follows the `:-`, `-`, `:=`, `=`, `:+` or `+` of `${NAME…}`, up to the brace that closes it.
fn mask_defaults(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        masked.push_str(before);
        masked.push_str("${");
        let blanks = after.len() - after.trim_start().len();
        let name_end = split_at(after, blanks)
            .1
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or(after.len(), |end| blanks + end);
        let (name, tail) = split_at(after, name_end);
        masked.push_str(name);
        let operator = [":-", ":=", ":+", "-", "=", "+"]
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
        // A shell takes what touches the closing quote for more of the value.
        if let Some(tail) = quote.and_then(|quote| tail.strip_prefix(quote)) {
            masked.push_str(opening);
            let end = tail.find(|c: char| ends_url(c) || "&#;,)]}:".contains(c));
            let (more, tail) = split_at(tail, end.unwrap_or(tail.len()));
            if !more.is_empty() {
                masked.push_str(MASK);
            }
            rest = tail;
        }
    }
    masked.push_str(rest);
    masked
}

/// Masks what follows the colon of a header (`X-Api-Key: …`) or of a member of JSON (`"token": "…"`) whose name says
/// that it is a secret. A mere word before a colon says nothing: that is how prose is written.
fn mask_members(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(':') {
        masked.push_str(before);
        masked.push(':');
        rest = after;
        let trimmed = before.trim_end();
        let unquoted = trimmed.trim_end_matches(['"', '\'', '\\']);
        let is_member = unquoted.len() < trimmed.len();
        let name_start = unquoted
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_name(*c))
            .last();
        let (opening, name) = split_at(unquoted, name_start.map_or(unquoted.len(), |(offset, _)| offset));
        let is_header = name.contains('-') || matches!(&*name.to_lowercase(), "authorization" | "cookie");
        if !(is_member || is_header) || !says_secret(name) || after.starts_with("//") {
            continue;
        }
        let blanks = after.len() - after.trim_start().len();
        let (blanks, value) = split_at(after, blanks);
        let quotes = value.len() - value.trim_start_matches(['"', '\'', '\\']).len();
        let (quotes, value) = split_at(value, quotes);
        masked.push_str(blanks);
        masked.push_str(quotes);
        rest = value;
        if quotes.is_empty() && value.starts_with(['{', '[']) {
            continue;
        }
        // The quote that ends it: its own, else the one that the header as a whole is in.
        let quote = quotes
            .chars()
            .last()
            .or_else(|| opening.chars().last())
            .filter(|c| "\"'".contains(*c));
        let value_end = match quote {
            Some(quote) => value.find(['\\', quote]),
            None if is_member => value.find([',', '}', ']', '\n']),
            None => value.find(['\n', '"', '\'']),
        };
        let (value, tail) = split_at(value, value_end.unwrap_or(value.len()));
        if !value.is_empty() {
            masked.push_str(MASK);
        }
        rest = tail;
    }
    masked.push_str(rest);
    masked
}

/// What the word before says of a word.
enum Before {
    /// Nothing.
    Plain,
    /// It is a secret.
    Flag,
    /// It is one if it looks like one: `Bearer` and `Basic` are words as well.
    Scheme,
    /// It goes on with a secret, up to this quote.
    Within(char),
}

/// Masks the words behind `--token`, `Bearer` and their like.
fn mask_words(text: &str) -> String {
    let quotes = ['"', '\'', '`'];
    let mut masked = String::with_capacity(text.len());
    let mut before = Before::Plain;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let space = split_at(piece, word.len()).1;
        if let Before::Within(quote) = before {
            let Some((_, tail)) = word.split_once(quote) else {
                continue;
            };
            masked.push(quote);
            masked.push_str(tail);
            masked.push_str(space);
            before = Before::Plain;
            continue;
        }
        if word.is_empty() {
            masked.push_str(space);
            continue;
        }
        let is_secret = match before {
            Before::Flag => !is_flag(word),
            Before::Scheme => looks_random(word),
            Before::Plain | Before::Within(_) => false,
        };
        if !is_secret {
            let name = word.trim_start_matches(quotes);
            let is_name =
                name.starts_with('-') && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
            let is_scheme = ["bearer", "basic"].iter().any(|scheme| {
                let start = name.len().checked_sub(scheme.len()).unwrap_or(name.len());
                split_at(name, start).1.eq_ignore_ascii_case(scheme)
            });
            before = match (is_name && says_secret(name), is_scheme) {
                (true, _) => Before::Flag,
                (false, true) => Before::Scheme,
                (false, false) => Before::Plain,
            };
            masked.push_str(piece);
            continue;
        }
        before = Before::Plain;
        let quote = word.chars().next().filter(|c| quotes.contains(c));
        let (opening, value) = split_at(word, quote.map_or(0, char::len_utf8));
        masked.push_str(opening);
        masked.push_str(MASK);
        match (value.find(quotes), quote) {
            (Some(end), _) => masked.push_str(split_at(value, end).1),
            (None, Some(quote)) => {
                before = Before::Within(quote);
                continue;
            }
            (None, None) => {}
        }
        masked.push_str(space);
    }
    masked
}

/// Whether a word is more likely a secret than prose.
fn looks_random(word: &str) -> bool {
    let length = word.chars().count();
    let is_mixed = || {
        word.contains(|c: char| c.is_ascii_digit() || "=+_$".contains(c))
            || word.chars().skip(1).any(char::is_uppercase)
    };
    length >= 20 || (length >= 6 && is_mixed())
}
