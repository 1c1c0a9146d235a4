//! The tools that servers offer, as a catalogue.

use serde_json::Value;

use super::Offer;
use crate::tools::{Catalogue, Source};

/// The catalogue of the tools of servers, each server with its name. What is wrong with a tool costs that tool.
#[must_use]
pub fn catalogue<'a>(offers: impl IntoIterator<Item = (&'a String, &'a Offer)>) -> Catalogue {
    let texts: Vec<(&String, Vec<u8>)> = offers
        .into_iter()
        .map(|(server, offer)| (server, text(&offer.tools)))
        .collect();
    let sources: Vec<Source<'_>> = texts
        .iter()
        .map(|(server, bytes)| Source {
            name: (*server).clone(),
            server: (*server).clone(),
            kind: None,
            bytes,
        })
        .collect();
    // What a server lists is an array, which can always be read.
    Catalogue::read_each(&sources).0
}

/// Tools as the text of a catalogue.
fn text(tools: &[Value]) -> Vec<u8> {
    let clean = tools.iter().cloned().map(|mut tool| {
        // In a catalogue a tool may say which server it is of; a server must not say that its tool is another's.
        if let Some(object) = tool.as_object_mut() {
            object.remove("server");
        }
        tool
    });
    Value::Array(clean.collect()).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_of_the_server_that_lists_it_whatever_it_says() {
        let offer = Offer {
            tools: vec![
                json!({"name": "read", "server": "files", "inputSchema": {"type": "object"}}),
                json!(7),
            ],
            ..Offer::default()
        };
        let catalogue = catalogue([(&"evil".to_owned(), &offer)]);
        let names: Vec<&str> = catalogue.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, catalogue.quarantined.len()), (vec!["evil__read"], 1));
    }
}
