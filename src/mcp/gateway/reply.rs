//! What a client is answered: the result of a tool, as it goes over the wire. The SDK's types would drop what they do
//! not know of what a server wrote.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::mcp::client::{FailureKind, ServerError};
use crate::mcp::pool::not_in_our_name;

/// The types of results that the protocol tells apart.
const COMPLETE: &str = "complete";
const INPUT_REQUIRED: &str = "input_required";
const TASK: &str = "task";

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply(JsonObject);

/// What kind of result a server wrote.
#[derive(Debug)]
pub(super) enum Kind {
    /// One that ends the call.
    Complete,
    /// It asks for input first.
    InputRequired,
    /// It began a task, of this name.
    Task(String),
}

/// The kind of a result; older revisions do not say it.
pub(super) fn kind(written: &Value) -> Kind {
    match written.get("resultType").and_then(Value::as_str) {
        Some(INPUT_REQUIRED) => Kind::InputRequired,
        Some(TASK) => {
            let id = written.get("taskId").and_then(Value::as_str);
            Kind::Task(id.unwrap_or_default().to_owned())
        }
        _ => Kind::Complete,
    }
}

/// A sentence that an agent reads as the failure of its call.
pub(super) fn failure(sentence: impl Into<String>) -> Reply {
    let text: String = sentence.into();
    Reply::of(json!({"content": [{"type": "text", "text": text}], "isError": true}))
}

/// The failure of a server, for an agent.
pub(super) fn failed_server(server: &str, error: &ServerError) -> Reply {
    failure(server_failure(server, error))
}

/// What failed, why, and what to do.
pub(super) fn server_failure(server: &str, error: &ServerError) -> String {
    let mut sentence = format!("the server `{server}` failed: {}", error.message);
    if !error.stderr.is_empty() {
        sentence.push_str("; its last words: ");
        sentence.push_str(&error.stderr.join(" / "));
    }
    sentence.push_str(match error.kind {
        FailureKind::Exited | FailureKind::Network | FailureKind::Protocol => {
            ". A later call starts it anew."
        }
        FailureKind::Timeout => {
            ". Call again, or ask for less; if it answers nothing more, it is started anew."
        }
        FailureKind::TooMuch => ". Ask for less.",
        FailureKind::Rejected
        | FailureKind::Refused
        | FailureKind::Dns
        | FailureKind::Tls
        | FailureKind::HttpStatus => ". Call again when the user has seen to it that it can be reached.",
        FailureKind::NotFound
        | FailureKind::CannotStart
        | FailureKind::BadAddress
        | FailureKind::Unauthorized
        | FailureKind::UnsupportedTransport
        | FailureKind::Definition
        | FailureKind::Unapproved => {
            ". Only the user can mend that: `aleph-discover mcp servers` shows how it is configured."
        }
    });
    sentence
}

/// JSON as the answer of a tool: structured, and as text for clients that show no structure.
pub(super) fn answer_of(answer: Value) -> Reply {
    let text = answer.to_string();
    let mut reply = Reply::of(json!({"content": [{"type": "text", "text": text}], "isError": false}));
    // Moved, since it may be large.
    reply.0.insert("structuredContent".to_owned(), answer);
    reply
}

impl Reply {
    fn of(written: Value) -> Self {
        match written {
            Value::Object(fields) => Self(fields),
            _ => Self(Map::new()),
        }
    }

    /// What a server answered to the call of a tool; none if it is not that. `content` may be left out.
    pub(super) fn of_tool(written: Value) -> Option<Self> {
        let Value::Object(mut fields) = written else {
            return None;
        };
        let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
        let fits = match fields.get("content") {
            Some(Value::Array(blocks)) => blocks.iter().all(is_block),
            Some(_) => false,
            None => {
                let known = ["structuredContent", "isError"];
                let is_any = known.iter().any(|key| fields.contains_key(*key));
                is_any || fields.keys().all(|key| key == "_meta" || key == "resultType")
            }
        };
        if !fits {
            return None;
        }
        fields.entry("content").or_insert_with(|| json!([]));
        Some(Self(not_in_our_name(fields)))
    }

    /// A result of a server that asks the client for input.
    pub(super) fn input_required(written: Value) -> Self {
        let mut fields = not_in_our_name(Self::of(written).0);
        if let Some(Value::Object(questions)) = fields.get_mut("inputRequests") {
            for question in questions.values_mut() {
                if let Some(Value::Object(params)) = question.get_mut("params") {
                    *params = not_in_our_name(std::mem::take(params));
                }
            }
        }
        Self(fields)
    }

    /// The questions of servers, and by what the answers are known.
    pub(super) fn asking(questions: JsonObject, state: &str) -> Self {
        Self::of(json!({"resultType": INPUT_REQUIRED, "inputRequests": questions, "requestState": state}))
    }

    /// Whether the call ended, and well.
    pub(super) fn succeeded(&self) -> bool {
        self.is_complete() && self.0.get("isError") != Some(&Value::Bool(true))
    }

    /// Whether the call ended.
    pub(super) fn is_complete(&self) -> bool {
        self.0.get("resultType").and_then(Value::as_str) != Some(INPUT_REQUIRED)
    }

    /// Fields of a server beside those of a tool's result, which stay as they are.
    pub(super) fn with_fields(mut self, fields: JsonObject) -> Self {
        for (key, value) in not_in_our_name(fields) {
            self.0.entry(key).or_insert(value);
        }
        self
    }

    /// Adds to `_meta`.
    pub(super) fn add_meta(&mut self, key: &str, value: Value) {
        let meta = self.0.entry("_meta").or_insert(Value::Null);
        if !meta.is_object() {
            *meta = Value::Object(Map::new());
        }
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(key.to_owned(), value);
        }
    }

    /// Adds a block of text at the end.
    pub(super) fn add_text(&mut self, text: &str) {
        let content = self.0.entry("content").or_insert_with(|| json!([]));
        if let Some(content) = content.as_array_mut() {
            content.push(json!({"type": "text", "text": text}));
        }
    }

    /// The result in the form of the client's revision. Nothing else is translated:
    ///
    /// - From 2026-07-28 on a result says of which type it is, and before it does not.
    /// - Before, structured content is an object; what is none is text then.
    pub(super) fn for_client(self, is_modern: bool) -> Value {
        let Self(mut fields) = self;
        if is_modern {
            fields.entry("resultType").or_insert_with(|| json!(COMPLETE));
            return Value::Object(fields);
        }
        if fields.get("resultType").and_then(Value::as_str) == Some(COMPLETE) {
            fields.remove("resultType");
        }
        if fields
            .get("structuredContent")
            .is_some_and(|content| !content.is_object())
            && let Some(structured) = fields.remove("structuredContent")
        {
            let content = fields.entry("content").or_insert_with(|| json!([]));
            if let Some(blocks) = content.as_array_mut() {
                let first = blocks.first().and_then(|block| block.get("text")?.as_str());
                let said = first.and_then(|text| serde_json::from_str::<Value>(text).ok());
                if said.as_ref() != Some(&structured) {
                    blocks.insert(0, json!({"type": "text", "text": structured.to_string()}));
                }
            }
        }
        Value::Object(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_result_of_a_tool_is_told() {
        for no in [
            json!(null),
            json!("text"),
            json!({"weird": 1}),
            json!({"content": "text"}),
            json!({"content": [1]}),
            json!({"content": [{"text": "no type"}]}),
        ] {
            assert_eq!(Reply::of_tool(no.clone()), None, "{no}");
        }
        for (yes, sent) in [
            (json!({}), json!({"content": []})),
            (
                json!({"structuredContent": null, "x": 1}),
                json!({"structuredContent": null, "x": 1, "content": []}),
            ),
            (
                json!({"content": [{"type": "hologram", "depth": 3}]}),
                json!({"content": [{"type": "hologram", "depth": 3}]}),
            ),
        ] {
            assert_eq!(Reply::of_tool(yes).unwrap().0, *sent.as_object().unwrap());
        }
    }

    #[test]
    fn a_result_has_the_form_of_the_clients_revision() {
        let written = json!({"resultType": "complete", "content": [], "structuredContent": [1, 2]});
        let reply = Reply::of_tool(written.clone()).unwrap();
        assert_eq!(reply.clone().for_client(true), written);
        assert_eq!(
            reply.for_client(false),
            json!({"content": [{"type": "text", "text": "[1,2]"}]})
        );
        let old = json!({"content": [{"type": "text", "text": "1"}], "structuredContent": {}, "later": 1});
        let reply = Reply::of_tool(old.clone()).unwrap();
        assert_eq!(reply.clone().for_client(false), old);
        let mut told = old;
        told["resultType"] = json!("complete");
        assert_eq!(reply.for_client(true), told);
        // Text that says the same is not said twice.
        let said = json!({"content": [{"type": "text", "text": "[1, 2]"}], "structuredContent": [1, 2]});
        let sent = Reply::of_tool(said).unwrap().for_client(false);
        assert_eq!(sent, json!({"content": [{"type": "text", "text": "[1, 2]"}]}));
    }
}
