//! The texts of the indexed tools, one after another in one string.

use crate::tools::tool::Tool;

/// How many texts a tool has here.
pub(super) const TEXTS: usize = 6;

/// The texts of every indexed tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    /// Server, tool, qualified name, title, description and schema of every tool.
    pub(super) text: String,
    /// Where each text ends: [`TEXTS`] for each tool.
    pub(super) ends: Vec<u32>,
}

/// What is kept of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// The server that offers it.
    pub server: &'a str,
    /// Its name on that server.
    pub tool: &'a str,
    /// Its qualified name.
    pub name: &'a str,
    /// Its title; empty if it has none.
    pub title: &'a str,
    /// Its description; empty if it has none.
    pub description: &'a str,
    /// The schema of its arguments, as JSON.
    pub parameters: &'a str,
}

impl Documents {
    /// How many tools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len() / TEXTS
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tools, in the order of the catalogue.
    pub fn iter(&self) -> impl Iterator<Item = Document<'_>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The places of the tools of which a name may be `length` bytes long: the qualified one, that of its server's list
    /// or the bare one, or the server's and either of these with a joint of one or two bytes between them. Cheaper than
    /// looking at the names.
    pub(in crate::tools) fn with_names_of(&self, length: usize) -> impl Iterator<Item = usize> {
        let mut begin = 0;
        self.ends
            .chunks_exact(TEXTS)
            .enumerate()
            .filter_map(move |(at, ends)| {
                let &[server, tool, name, _, _, end] = ends else {
                    return None;
                };
                let own = (tool - server) as usize;
                let both = (tool - std::mem::replace(&mut begin, end)) as usize;
                // Where the tool's name begins with the server's and a colon. `server:bare` is as long as the name.
                let prefix = both - own + 1;
                let fits = (name - tool) as usize == length
                    || own == length
                    || own == length + prefix
                    || own + 1 == length
                    || both + 1 == length
                    || both + 2 == length;
                fits.then_some(at)
            })
    }

    /// The tool at a place.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Document<'_>> {
        let first = at.checked_mul(TEXTS)?;
        let mut begin = match first.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        let mut next = |index: usize| {
            let end = *self.ends.get(first + index)?;
            let text = self.text.get(begin as usize..end as usize)?;
            begin = end;
            Some(text)
        };
        Some(Document {
            server: next(0)?,
            tool: next(1)?,
            name: next(2)?,
            title: next(3)?,
            description: next(4)?,
            parameters: next(5)?,
        })
    }

    /// Adds a tool; false, and nothing added, if the texts would have more than 4 GiB.
    pub(super) fn push(&mut self, tool: &Tool) -> bool {
        self.push_texts([
            &tool.server,
            &tool.tool,
            &tool.name,
            tool.title.as_deref().unwrap_or_default(),
            &tool.description,
            tool.input_schema.get(),
        ])
    }

    fn push_texts(&mut self, texts: [&str; TEXTS]) -> bool {
        let added: usize = texts.iter().map(|text| text.len()).sum();
        if u32::try_from(self.text.len().saturating_add(added)).is_err() {
            return false;
        }
        for text in texts {
            self.text.push_str(text);
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        }
        true
    }

    /// Documents with server, name and description alone, for tests.
    #[cfg(test)]
    pub(crate) fn of<const N: usize>(tools: [(&str, &str, &str); N]) -> Self {
        let mut documents = Self::default();
        for (server, tool, description) in tools {
            let name = crate::tools::qualified_name(server, tool);
            documents.push_texts([server, tool, &name, "", description, "{}"]);
        }
        documents
    }
}
