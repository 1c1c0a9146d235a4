//! Finding, describing, hiding and showing tools.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::Gateway;
use super::arguments::Arguments;
use super::judge::Verdict;
use super::session::Client;
use super::view::View;
use crate::report::{meant, why_nothing};
use crate::tools::disclosure::{HideOutcome, ShowOutcome};
use crate::tools::{Contribution, Query, SearchOptions, SearchScope, Tool, search_within};

/// What one of the gateway's own tools answers: JSON, or a sentence that says what was wrong.
pub(super) type Answered = Result<Value, String>;

/// A hit, as short as an agent needs it: what it reads here counts against the text that it can hold.
#[derive(serde::Serialize)]
struct Found<'a> {
    name: &'a str,
    server: &'a str,
    tool: &'a str,
    description: &'a str,
    parameters: Option<Value>,
    score: f64,
    why: String,
}

/// What made a score: each field with the words that it was found by, most first, such as `name: read, file`.
fn why(parts: &[Contribution]) -> String {
    let mut fields: Vec<(&str, Vec<String>)> = Vec::new();
    for part in parts {
        let field = part.part.as_str();
        let word = part.matched.as_ref().or(part.term.as_ref()).cloned();
        match fields.iter_mut().find(|(known, _)| *known == field) {
            Some((_, words)) => words.extend(word),
            None => fields.push((field, word.into_iter().collect())),
        }
    }
    let field = |(field, words): (&str, Vec<String>)| match words.as_slice() {
        [] => field.to_owned(),
        words => format!("{field}: {}", words.join(", ")),
    };
    fields.into_iter().map(field).collect::<Vec<_>>().join("; ")
}

/// What to try where nothing was found: the servers that there are.
fn servers_of(view: &View, scope: &SearchScope) -> String {
    const SHOWN: usize = 20;
    let mut servers: Vec<&str> = scope.tools(&view.index).map(|tool| tool.server).collect();
    servers.sort_unstable();
    servers.dedup();
    let more = servers.len().saturating_sub(SHOWN);
    servers.truncate(SHOWN);
    let mut told = servers.join(", ");
    if more > 0 {
        told.push_str(&format!(" and {more} more"));
    }
    format!("; try other words, or `server:NAME` for the tools of one server: {told}")
}

impl Gateway {
    /// `tool_search`. The second is what was found, to be listed from then on.
    pub(super) async fn tool_search(
        &self,
        client: &Client<'_>,
        handle: &str,
        mut arguments: Arguments,
    ) -> Result<(Value, Vec<Tool>), String> {
        let text = arguments.text("query")?;
        let limit = arguments.limit();
        let query = Query::parse(&text).map_err(|error| error.to_string())?;
        self.first_look_is_over(&client.owner()).await;
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
        let hits: Vec<Found<'_>> = answer
            .hits
            .iter()
            .map(|hit| Found {
                name: hit.tool.name,
                server: hit.tool.server,
                tool: hit.tool.tool,
                description: described
                    .get(hit.tool.name)
                    .map_or(hit.tool.description, String::as_str),
                parameters: serde_json::from_str(hit.tool.parameters).ok(),
                score: (hit.score * 1000.0).round() / 1000.0,
                why: why(&hit.why),
            })
            .collect();
        let reason = match why_nothing(&view.index, &scope, &answer) {
            Some(_) if view.index.documents().is_empty() => Some(self.why_no_tools(&view)),
            Some(_) if !answer.missing.is_empty() => Some(self.why_not_these(&view, handle, &answer.missing)),
            Some(_) if scope.count(&view.index) == 0 => Some("no tool is visible now".to_owned()),
            Some(reason) => Some(reason + &servers_of(&view, &scope)),
            None => None,
        };
        let suggestions = match answer.missing.first() {
            // What is there and may not be called is not mistaken for another.
            Some(missing) if !matches!(self.judge(&view, handle, missing), Verdict::Unknown(_)) => Vec::new(),
            _ => meant(&text, &view.index, &scope, &answer),
        };
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
            let mut notes: Vec<String> = self.note(is_behind).into_iter().collect();
            if answer.matched == 0 {
                notes.extend(self.absent());
            }
            if !notes.is_empty() {
                let note = notes.join("; ");
                object.insert("note".to_owned(), json!(note));
            }
        }
        Ok((found_view, found))
    }

    /// Why tools that were asked for by name cannot be had.
    fn why_not_these(&self, view: &View, handle: &str, names: &[String]) -> String {
        const SHOWN: usize = 5;
        let refusals = names.iter().take(SHOWN).filter_map(|name| {
            let refusal = self.judge(view, handle, name).refusal(name)?;
            Some(match refusal.next {
                Some(next) => format!("{}; next: {next}", refusal.message),
                None => refusal.message,
            })
        });
        refusals.collect::<Vec<_>>().join(". ")
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

    fn why_no_tools(&self, view: &View) -> String {
        let unknown = self.0.unknown.borrow();
        if self.0.pool.servers().is_empty() {
            "no server is configured and approved: `aleph-discover mcp servers` lists them, \
             `aleph-discover mcp approve NAME` approves one"
        } else if !view.catalogue.quarantined.is_empty() {
            "no tool of the servers can be used"
        } else if unknown.pending.is_empty() && unknown.failed.is_empty() {
            "the servers have no tools that may be called"
        } else if unknown.pending.is_empty() {
            "none of the servers could be asked what it has; search again when that is mended"
        } else {
            "no server has told its tools yet; search again in a moment"
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
    pub(super) async fn get_tool_schema(
        &self,
        client: &Client<'_>,
        handle: &str,
        mut arguments: Arguments,
    ) -> Answered {
        let name = arguments.text("name")?;
        self.first_look_for(&name, &client.owner()).await;
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
