//! Asking a server that has shaken hands: lists to their end, one resource, one prompt.

use std::collections::HashSet;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientRequest, GetPromptRequestParams, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, ReadResourceRequestParams,
    ResourceContents, ServerResult,
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use super::Connection;
use super::error::{FailureKind, ServerError};
use super::verbatim::verbatim;
use crate::mcp::Limits;
use crate::mcp::entry::{Content, Offer, PromptText, Wanted};

/// How many times the time for one request a whole list may take, however many pages it has.
const LONGEST_LIST: u32 = 4;

impl<H: ClientHandler> Connection<H> {
    /// Asks for lists, to the end of their pages. What the server does not offer is empty and not asked for.
    ///
    /// # Errors
    ///
    /// Why the first list that failed did; [`close_after`](Self::close_after) adds what the process tells.
    pub async fn lists(&self, wanted: &[Wanted]) -> Result<Offer, ServerError> {
        let mut offer = Offer::default();
        for wanted in wanted {
            if self.offers(*wanted) {
                self.list(*wanted, &mut offer).await?;
            }
        }
        Ok(offer)
    }

    /// Whether the server says that it has such a list.
    #[must_use]
    pub fn offers(&self, wanted: Wanted) -> bool {
        let capabilities = self.capabilities();
        match wanted {
            Wanted::Tools => capabilities.tools.is_some(),
            Wanted::Resources | Wanted::Templates => capabilities.resources.is_some(),
            Wanted::Prompts => capabilities.prompts.is_some(),
        }
    }

    async fn list(&self, wanted: Wanted, offer: &mut Offer) -> Result<(), ServerError> {
        let longest = self.limits().request_timeout.saturating_mul(LONGEST_LIST);
        match timeout_at(Instant::now() + longest, self.pages(wanted, offer)).await {
            Ok(listed) => listed,
            Err(_) => Err(ServerError::timeout(
                &format!("all pages of its {}", wanted.as_str()),
                longest,
            )),
        }
    }

    async fn pages(&self, wanted: Wanted, offer: &mut Offer) -> Result<(), ServerError> {
        let most = match wanted {
            Wanted::Tools => usize::MAX,
            Wanted::Resources | Wanted::Templates | Wanted::Prompts => Limits::MAX_ENTRIES,
        };
        let name = wanted.as_str();
        let mut seen = HashSet::new();
        let mut cursor = None;
        let mut bytes = 0_usize;
        for _ in 0..Limits::MAX_PAGES {
            let (entries, next) = match self.page(wanted, cursor.take()).await {
                Ok(page) => page,
                // Servers declare resources and have no templates: that is a list without entries.
                Err(error) if error.is_method_not_found() && seen.is_empty() => return Ok(()),
                Err(error) => return Err(error),
            };
            for entry in entries {
                if offer.count(wanted) >= most {
                    offer.cut.push(wanted);
                    return Ok(());
                }
                bytes = bytes.saturating_add(entry.to_string().len());
                offer.add(wanted, entry);
            }
            if bytes > Limits::MAX_ANSWER_BYTES {
                let message = format!("its {name} have more than {} bytes", Limits::MAX_ANSWER_BYTES);
                return Err(ServerError::new(FailureKind::TooMuch, message));
            }
            let Some(next) = next else { return Ok(()) };
            if !seen.insert(next.clone()) {
                let message = format!("the pages of its {name} have no end: one leads back to another");
                return Err(ServerError::new(FailureKind::Protocol, message));
            }
            cursor = Some(next);
        }
        let message = format!("its {name} have more than {} pages", Limits::MAX_PAGES);
        Err(ServerError::new(FailureKind::TooMuch, message))
    }

    /// One page, entry by entry as the server wrote them: one that the SDK cannot read must not cost the others.
    async fn page(
        &self,
        wanted: Wanted,
        cursor: Option<String>,
    ) -> Result<(Vec<Value>, Option<String>), ServerError> {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let (key, request) = match wanted {
            Wanted::Tools => {
                let request = ListToolsRequest {
                    params,
                    ..Default::default()
                };
                ("tools", ClientRequest::ListToolsRequest(request))
            }
            Wanted::Resources => {
                let request = ListResourcesRequest {
                    params,
                    ..Default::default()
                };
                ("resources", ClientRequest::ListResourcesRequest(request))
            }
            Wanted::Templates => {
                let request = ListResourceTemplatesRequest {
                    params,
                    ..Default::default()
                };
                (
                    "resourceTemplates",
                    ClientRequest::ListResourceTemplatesRequest(request),
                )
            }
            Wanted::Prompts => {
                let request = ListPromptsRequest {
                    params,
                    ..Default::default()
                };
                ("prompts", ClientRequest::ListPromptsRequest(request))
            }
        };
        let what = format!("the request for its {}", wanted.as_str());
        let answer = self
            .within(&what, self.peer().send_request(verbatim(request)))
            .await?;
        let not_a_list = || {
            let message = format!("its answer to {what} is no list");
            ServerError::new(FailureKind::Protocol, message)
        };
        let answer = match answer {
            ServerResult::CustomResult(custom) => custom.0,
            other => serde_json::to_value(&other).map_err(|_| not_a_list())?,
        };
        let Value::Object(mut answer) = answer else {
            return Err(not_a_list());
        };
        let next = answer
            .get("nextCursor")
            .and_then(Value::as_str)
            .map(str::to_owned);
        match answer.remove(key) {
            Some(Value::Array(entries)) => Ok((entries, next)),
            _ => Err(not_a_list()),
        }
    }

    /// Reads a resource, under the server's own uri; its parts, mostly one.
    ///
    /// # Errors
    ///
    /// Why it could not be read.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<Content>, ServerError> {
        let request = self.service().read_resource(ReadResourceRequestParams::new(uri));
        let answer = self.within("the request for a resource", request).await?;
        answer.contents.into_iter().map(content).collect()
    }

    /// Has a prompt filled in, under the server's own name for it.
    ///
    /// # Errors
    ///
    /// Why it could not be filled in.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<PromptText, ServerError> {
        let mut params = GetPromptRequestParams::new(name);
        if !arguments.is_empty() {
            params = params.with_arguments(arguments);
        }
        let answer = self
            .within("the request for a prompt", self.service().get_prompt(params))
            .await?;
        let no_text = || ServerError::new(FailureKind::Protocol, "a message of its prompt cannot be shown");
        let mut messages = Vec::new();
        for message in answer.messages {
            let value = serde_json::to_value(&message).map_err(|_| no_text())?;
            let role = value
                .get("role")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let content = value.get("content").cloned().unwrap_or(Value::Null);
            messages.push((role, content));
        }
        Ok(PromptText {
            description: answer.description,
            messages,
        })
    }
}

fn content(part: ResourceContents) -> Result<Content, ServerError> {
    match part {
        ResourceContents::TextResourceContents {
            uri, mime_type, text, ..
        } => Ok(Content {
            uri,
            content: text,
            is_binary: false,
            mime_type,
        }),
        ResourceContents::BlobResourceContents {
            uri, mime_type, blob, ..
        } => Ok(Content {
            uri,
            content: blob,
            is_binary: true,
            mime_type,
        }),
        // The SDK may learn of another kind.
        _ => {
            let message = "a part of the resource is neither text nor bytes";
            Err(ServerError::new(FailureKind::Protocol, message))
        }
    }
}
