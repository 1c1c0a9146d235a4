//! Listing and reading the resources and prompts of the servers.

use rmcp::model::{
    CallToolResponse, ClientRequest, ErrorData, GetPromptRequest, GetPromptRequestParams,
    ReadResourceRequest, ReadResourceRequestParams, ResourceContents, ServerResult,
};
use serde_json::{Value, json};

use super::Gateway;
use super::arguments::Arguments;
use super::call::{Answers, failed_server, failure};
use super::search::Answered;
use super::session::{Client, answer_of};
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
    ) -> Result<CallToolResponse, ErrorData> {
        let uri = match arguments.text("uri") {
            Ok(uri) => uri,
            Err(sentence) => return Ok(failure(sentence).into()),
        };
        self.first_look_for_qualified(&uri, &client.owner()).await;
        let view = self.view();
        let Some((server, own)) = view.resource(&uri) else {
            return Ok(failure(self.nobody_has(&view, "resource", &uri)).into());
        };
        let request = |answers: Answers| {
            let mut params = ReadResourceRequestParams::new(own);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let answer = self.ask_server(client, server, &request, answers).await?;
        let contents = match answer {
            Ok(ServerResult::ReadResourceResult(result)) => result.contents,
            Ok(other) => return Ok(unfit(server, other)),
            Err(response) => return Ok(response),
        };
        let mut parts = contents.into_iter().map(part);
        let Some(mut answer) = parts.next() else {
            return Ok(failure(format!("`{uri}` holds nothing")).into());
        };
        // Almost always there is one part.
        let more: Vec<Value> = parts.collect();
        if let Some(object) = answer.as_object_mut()
            && !more.is_empty()
        {
            object.insert("more".to_owned(), json!(more));
        }
        Ok(answer_of(answer).into())
    }

    /// `mcp_get_prompt`.
    pub(super) async fn get_prompt(
        &self,
        client: &Client<'_>,
        mut arguments: Arguments,
        answers: Answers,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = arguments
            .text("name")
            .and_then(|name| Ok((name, arguments.object("arguments")?)));
        let (name, filled_in) = match given {
            Ok(given) => given,
            Err(sentence) => return Ok(failure(sentence).into()),
        };
        self.first_look_for_qualified(&name, &client.owner()).await;
        let view = self.view();
        let Some((server, own)) = view.prompt(&name) else {
            return Ok(failure(self.nobody_has(&view, "prompt", &name)).into());
        };
        let request = |answers: Answers| {
            let mut params = GetPromptRequestParams::new(own);
            params.arguments.clone_from(&filled_in);
            params.input_responses = answers.responses;
            params.request_state = answers.state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        };
        let answer = self.ask_server(client, server, &request, answers).await?;
        let result = match answer {
            Ok(ServerResult::GetPromptResult(result)) => result,
            Ok(other) => return Ok(unfit(server, other)),
            Err(response) => return Ok(response),
        };
        let answer = json!({"description": result.description, "messages": result.messages});
        Ok(answer_of(answer).into())
    }

    /// Asks a server for a client; what the agent should read instead of an answer is the inner error.
    async fn ask_server(
        &self,
        client: &Client<'_>,
        server: &str,
        request: &(dyn Fn(Answers) -> ClientRequest + Sync),
        answers: Answers,
    ) -> Result<Result<ServerResult, CallToolResponse>, ErrorData> {
        let in_use = match self.0.pool.get(server, &client.owner()).await {
            Ok(in_use) => in_use,
            Err(error) => return Ok(Err(failed_server(server, &error).into())),
        };
        match self.rounds(client, &in_use, request, answers).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(Failed::Answer(error)) => {
                let sentence = format!(
                    "the server `{server}` answered with error {}: {}",
                    error.code.0, error.message
                );
                Ok(Err(failure(sentence).into()))
            }
            Err(Failed::Server(error)) => Ok(Err(failed_server(server, &error).into())),
            Err(Failed::Cancelled) => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    /// Why there is nothing of this name.
    fn nobody_has(&self, view: &View, what: &str, name: &str) -> String {
        if !self.0.policy.allows(name) {
            return format!("the operator denies `{name}`");
        }
        self.why_away_qualified(name)
            .unwrap_or_else(|| nobody_has(view, what, name))
    }
}

/// A part of a resource.
fn part(contents: ResourceContents) -> Value {
    match contents {
        ResourceContents::TextResourceContents { mime_type, text, .. } => {
            json!({"content": text, "content_type": "text", "mime_type": mime_type})
        }
        ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
            json!({"content": blob, "content_type": "binary", "mime_type": mime_type})
        }
        // What a later revision adds is shown as it came.
        other => json!({"content": other, "content_type": "other", "mime_type": null}),
    }
}

/// An answer that is not the one that was asked for: questions for a client of 2026-07-28, or nonsense.
fn unfit(server: &str, answer: ServerResult) -> CallToolResponse {
    match answer {
        ServerResult::InputRequiredResult(required) => required.into(),
        _ => failure(format!("the answer of `{server}` is not what was asked for")).into(),
    }
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
