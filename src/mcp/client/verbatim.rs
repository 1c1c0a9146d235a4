//! What a server says, as it wrote it: the SDK's types hold the fields that they know and drop the others.
//!
//! A request that [`verbatim`] marks is answered with [`ServerResult::CustomResult`], which is the result as it came.
//! Notifications of the server keep the SDK's types, and carry what they were made from in their metadata; [`written`] takes
//! it out. Requests of the server are requests that the SDK does not know, if that is wanted ([`Questions`]).

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomRequest, CustomResult, ErrorCode, ErrorData, GetExtensions,
    JsonObject, JsonRpcMessage, RequestId, ServerRequest, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::{Map, Value, json};

use crate::mcp::json::{Head, parse};
use crate::mcp::pool::Relay;

/// The key under which what was written travels through the SDK. Whatever a server puts there itself is what it wrote,
/// and travels within.
const WRITTEN: &str = "aleph/written";

/// The methods of the server's notifications that are kept as they were written.
const KEPT: [&str; 2] = ["notifications/message", "notifications/progress"];

/// The methods of what servers ask.
pub(in crate::mcp) const QUESTIONS: [&str; 3] =
    ["elicitation/create", "roots/list", "sampling/createMessage"];

/// The method under which a question travels through what the SDK reads itself.
const ASKED: &str = "aleph/asked";

/// How a handler is asked what a server asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Questions {
    /// By the SDK's types, which hold the fields that they know.
    Known,
    /// As requests that the SDK does not know, with all that was written; so what is answered is not looked into either.
    Written,
}

impl Questions {
    /// How a handler of this type is asked: the gateway's hands on what it does not look into itself, all others are asked as
    /// the SDK has it.
    pub(super) fn of<H: 'static>() -> Self {
        if TypeId::of::<H>() == TypeId::of::<Relay>() {
            Self::Written
        } else {
            Self::Known
        }
    }
}

/// The mark of a request whose result is wanted as it is written.
#[derive(Clone, Copy)]
struct Mark;

/// Wants the result of a request as the server writes it.
pub(in crate::mcp) fn verbatim(mut request: ClientRequest) -> ClientRequest {
    request.extensions_mut().insert(Mark);
    request
}

/// Takes out what a message of a server was made from: its `params`, as they came.
pub(in crate::mcp) fn written(meta: &mut JsonObject) -> Option<JsonObject> {
    let written = match meta.remove(WRITTEN)? {
        Value::String(packed) => parse(packed.as_bytes()).ok()?,
        written => written,
    };
    match written {
        Value::Object(written) => Some(written),
        _ => None,
    }
}

/// How a result has to travel through the SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In place of a result.
    Whole,
    /// Beside the result, which the SDK's own transport has to read: it learns of headers from tools.
    Beside,
}

/// The requests under way whose results are wanted as they are written, and how questions are.
pub(super) struct Wanted {
    ids: Mutex<HashMap<RequestId, Way>>,
    questions: Questions,
}

impl Wanted {
    pub(super) fn new(questions: Questions) -> Self {
        Self {
            ids: Mutex::default(),
            questions,
        }
    }

    fn ids<T>(&self, work: impl FnOnce(&mut HashMap<RequestId, Way>) -> T) -> T {
        work(&mut self.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something is being sent to the server.
    pub(super) fn sent(&self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) if request.request.extensions().get::<Mark>().is_some() => {
                let way = match request.request {
                    ClientRequest::ListToolsRequest(_) => Way::Beside,
                    _ => Way::Whole,
                };
                self.ids(|ids| ids.insert(request.id.clone(), way));
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.ids(|ids| ids.remove(id));
                }
            }
            _ => {}
        }
    }

    /// The request that an id of an answer means; some servers write numbers as text.
    fn meant(&self, id: &Value) -> Option<(RequestId, Way)> {
        let id = match id {
            Value::String(text) => match text.parse() {
                Ok(number) => RequestId::Number(number),
                Err(_) => RequestId::String(text.as_str().into()),
            },
            number => RequestId::Number(number.as_i64()?),
        };
        self.ids(|ids| ids.get(&id).map(|way| (id.clone(), *way)))
    }

    /// Whether the result of this request is wanted as it is written.
    pub(super) fn wants(&self, id: &RequestId) -> bool {
        self.ids(|ids| ids.contains_key(id))
    }

    /// A message that was read, for the SDK; none if it is no message of the protocol. An answer that cannot be read is a
    /// failure, so that nobody waits for it.
    pub(super) fn read(&self, text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        let mut message = match parse(text) {
            Ok(message) => message,
            Err(error) => {
                let text = String::from_utf8_lossy(text);
                let (id, _) = self.meant(&Head::of(&text)?.answered()?)?;
                self.ids(|ids| ids.remove(&id));
                return Some(JsonRpcMessage::error(unreadable(&error), Some(id)));
            }
        };
        let object = message.as_object_mut()?;
        if !object.contains_key("method")
            && let Some((id, _)) = object.get("id").and_then(|id| self.meant(id))
        {
            self.ids(|ids| ids.remove(&id));
            if let Some(result) = object.remove("result") {
                let result = ServerResult::CustomResult(CustomResult(result));
                return Some(JsonRpcMessage::response(result, id));
            }
            let error = serde_json::from_value(message)
                .unwrap_or_else(|error| JsonRpcMessage::error(unreadable(&error), Some(id)));
            return Some(error);
        }
        if let Some(method) = self.question(object) {
            let id = serde_json::from_value(object.remove("id")?).ok()?;
            let asked = CustomRequest::new(method, object.remove("params"));
            return Some(JsonRpcMessage::request(asked.into(), id));
        }
        keep(object, Value::Object);
        serde_json::from_value(message).ok()
    }

    /// The method of a question that is wanted as it was written.
    fn question(&self, message: &JsonObject) -> Option<&'static str> {
        let method = message.get("method")?.as_str()?;
        let is_wanted = self.questions == Questions::Written && message.contains_key("id");
        QUESTIONS
            .into_iter()
            .find(|question| is_wanted && *question == method)
    }

    /// A message that the SDK is going to read itself, with what was written within, as text: it may be nested as deep as
    /// can be read. None if there is nothing to keep.
    pub(super) fn pack(&self, text: &str) -> Option<String> {
        let head = Head::of(text)?;
        let Some(answered) = head.answered() else {
            let mut message = parse(text.as_bytes()).ok()?;
            if let Some(method) = self.question(message.as_object()?) {
                let params = message.get("params").map(Value::to_string);
                let (id, within) = (message.get("id")?, json!({"method": method, WRITTEN: params}));
                let asked = json!({"jsonrpc": "2.0", "id": id, "method": ASKED, "params": within});
                return Some(asked.to_string());
            }
            let is_kept = keep(message.as_object_mut()?, |written| {
                Value::String(Value::Object(written).to_string())
            });
            return is_kept.then(|| message.to_string());
        };
        let (id, way) = self.meant(&answered)?;
        let Some(written) = head.result() else {
            let error: RxJsonRpcMessage<RoleClient> = parse(text.as_bytes())
                .and_then(serde_json::from_value)
                .unwrap_or_else(|error| JsonRpcMessage::error(unreadable(&error), Some(id)));
            return serde_json::to_string(&error).ok();
        };
        let within = match (way, parse(written.as_bytes())) {
            (Way::Beside, Ok(Value::Object(mut fields))) => {
                put(&mut fields, Value::from(written));
                Value::Object(fields)
            }
            _ => {
                self.ids(|ids| ids.insert(id, Way::Whole));
                json!({WRITTEN: written})
            }
        };
        Some(json!({"jsonrpc": "2.0", "id": answered, "result": within}).to_string())
    }

    /// The same, as it is read then; none if it is no message of the protocol.
    pub(super) fn packed(&self, text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        let text = String::from_utf8_lossy(text);
        match self.pack(&text) {
            Some(packed) => serde_json::from_str(&packed).ok(),
            None => serde_json::from_str(&text).ok(),
        }
    }

    /// A message that the SDK has read itself, with the result as it was written if that is wanted.
    pub(super) fn unpack(&self, message: RxJsonRpcMessage<RoleClient>) -> RxJsonRpcMessage<RoleClient> {
        let mut response = match message {
            JsonRpcMessage::Response(response) => response,
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.ids(|ids| ids.remove(id));
                }
                return JsonRpcMessage::Error(error);
            }
            JsonRpcMessage::Request(mut request) => {
                if let ServerRequest::CustomRequest(asked) = &mut request.request
                    && asked.method == ASKED
                    && let Some(mut within) = asked.params.take()
                {
                    let method = within.get("method").and_then(Value::as_str);
                    asked.method = method.unwrap_or_default().to_owned();
                    let packed = within.get_mut(WRITTEN).map(Value::take);
                    let packed = packed.as_ref().and_then(Value::as_str);
                    asked.params = packed.and_then(|packed| parse(packed.as_bytes()).ok());
                }
                return JsonRpcMessage::Request(request);
            }
            other @ JsonRpcMessage::Notification(_) => return other,
        };
        // The id as the SDK has it: text that is a number means the number.
        let Some((id, way)) = serde_json::to_value(&response.id)
            .ok()
            .and_then(|id| self.meant(&id))
        else {
            return JsonRpcMessage::Response(response);
        };
        self.ids(|ids| ids.remove(&id));
        let packed = match &mut response.result {
            ServerResult::CustomResult(CustomResult(Value::Object(fields))) => match way {
                Way::Whole => fields.remove(WRITTEN),
                Way::Beside => fields
                    .get_mut("_meta")
                    .and_then(Value::as_object_mut)
                    .and_then(|meta| meta.remove(WRITTEN)),
            },
            ServerResult::ListToolsResult(list) => list.meta.as_mut().and_then(|meta| meta.remove(WRITTEN)),
            _ => None,
        };
        let Some(Value::String(packed)) = packed else {
            return JsonRpcMessage::Response(response);
        };
        let mut written = match parse(packed.as_bytes()) {
            Ok(written) => written,
            Err(error) => return JsonRpcMessage::error(unreadable(&error), Some(response.id)),
        };
        // The SDK leaves out tools that cannot be called over HTTP.
        if let ServerResult::ListToolsResult(list) = &response.result
            && let Some(Value::Array(tools)) = written.get_mut("tools")
        {
            let kept: HashSet<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
            tools.retain(|tool| {
                let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
                kept.contains(name)
            });
        }
        response.result = ServerResult::CustomResult(CustomResult(written));
        JsonRpcMessage::Response(response)
    }
}

/// The failure that an answer which cannot be read is for whoever asked.
fn unreadable(error: &serde_json::Error) -> ErrorData {
    let message = format!("the answer of the server cannot be read: {error}");
    ErrorData::new(ErrorCode::PARSE_ERROR, message, None)
}

/// Puts what a message of the server is made from into its metadata; false if it is not one that is kept.
fn keep(message: &mut JsonObject, packed: impl FnOnce(JsonObject) -> Value) -> bool {
    let method = message.get("method").and_then(Value::as_str);
    if !method.is_some_and(|method| KEPT.contains(&method)) {
        return false;
    }
    let Some(Value::Object(params)) = message.get_mut("params") else {
        return false;
    };
    let written = packed(params.clone());
    put(params, written);
    true
}

fn put(fields: &mut JsonObject, written: Value) {
    let meta = fields.entry("_meta").or_insert(Value::Null);
    if !meta.is_object() {
        *meta = Value::Object(Map::new());
    }
    if let Some(meta) = meta.as_object_mut() {
        meta.insert(WRITTEN.to_owned(), written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_as_they_were_written_whoever_reads_them() {
        let params = json!({"mode": "later", "later": [1.0], "_meta": {"progressToken": 1, "own/key": null}});
        for method in QUESTIONS {
            let text = json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params, "later": 1})
                .to_string();
            let wanted = Wanted::new(Questions::Written);
            let packed = wanted.pack(&text).unwrap();
            let of_web = wanted.unpack(serde_json::from_str(&packed).unwrap());
            for read in [of_web, wanted.read(text.as_bytes()).unwrap()] {
                let JsonRpcMessage::Request(request) = read else {
                    panic!("{read:?}");
                };
                assert_eq!(request.id, RequestId::String("q".into()));
                let ServerRequest::CustomRequest(asked) = request.request else {
                    panic!("{:?}", request.request);
                };
                assert_eq!((&*asked.method, asked.params), (method, Some(params.clone())));
            }
            assert!(Wanted::new(Questions::Known).pack(&text).is_none());
        }
    }
}
