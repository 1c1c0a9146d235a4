//! Which of the tools for resources and prompts exist: those that some server has something for.
//!
//! A gate follows what servers list and not what they declare: behind a declared but empty capability there would be a
//! tool that every call rejects. A lister and its reader come and go together.

use super::Offer;

/// Tools that exist while some server has what they are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gates {
    /// `mcp_list_resources`, `mcp_list_resource_templates` and `mcp_read_resource`.
    pub resources: bool,
    /// `mcp_list_prompts` and `mcp_get_prompt`.
    pub prompts: bool,
}

impl Gates {
    /// The three tools of resources.
    pub const RESOURCES: [&str; 3] = [
        "mcp_list_resources",
        "mcp_list_resource_templates",
        "mcp_read_resource",
    ];

    /// The pair of prompts.
    pub const PROMPTS: [&str; 2] = ["mcp_list_prompts", "mcp_get_prompt"];

    /// The gates that these listings open: resources or templates for the first, prompts for the second.
    pub fn of<'a>(listings: impl IntoIterator<Item = &'a Offer>) -> Self {
        let mut gates = Self::default();
        for listing in listings {
            gates.resources |= !listing.resources.is_empty() || !listing.templates.is_empty();
            gates.prompts |= !listing.prompts.is_empty();
        }
        gates
    }

    /// Whether a tool of this name is behind a gate, and if so whether the gate is open.
    #[must_use]
    pub fn opens(self, tool: &str) -> Option<bool> {
        if Self::RESOURCES.contains(&tool) {
            Some(self.resources)
        } else if Self::PROMPTS.contains(&tool) {
            Some(self.prompts)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::Wanted;

    fn offer(wanted: Wanted, value: serde_json::Value) -> Offer {
        let mut offer = Offer::default();
        offer.add(wanted, value);
        offer
    }

    #[test]
    fn a_gate_opens_for_what_is_listed_by_any_server() {
        let nothing = Offer::default();
        let resource = offer(Wanted::Resources, json!({"uri": "a:b", "name": "b"}));
        let template = offer(Wanted::Templates, json!({"uriTemplate": "a:{b}", "name": "b"}));
        let prompt = offer(Wanted::Prompts, json!({"name": "p"}));
        let of = |offers: &[&Offer]| Gates::of(offers.iter().copied());
        assert_eq!(of(&[]), Gates::default());
        assert_eq!(of(&[&nothing]), Gates::default());
        for offer in [&resource, &template] {
            let gates = of(&[&nothing, offer]);
            assert_eq!((gates.resources, gates.prompts), (true, false));
            assert!(
                Gates::RESOURCES
                    .iter()
                    .all(|tool| gates.opens(tool) == Some(true))
            );
            assert!(Gates::PROMPTS.iter().all(|tool| gates.opens(tool) == Some(false)));
        }
        let gates = of(&[&prompt]);
        assert_eq!((gates.resources, gates.prompts), (false, true));
        assert_eq!(gates.opens("call_tool"), None);
    }
}
