//! Which files a memory file brings in with `@path`.

use crate::host::ImportSpec;

/// Extensions of files that hold text, which alone may be imported where the host goes by them.
const TEXT: &[&str] = &[
    "md",
    "mdx",
    "txt",
    "text",
    "json",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "xml",
    "csv",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "js",
    "ts",
    "tsx",
    "jsx",
    "mjs",
    "cjs",
    "mts",
    "cts",
    "py",
    "pyi",
    "rb",
    "go",
    "rs",
    "java",
    "kt",
    "kts",
    "scala",
    "c",
    "cpp",
    "cc",
    "h",
    "hpp",
    "cs",
    "swift",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "env",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "sql",
    "graphql",
    "gql",
    "proto",
    "vue",
    "svelte",
    "astro",
    "php",
    "pl",
    "pm",
    "lua",
    "r",
    "dart",
    "ex",
    "exs",
    "erl",
    "clj",
    "hs",
    "elm",
    "ml",
    "cmake",
    "gradle",
    "sbt",
    "rst",
    "adoc",
    "org",
    "tex",
    "lock",
    "log",
    "diff",
    "patch",
];

/// The paths that a text imports, as they are written, in the order of the text.
pub(super) fn imports(spec: ImportSpec, text: &str) -> Vec<String> {
    if spec.strict {
        return words(&without_spans(text), false)
            .into_iter()
            .filter(|path| {
                path.starts_with(['.', '/']) || path.starts_with(|c: char| c.is_ascii_alphabetic())
            })
            .filter(|path| {
                !["file://", "http://", "https://"]
                    .iter()
                    .any(|scheme| path.starts_with(scheme))
            })
            .collect();
    }
    let text = without_spans(&without_blocks(&without_comments(text)));
    let mut found = Vec::new();
    for path in words(&text, true) {
        let path = path
            .split_once('#')
            .map_or(path.as_str(), |(path, _)| path)
            .to_owned();
        let begins = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
        let is_path = path.starts_with("~/") || path.starts_with(begins);
        let extension = path.rsplit('/').next().and_then(|name| {
            let (stem, extension) = name.rsplit_once('.')?;
            (!stem.is_empty()).then_some(extension)
        });
        let is_text = extension.is_none_or(|extension| TEXT.contains(&extension.to_lowercase().as_str()));
        if is_path && is_text {
            found.push(path);
        }
    }
    found
}

/// What follows an `@` at the beginning of a word, up to the next blank; `\ ` is a blank in a path.
fn words(text: &str, emphasis: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let opens = before.is_none_or(|c| c.is_whitespace() || (emphasis && matches!(c, '*' | '_')));
        let in_emphasis = emphasis && before.is_some_and(|c| matches!(c, '*' | '_'));
        before = Some(character);
        if character != '@' || !opens {
            continue;
        }
        let mut word = String::new();
        while let Some(next) = rest.peek().copied() {
            if next.is_whitespace() || (in_emphasis && matches!(next, '*' | '_')) {
                break;
            }
            rest.next();
            before = Some(next);
            if emphasis && next == '\\' {
                if rest.peek() == Some(&' ') {
                    rest.next();
                    word.push(' ');
                    continue;
                }
                break;
            }
            word.push(next);
        }
        if !word.is_empty() {
            found.push(word);
        }
    }
    found
}

/// The text without what stands between equal runs of backticks.
fn without_spans(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let (before, from) = rest.split_at(at);
        let run = from.len() - from.trim_start_matches('`').len();
        let (fence, after) = from.split_at(run);
        plain.push_str(before);
        match after.find(fence) {
            Some(end) => {
                plain.push('`');
                rest = after.get(end + run..).unwrap_or_default();
            }
            None => {
                plain.push_str(fence);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The text without HTML comments.
pub(super) fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        plain.push_str(before);
        match after.split_once("-->") {
            Some((_, after)) => rest = after,
            None => return plain,
        }
    }
    plain.push_str(rest);
    plain
}

/// The text without fenced code, and without code that is indented after an empty line.
fn without_blocks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut fence: Option<(char, usize)> = None;
    let mut after_blank = true;
    let mut in_list = false;
    for line in text.lines() {
        let body = line.trim_start();
        let run = |sign: char| body.chars().take_while(|c| *c == sign).count();
        if let Some((sign, length)) = fence {
            let here = run(sign);
            if here >= length && body.trim_matches(sign).trim().is_empty() {
                fence = None;
            }
            continue;
        }
        if let Some(sign) = ['`', '~'].into_iter().find(|sign| run(*sign) >= 3) {
            fence = Some((sign, run(sign)));
            in_list &= line.starts_with([' ', '\t']);
            after_blank = true;
            continue;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if is_indented && after_blank && !in_list && !body.is_empty() {
            continue;
        }
        if !body.is_empty() && !is_indented {
            let numbered = body.trim_start_matches(|c: char| c.is_ascii_digit());
            in_list = body.starts_with(['-', '*', '+'])
                || (numbered.len() < body.len() && numbered.starts_with(['.', ')']));
        }
        after_blank = body.is_empty();
        plain.push_str(line);
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOSE: ImportSpec = ImportSpec {
        depth: 4,
        strict: false,
        once: true,
        user_anywhere: true,
        within_start: true,
    };

    #[test]
    fn only_what_begins_a_word_outside_code_is_imported() {
        let text = "see @docs/one.md and `@docs/code.md` (@paren.md) me@name.md **@bold.md** @a\\ b.md @x.md#part\n\
                    ```\n@fenced.md\n```\n\n    @indented.md\n\n<!-- @comment.md --> @pic.png @noext @~/home.md";
        assert_eq!(
            imports(LOOSE, text),
            ["docs/one.md", "bold.md", "a b.md", "x.md", "noext", "~/home.md"]
        );
        let strict = ImportSpec {
            strict: true,
            ..LOOSE
        };
        assert_eq!(
            imports(strict, "@./a.md `@b.md` @1.md x@c.md @http://d @e.md,"),
            ["./a.md", "e.md,"]
        );
    }
}
