//! What a server says, as it wrote it: the SDK's types hold the fields that they know and drop the others.
//!
//! A request that [`verbatim`] marks is answered with [`ServerResult::CustomResult`], which is the result as it came.
//! Notifications and requests of the server keep the SDK's types, and carry what they were made from in their metadata;
//! [`written`] takes it out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomResult, GetExtensions, JsonObject, JsonRpcMessage, RequestId,
    ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::{Map, Value};

/// The key under which what was written travels through the SDK. Whatever a server puts there itself is what it wrote,
/// and travels within.
const WRITTEN: &str = "aleph/written";

/// The methods of the server's own messages that are kept as they were written.
const KEPT: [&str; 5] = [
    "elicitation/create",
    "notifications/message",
    "notifications/progress",
    "roots/list",
    "sampling/createMessage",
];

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
    match meta.remove(WRITTEN) {
        Some(Value::Object(written)) => Some(written),
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

/// The requests under way whose results are wanted as they are written.
#[derive(Default)]
pub(super) struct Wanted(Mutex<HashMap<RequestId, Way>>);

impl Wanted {
    fn ids<T>(&self, work: impl FnOnce(&mut HashMap<RequestId, Way>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// A message that was read, for the SDK; none if it is no message of the protocol.
    pub(super) fn read(&self, mut message: Value) -> Option<RxJsonRpcMessage<RoleClient>> {
        let object = message.as_object_mut()?;
        if !object.contains_key("method")
            && let Some((id, _)) = object.get("id").and_then(|id| self.meant(id))
        {
            self.ids(|ids| ids.remove(&id));
            if let Some(result) = object.remove("result") {
                let result = ServerResult::CustomResult(CustomResult(result));
                return Some(JsonRpcMessage::response(result, id));
            }
        }
        keep(object);
        serde_json::from_value(message).ok()
    }

    /// A message that the SDK is going to read itself, with what was written within; none if there is nothing to keep.
    pub(super) fn pack(&self, text: &str) -> Option<String> {
        let mut message: Value = serde_json::from_str(text).ok()?;
        self.put_within(message.as_object_mut()?)
            .then(|| message.to_string())
    }

    /// The same, for one that was read already; none if it is no message of the protocol.
    pub(super) fn packed(&self, mut message: Value) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.put_within(message.as_object_mut()?);
        serde_json::from_value(message).ok()
    }

    fn put_within(&self, message: &mut JsonObject) -> bool {
        if message.contains_key("method") {
            return keep(message);
        }
        let Some((_, way)) = message.get("id").and_then(|id| self.meant(id)) else {
            return false;
        };
        let Some(result) = message.get_mut("result") else {
            return false;
        };
        let written = result.take();
        *result = match (way, &written) {
            (Way::Beside, Value::Object(fields)) => {
                let mut fields = fields.clone();
                put(&mut fields, written);
                Value::Object(fields)
            }
            _ => Value::Object(Map::from_iter([(WRITTEN.to_owned(), written)])),
        };
        true
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
            other => return other,
        };
        // The id as the SDK has it: text that is a number means the number.
        let Some((id, way)) = serde_json::to_value(&response.id)
            .ok()
            .and_then(|id| self.meant(&id))
        else {
            return JsonRpcMessage::Response(response);
        };
        self.ids(|ids| ids.remove(&id));
        let written = match &mut response.result {
            ServerResult::CustomResult(CustomResult(Value::Object(fields))) => match way {
                Way::Whole => fields.remove(WRITTEN),
                Way::Beside => fields
                    .get_mut("_meta")
                    .and_then(Value::as_object_mut)
                    .and_then(|meta| meta.remove(WRITTEN)),
            },
            ServerResult::ListToolsResult(list) => {
                let kept: Vec<&str> = list.tools.iter().map(|tool| &*tool.name).collect();
                let mut written = list.meta.as_mut().and_then(|meta| meta.remove(WRITTEN));
                // The SDK leaves out tools that cannot be called over HTTP.
                if let Some(Value::Array(tools)) = written.as_mut().and_then(|list| list.get_mut("tools")) {
                    tools.retain(|tool| {
                        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
                        kept.contains(&name)
                    });
                }
                written
            }
            _ => None,
        };
        if let Some(written) = written {
            response.result = ServerResult::CustomResult(CustomResult(written));
        }
        JsonRpcMessage::Response(response)
    }
}

/// Puts what a message of the server is made from into its metadata; false if it is not one that is kept.
fn keep(message: &mut JsonObject) -> bool {
    let method = message.get("method").and_then(Value::as_str);
    if !method.is_some_and(|method| KEPT.contains(&method)) {
        return false;
    }
    let Some(Value::Object(params)) = message.get_mut("params") else {
        return false;
    };
    let written = Value::Object(params.clone());
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
