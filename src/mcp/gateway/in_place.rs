//! How a client is sent what the SDK's types do not hold.
//!
//! Over streams a client is answered by [`Session`](super::Session), which puts a result in the place of the SDK's own.
//! Over HTTP the SDK takes its own types alone: what is meant travels in their metadata, and is put in their place in
//! the events that leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_util::StreamExt;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, MetaObject};
use rmcp::service::RequestContext;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::mcp::json::Head;
use crate::mcp::pool::{IN_PLACE, packed};

/// Where a result is left.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(Arc<Mutex<Option<Value>>>);

impl Place {
    fn put(&self, result: Value) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    pub(super) fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Has the client sent this in place of a result of the SDK, which has to have this metadata.
pub(super) fn put(context: &RequestContext<RoleServer>, result: Value) -> Option<MetaObject> {
    if let Some(place) = context.extensions.get::<Place>() {
        place.put(result);
        return None;
    }
    let mut meta = MetaObject::new();
    meta.insert(IN_PLACE.to_owned(), packed(&result));
    Some(meta)
}

/// A response over HTTP, with what is meant in place of what it travels in: that leaves in events alone.
pub(super) fn unpacked(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| {
        let events = body.into_data_stream();
        Body::from_stream(events.map(|event| event.map(|event| unpack(&event).unwrap_or(event))))
    })
}

/// An event with what is meant in place of what it travels in; none for all others. The SDK writes an event at a time, and
/// its data in one line.
fn unpack(event: &Bytes) -> Option<Bytes> {
    let text = std::str::from_utf8(event).ok()?;
    if !text.contains(IN_PLACE) {
        return None;
    }
    let mut unpacked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("data:").and_then(message) {
            Some(message) => {
                unpacked.push_str("data: ");
                unpacked.push_str(&message);
                unpacked.push('\n');
            }
            None => unpacked.push_str(line),
        }
    }
    Some(Bytes::from(unpacked))
}

fn message(text: &str) -> Option<String> {
    let mut message: JsonObject = serde_json::from_str(text).ok()?;
    let key = ["result", "params"]
        .into_iter()
        .find(|key| message.contains_key(*key))?;
    let mut place = message.remove(key)?;
    let Some(Value::String(meant)) = place.get_mut("_meta")?.as_object_mut()?.remove(IN_PLACE) else {
        return None;
    };
    let meant = RawValue::from_string(meant).ok()?;
    let mut unpacked = BTreeMap::from([(key, meant)]);
    for (key, value) in &message {
        unpacked.insert(key, to_raw_value(value).ok()?);
    }
    serde_json::to_string(&unpacked).ok()
}

/// A message of a client, where it is an answer with what is meant in what the SDK does not look into; none for all others.
pub(super) fn pack(message: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(message);
    let head = Head::of(&text)?;
    let (id, result) = (head.answered()?, head.result()?);
    let packed = json!({"jsonrpc": "2.0", "id": id, "result": {IN_PLACE: result}});
    Some(packed.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_clients_travel_as_text_and_nothing_else_does() {
        let answer = br#"{"jsonrpc":"2.0","id":"q","result":{"later":[1.0]}}"#;
        let packed: Value = serde_json::from_slice(&pack(answer).unwrap()).unwrap();
        assert_eq!(
            packed,
            json!({"jsonrpc": "2.0", "id": "q", "result": {IN_PLACE: "{\"later\":[1.0]}"}})
        );
        for other in [
            &br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"result":{}}}"#[..],
            br#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#,
            b"[]",
            b"",
        ] {
            assert!(pack(other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn what_is_meant_is_put_in_place_and_all_else_is_left() {
        let sent = |text: &str| {
            let event = Bytes::copy_from_slice(text.as_bytes());
            String::from_utf8(unpack(&event).unwrap_or(event).to_vec()).unwrap()
        };
        let packed = "id: 1\ndata: {\"id\":1,\"result\":{\"content\":[],\"_meta\":{\"aleph/in-place\":\"{\\\"a\\\":1}\"}}}\n\n";
        assert_eq!(sent(packed), "id: 1\ndata: {\"id\":1,\"result\":{\"a\":1}}\n\n");
        // Words of a server are not taken for ours.
        let within = "data: {\"id\":1,\"result\":{\"content\":[],\"_meta\":{\"aleph/in-place\":\
                      \"{\\\"_meta\\\":{\\\"aleph/in-place\\\":2}}\"}}}\n\n";
        assert_eq!(
            sent(within),
            "data: {\"id\":1,\"result\":{\"_meta\":{\"aleph/in-place\":2}}}\n\n"
        );
        for other in [
            "data: {\"id\":1,\"error\":{\"message\":\"aleph/in-place\"}}\n\n",
            ":\n\n",
            "data: aleph/in-place\n\n",
        ] {
            assert_eq!(sent(other), other);
        }
    }
}
