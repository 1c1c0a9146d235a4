//! Finding, describing, hiding and showing tools.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::judge::Verdict;
use super::view::View;
use super::{Gateway, Unknown};
use crate::report::{HitView, SnapshotFacts, meant, why_nothing};
use crate::tools::disclosure::{HideOutcome, ShowOutcome};
use crate::tools::{Query, SearchOptions, SearchScope, Tool, search_within};

/// What one of the gateway's own tools answers: JSON, or a sentence that says what was wrong.
pub(super) type Answered = Result<Value, String>;

impl Gateway {
    /// `tool_search`. The second is what was found, to be listed from then on.
    pub(super) async fn tool_search(
        &self,
        handle: &str,
        mut arguments: Arguments,
    ) -> Result<(Value, Vec<Tool>), String> {
        let text = arguments.text("query")?;
        let limit = arguments.limit();
        let query = Query::parse(&text).map_err(|error| error.to_string())?;
        self.first_look_is_over().await;
        let view = self.view();
        let options = SearchOptions {
            limit,
            ..SearchOptions::default()
        };
        let scope = self.scope(&view, handle);
        let answer = search_within(&view.index, &scope, None, &query, options);
        let found: Vec<Tool> = answer
            .hits
            .iter()
            .filter_map(|hit| view.tool(hit.tool.name).cloned())
            .collect();
        let described = self.descriptions(&view, handle, &found);
        let facts = SnapshotFacts::default();
        let hits: Vec<HitView<'_>> = answer
            .hits
            .iter()
            .map(|hit| HitView {
                description: described
                    .get(hit.tool.name)
                    .map_or(hit.tool.description, String::as_str),
                ..HitView::of(hit, &facts)
            })
            .collect();
        let unknown = self.0.unknown.borrow().clone();
        let reason = match why_nothing(&view.index, &scope, &answer) {
            Some(_) if view.index.documents().is_empty() => Some(self.why_no_tools(&view, &unknown)),
            reason => reason,
        };
        let suggestions = meant(&text, &view.index, &scope, &answer);
        let mut found_view = json!({
            "query": text,
            "count": hits.len(),
            "matched": answer.matched,
            "truncated": answer.matched > hits.len(),
            "results": hits,
        });
        if let Some(object) = found_view.as_object_mut() {
            if let Some(reason) = reason {
                object.insert("reason".to_owned(), json!(reason));
            }
            if !suggestions.is_empty() {
                object.insert("suggestions".to_owned(), json!(suggestions));
            }
            let is_behind = view.version < self.0.registry.version();
            if let Some(note) = note(&unknown, is_behind) {
                object.insert("note".to_owned(), json!(note));
            }
        }
        Ok((found_view, found))
    }

    /// The tools that are visible under a handle. Without rules that is all of them, and nobody has to be asked.
    fn scope(&self, view: &View, handle: &str) -> SearchScope {
        if self.0.governed.is_empty() {
            return SearchScope::everything();
        }
        let now = self.now();
        self.handles(|handles| {
            let registry = handles.session(handle);
            SearchScope::of(&view.index, |tool| {
                !self.governs(tool.name) || registry.is_visible(tool.name, view, now)
            })
        })
    }

    fn why_no_tools(&self, view: &View, unknown: &Unknown) -> String {
        if self.0.pool.servers().is_empty() {
            "no server is configured and approved: `aleph-discover mcp servers` lists them, \
             `aleph-discover mcp approve NAME` approves one"
        } else if !view.catalogue.quarantined.is_empty() {
            "no tool of the servers can be used"
        } else if unknown.pending.is_empty() && unknown.failed.is_empty() {
            "the servers have no tools that may be called"
        } else {
            "no server has told its tools yet"
        }
        .to_owned()
    }

    /// The descriptions that the rules give to these tools now.
    fn descriptions(&self, view: &View, handle: &str, tools: &[Tool]) -> BTreeMap<String, String> {
        let governed: Vec<&Tool> = tools.iter().filter(|tool| self.governs(&tool.name)).collect();
        if governed.is_empty() {
            return BTreeMap::new();
        }
        let now = self.now();
        self.handles(|handles| {
            let registry = handles.session(handle);
            let described = governed.into_iter().filter_map(|tool| {
                let description = registry.description(&tool.name, view, now)?;
                Some((tool.name.clone(), description.to_owned()))
            });
            described.collect()
        })
    }

    /// The description that the rules give to a tool now.
    pub(super) fn description(&self, view: &View, handle: &str, tool: &Tool) -> Option<String> {
        self.descriptions(view, handle, std::slice::from_ref(tool))
            .remove(&tool.name)
    }

    /// `get_tool_schema`.
    pub(super) async fn get_tool_schema(&self, handle: &str, mut arguments: Arguments) -> Answered {
        let name = arguments.text("name")?;
        self.first_look_for(&name).await;
        let view = self.view();
        let verdict = self.judge(&view, handle, &name);
        if let Some(refusal) = verdict.refusal(&name) {
            return Ok(refusal.view(&name));
        }
        let Verdict::Open(tool) = verdict else {
            return Err(format!("there is no tool `{name}`"));
        };
        let parsed = |raw: Option<&serde_json::value::RawValue>| {
            raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok())
        };
        let description = self.description(&view, handle, tool);
        let mut found = JsonObject::new();
        found.insert("found".to_owned(), json!(true));
        found.insert("name".to_owned(), json!(tool.name));
        found.insert("server".to_owned(), json!(tool.server));
        found.insert("tool".to_owned(), json!(tool.tool));
        found.insert(
            "description".to_owned(),
            json!(description.as_deref().unwrap_or(&tool.description)),
        );
        found.insert("parameters".to_owned(), json!(parsed(Some(&tool.input_schema))));
        if let Some(output) = parsed(tool.output_schema.as_deref()) {
            found.insert("output".to_owned(), output);
        }
        if let Some(annotations) = parsed(tool.annotations.as_deref()) {
            found.insert("annotations".to_owned(), annotations);
        }
        let more = view.more(tool);
        if !more.is_empty() {
            found.insert("more".to_owned(), Value::Object(more));
        }
        Ok(Value::Object(found))
    }

    /// Waits for the first look at the server that a name speaks of, where it does and nothing is known of it.
    pub(super) async fn first_look_for(&self, name: &str) {
        if self.view().tool(name).is_some() {
            return;
        }
        let pending: Vec<String> = self.0.unknown.borrow().pending.iter().cloned().collect();
        for server in pending {
            let prefix = crate::tools::qualified_name(&server, "");
            if name.starts_with(prefix.trim_end_matches('_')) {
                self.first_look_at(&server).await;
            }
        }
        self.view_is_current().await;
    }

    /// `tool_visibility`.
    pub(super) fn tool_visibility(&self, handle: &str, mut arguments: Arguments) -> Answered {
        let action = arguments.text("action")?;
        let name = arguments.text("name")?;
        let view = self.view();
        let now = self.now();
        let name = match view.catalogue.named(&name).as_slice() {
            [tool] => tool.name.clone(),
            _ => name,
        };
        match action.as_str() {
            "hide" => Ok(json!(self.hide(&view, handle, &name, now))),
            "show" => Ok(json!(self.show(&view, handle, &name, now))),
            other => Err(format!("`action` is hide or show, not `{other}`")),
        }
    }

    fn hide(&self, view: &View, handle: &str, name: &str, now: Duration) -> HideOutcome {
        self.handles(|handles| handles.session(handle).hide_tool(name, view, now))
    }

    fn show(&self, view: &View, handle: &str, name: &str, now: Duration) -> ShowOutcome {
        self.handles(|handles| handles.session(handle).show_tool(name, view, now))
    }
}

/// What an agent should know that looks for something: of which servers nothing can be found.
fn note(unknown: &Unknown, is_behind: bool) -> Option<String> {
    const MOST: usize = 5;
    let mut notes = Vec::new();
    if is_behind {
        notes.push("what servers listed just now is not searched yet: search again".to_owned());
    }
    if !unknown.pending.is_empty() {
        let names: Vec<&str> = unknown.pending.iter().map(String::as_str).collect();
        notes.push(format!(
            "still being started, so not searched: {}",
            names.join(", ")
        ));
    }
    for (server, reason) in unknown.failed.iter().take(MOST) {
        notes.push(format!("not searched: {server} ({reason})"));
    }
    if let more @ 1.. = unknown.failed.len().saturating_sub(MOST) {
        notes.push(format!("nor {more} more, which failed too"));
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_searched_is_counted_to_the_end() {
        let mut unknown = Unknown::default();
        assert_eq!(note(&unknown, false), None);
        let behind = note(&unknown, true).unwrap();
        assert!(behind.contains("search again"), "{behind}");
        for nth in 0..7 {
            unknown.failed.insert(nth.to_string(), "it ended".to_owned());
        }
        let note = note(&unknown, false).unwrap();
        assert!(
            note.starts_with("not searched: 0 (it ended); not searched: 1 (it ended)"),
            "{note}"
        );
        assert!(note.ends_with("; nor 2 more, which failed too"), "{note}");
    }
}
