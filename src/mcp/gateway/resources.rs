//! Listing and reading the resources and prompts of the servers.

use rmcp::model::{
    ClientRequest, ErrorData, GetPromptRequest, GetPromptRequestParams, JsonObject, ReadResourceRequest,
    ReadResourceRequestParams,
};
use serde_json::{Value, json};

use super::Gateway;
use super::arguments::Arguments;
use super::call::{Answers, Ended, Request};
use super::reply::{Reply, answer_of, failed_server, failure};
use super::search::Answered;
use super::session::Client;
use super::view::View;
use crate::mcp::pool::Failed;
use crate::mcp::{Limits, Offer, Wanted, qualified};
use crate::model::nearest;

impl Gateway {
    /// `mcp_list_resources`.
    pub(super) async fn list_resources(&self, client: &Client<'_>, arguments: Arguments) -> Answered {
        self.list(client, arguments, Wanted::Resources, |server, offer| {
            let entry = |entry: &crate::mcp::ResourceEntry| {
                json!({
                    "server": server,
                    "uri": qualified::qualify(server, &entry.uri),
                    "name": entry.name,
                    "description": entry.description,
                    "mime_type": entry.mime_type,
                })
            };
            offer.resources.iter().map(entry).collect()
        })
        .await
    }

    /// `mcp_list_resource_templates`.
    pub(super) async fn list_templates(&self, client: &Client<'_>, arguments: Arguments) -> Answered {
        self.list(client, arguments, Wanted::Templates, |server, offer| {
            let entry = |entry: &crate::mcp::TemplateEntry| {
                json!({
                    "server": server,
                    "uri_template": qualified::qualify(server, &entry.uri_template),
                    "name": entry.name,
                    "description": entry.description,
                    "mime_type": entry.mime_type,
                })
            };
            offer.templates.iter().map(entry).collect()
        })
        .await
    }

    /// `mcp_list_prompts`.
    pub(super) async fn list_prompts(&self, client: &Client<'_>, arguments: Arguments) -> Answered {
        self.list(client, arguments, Wanted::Prompts, |server, offer| {
            let entry = |entry: &crate::mcp::PromptEntry| {
                json!({
                    "server": server,
                    "name": qualified::qualify(server, &entry.name),
                    "description": entry.description,
                    "arguments": entry.arguments,
                })
            };
            offer.prompts.iter().map(entry).collect()
        })
        .await
    }

    /// Lists of all servers, or of one; a server of an unknown name has nothing.
    async fn list(
        &self,
        client: &Client<'_>,
        mut arguments: Arguments,
        wanted: Wanted,
        entries: impl Fn(&str, &Offer) -> Vec<Value>,
    ) -> Answered {
        let only = arguments.optional_text("server")?;
        self.first_look_is_over(&client.owner()).await;
        let view = self.view();
        let mut all = Vec::new();
        let mut cut = Vec::new();
        let mut having = Vec::new();
        for (server, offer) in &view.offers {
            let own = entries(server, offer);
            if !own.is_empty() {
                having.push(server.as_str());
            }
            if only.as_ref().is_none_or(|only| only == server) {
                all.extend(own);
                if offer.cut.contains(&wanted) {
                    cut.push(server.as_str());
                }
            }
        }
        let mut notes: Vec<String> = Vec::new();
        if !cut.is_empty() {
            let most = Limits::MAX_ENTRIES;
            notes.push(format!("only the first {most} are kept of {}", cut.join(", ")));
        }
        if let Some(only) = only.filter(|only| !view.offers.contains_key(only)) {
            notes.push(
                self.why_away_qualified(&format!("{only}:"))
                    .unwrap_or_else(|| no_server(&only, &having)),
            );
        }
        notes.extend(self.note(false));
        let mut answer = json!({wanted.as_str(): all, "count": all.len()});
        if let Some(object) = answer.as_object_mut()
            && !notes.is_empty()
        {
            object.insert("note".to_owned(), json!(notes.join("; ")));
        }
        Ok(answer)
    }

    /// `mcp_read_resource`.
    pub(super) async fn read_resource(
        &self,
        client: &Client<'_>,
        mut arguments: Arguments,
        answers: Answers,
    ) -> Result<Reply, ErrorData> {
        let uri = match arguments.text("uri") {
            Ok(uri) => uri,
            Err(sentence) => return Ok(failure(sentence)),
        };
        self.first_look_for_resource(&uri, &client.owner()).await;
        let view = self.view();
        let Some((server, own)) = view.resource(&uri) else {
            let is_denied = view.denies_resource(&uri);
            return Ok(failure(self.why_not(&view, "resource", &uri, is_denied)));
        };
        let request = |answers: Answers| {
            let mut params = ReadResourceRequestParams::new(own);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let mut written = match self.ask_server(client, server, &request, answers).await? {
            Ok(written) => written,
            Err(reply) => return Ok(reply),
        };
        let Some(Value::Array(contents)) = written.remove("contents") else {
            return Ok(unfit(server));
        };
        let mut parts = contents.into_iter().map(|contents| part(contents, own));
        let Some(mut answer) = parts.next() else {
            return Ok(failure(format!("`{uri}` holds nothing")));
        };
        // Almost always there is one part.
        let more: Vec<Value> = parts.collect();
        if let Some(object) = answer.as_object_mut()
            && !more.is_empty()
        {
            object.insert("more".to_owned(), json!(more));
        }
        Ok(answer_of(answer).with_fields(written))
    }

    /// `mcp_get_prompt`.
    pub(super) async fn get_prompt(
        &self,
        client: &Client<'_>,
        mut arguments: Arguments,
        answers: Answers,
    ) -> Result<Reply, ErrorData> {
        let given = arguments
            .text("name")
            .and_then(|name| Ok((name, arguments.object("arguments")?)));
        let (name, filled_in) = match given {
            Ok(given) => given,
            Err(sentence) => return Ok(failure(sentence)),
        };
        self.first_look_for_prompt(&name, &client.owner()).await;
        let view = self.view();
        let Some((server, own)) = view.prompt(&name) else {
            let is_denied = view.denies_prompt(&name);
            return Ok(failure(self.why_not(&view, "prompt", &name, is_denied)));
        };
        let request = |answers: Answers| {
            let mut params = GetPromptRequestParams::new(own);
            params.arguments.clone_from(&filled_in);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        };
        let mut written = match self.ask_server(client, server, &request, answers).await? {
            Ok(written) => written,
            Err(reply) => return Ok(reply),
        };
        let Some(messages @ Value::Array(_)) = written.remove("messages") else {
            return Ok(unfit(server));
        };
        let description = written.remove("description");
        let answer = json!({"description": description, "messages": messages});
        Ok(answer_of(answer).with_fields(written))
    }

    /// Asks a server for a client; what the agent should read instead of an answer is the inner error.
    async fn ask_server(
        &self,
        client: &Client<'_>,
        server: &str,
        request: &Request<'_>,
        answers: Answers,
    ) -> Result<Result<JsonObject, Reply>, ErrorData> {
        let mut no_lease = None;
        let rounds = self.rounds(client, "", server, request, answers, &mut no_lease);
        Ok(match rounds.await {
            Ok(Ended::Result(Value::Object(written))) => Ok(written),
            Ok(Ended::Result(_)) => Err(unfit(server)),
            Ok(Ended::Asks(reply)) => Err(reply),
            Err(Failed::Answer(error)) => {
                let sentence = format!(
                    "the server `{server}` answered with error {}: {}",
                    error.code.0, error.message
                );
                let told = JsonObject::from_iter([("structuredContent".to_owned(), json!({"error": error}))]);
                Err(failure(sentence).with_fields(told))
            }
            Err(Failed::Server(error)) => Err(failed_server(server, &error)),
            Err(Failed::Over(sentence)) => Err(failure(sentence)),
            Err(Failed::Cancelled) => return Err(ErrorData::internal_error("cancelled", None)),
        })
    }

    /// Why there is nothing of this name.
    fn why_not(&self, view: &View, what: &str, name: &str, is_denied: bool) -> String {
        if is_denied {
            return format!("the operator denies `{name}`");
        }
        self.why_away_qualified(name)
            .unwrap_or_else(|| nobody_has(view, what, name))
    }
}

/// A part of a resource, of which `own` was asked for. What is neither its content nor its type, nor what was asked for,
/// is in `other` as it was written.
fn part(contents: Value, own: &str) -> Value {
    let Value::Object(mut other) = contents else {
        return json!({"content": contents, "content_type": "other", "mime_type": null});
    };
    // A kind that a later revision adds is shown as it came.
    let kinds = [("text", "text"), ("blob", "binary")];
    let known = kinds
        .into_iter()
        .find(|(key, _)| other.get(*key).is_some_and(Value::is_string));
    let Some((key, content_type)) = known else {
        let mime_type = other.get("mimeType").cloned();
        return json!({"content": other, "content_type": "other", "mime_type": mime_type});
    };
    let (content, mime_type) = (other.remove(key), other.remove("mimeType"));
    if other.get("uri").and_then(Value::as_str) == Some(own) {
        other.remove("uri");
    }
    let mut part = json!({"content": content, "content_type": content_type, "mime_type": mime_type});
    if let Some(part) = part.as_object_mut()
        && !other.is_empty()
    {
        part.insert("other".to_owned(), Value::Object(other));
    }
    part
}

/// An answer that is not the one that was asked for.
fn unfit(server: &str) -> Reply {
    failure(format!("the answer of `{server}` is not what was asked for"))
}

/// There is no server of this name, but there are some that have what is asked for.
fn no_server(name: &str, having: &[&str]) -> String {
    if having.is_empty() {
        return format!("no server is called `{name}`");
    }
    format!(
        "no server is called `{name}`; those that have some: {}",
        having.join(", ")
    )
}

/// No server has this, and what was probably meant.
fn nobody_has(view: &View, what: &str, name: &str) -> String {
    let offers = view.offers.iter();
    let known: Vec<String> = match what {
        "prompt" => offers
            .flat_map(|(server, offer)| offer.prompts.iter().map(move |entry| (server, &entry.name)))
            .map(|(server, own)| qualified::qualify(server, own))
            .collect(),
        _ => offers
            .flat_map(|(server, offer)| offer.resources.iter().map(move |entry| (server, &entry.uri)))
            .map(|(server, own)| qualified::qualify(server, own))
            .collect(),
    };
    let near = nearest(name, known.iter().map(String::as_str));
    if near.is_empty() {
        format!("no server has the {what} `{name}`: give it as it is listed, `server:{what}`")
    } else {
        format!(
            "no server has the {what} `{name}`; did you mean {}?",
            near.join(", ")
        )
    }
}
