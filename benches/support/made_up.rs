//! Made-up tools: 20 a server, with descriptions of about 20 words and four parameters, from a vocabulary of 20 000 words
//! of which few are common, as in text. The same in each run.

use std::fmt::Write;

/// Short ones, a long one, and a misspelt one.
pub(crate) const QUERIES: [&str; 4] = [
    "send a message to a channel",
    "create word17 word230",
    "I have to look up word12 for a customer and then update the order. Can you list every word99 of last month, and send \
     me a summary of word1500 and word3 with the word42?",
    "wrod17 gdrive",
];

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// The lower a word's number, the commoner it is.
    fn word(&mut self) -> String {
        const COMMON: [&str; 12] = [
            "get", "create", "list", "send", "message", "order", "update", "search", "user", "file", "the",
            "of",
        ];
        match self.next() % 3 {
            0 => COMMON
                .get(usize::try_from(self.next() % 12).unwrap_or(0))
                .copied()
                .unwrap_or("get")
                .to_owned(),
            1 => format!("word{}", self.next() % 200),
            _ => format!("word{}", self.next() % 20_000),
        }
    }

    fn words(&mut self, count: usize, joint: &str) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(joint)
    }
}

/// So many queries of three to ten words, the fixed ones first.
#[allow(dead_code, reason = "only the comparison asks so many")]
pub(crate) fn queries(count: usize) -> Vec<String> {
    let mut numbers = Numbers(11);
    let fixed = QUERIES.map(str::to_owned);
    let made_up = std::iter::repeat_with(|| {
        let words = 3 + usize::try_from(numbers.next() % 8).unwrap_or(0);
        numbers.words(words, " ")
    });
    fixed.into_iter().chain(made_up).take(count).collect()
}

/// So many tools as JSON lines.
pub(crate) fn text(tools: usize) -> String {
    let mut numbers = Numbers(7);
    let mut text = String::new();
    for tool in 0..tools {
        let name = numbers.words(3, "_");
        let description = numbers.words(20, " ");
        let mut parameters = Vec::new();
        for _ in 0..4 {
            let (name, description) = (numbers.words(2, "_"), numbers.words(6, " "));
            parameters.push(format!(
                r#""{name}":{{"type":"string","description":"{description}"}}"#
            ));
        }
        let parameters = parameters.join(",");
        let server = tool / 20;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            r#"{{"server":"server{server}","name":"{name}_{tool}","description":"{description}","inputSchema":{{"type":"object","properties":{{{parameters}}}}}}}"#
        );
    }
    text
}
