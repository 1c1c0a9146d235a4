//! Characters that look like others: the skeleton of a text after Unicode Technical Standard 39, section 4.
//!
//! The table stands in a text file rather than in the crate it is made from: as text it has no pointers. That crate's
//! table has 6700, and each would be relocated at every start of the program, though hardly any run looks at one.

use unicode_normalization::UnicodeNormalization;

/// One character a line, sorted: its code, and the codes of what it looks like; none where it is not seen at all.
/// Made from the crate `unicode-security` by the test below, which also compares it.
static TABLE: &str = include_str!("confusables.txt");

/// What a text looks like. Two texts with one skeleton are confusable.
pub(super) fn skeleton(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for character in text.nfd() {
        match prototype(character) {
            None => seen.push(character),
            Some(codes) => seen.extend(codes.split(' ').filter_map(parse)),
        }
    }
    seen.nfd().collect()
}

/// What a character is a look-alike of, as codes; none for one that stands for itself.
fn prototype(character: char) -> Option<&'static str> {
    let mut table = TABLE;
    while !table.is_empty() {
        // Halves are cut at the line that their middle falls into. The table is plain text, so any place can be cut.
        let middle = table.len() / 2;
        let start = table.get(..middle)?.rfind('\n').map_or(0, |at| at + 1);
        let (before, rest) = table.split_at_checked(start)?;
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let (code, codes) = line.split_once(' ').unwrap_or((line, ""));
        match parse(code)?.cmp(&character) {
            std::cmp::Ordering::Equal => return Some(codes),
            std::cmp::Ordering::Less => table = after,
            std::cmp::Ordering::Greater => table = before,
        }
    }
    None
}

fn parse(code: &str) -> Option<char> {
    u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use unicode_security::confusable_detection;

    use super::*;

    /// `REGENERATE=1 cargo test --lib confusables` writes the table anew.
    #[test]
    fn the_table_is_that_of_the_crate() {
        let mut table = String::new();
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            // What is made of several characters is looked up part by part.
            if text.nfd().ne([character]) {
                continue;
            }
            let seen: Vec<char> = confusable_detection::skeleton(&text).collect();
            if seen != [character] {
                let codes = std::iter::once(character).chain(seen);
                let codes: Vec<String> = codes.map(|code| format!("{:x}", u32::from(code))).collect();
                table.push_str(&codes.join(" "));
                table.push('\n');
            }
        }
        if std::env::var_os("REGENERATE").is_some_and(|value| !value.is_empty()) {
            let path = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/discovery/similar/confusables.txt"
            );
            std::fs::write(path, &table).unwrap();
        }
        assert!(
            TABLE == table,
            "`REGENERATE=1 cargo test --lib confusables` writes the table anew"
        );
    }

    #[test]
    fn what_follows_a_character_is_as_the_crate_has_it() {
        let is_seen_as_another = |character: &char| {
            let text = character.to_string();
            confusable_detection::skeleton(&text).ne([*character])
        };
        for character in ('\0'..=char::MAX).filter(is_seen_as_another) {
            let text = format!("a{character}\u{300}");
            let wanted: String = confusable_detection::skeleton(&text).collect();
            assert_eq!(skeleton(&text), wanted, "{:x}", u32::from(character));
        }
    }
}
