//! Black-box tests of the binary, written from the specification: one topic a file.
//!
//! Every run has a home of its own, nothing of this machine's environment, and a minute to end in.
// The trees have links, permissions and FIFOs.
#![cfg(unix)]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect fails, and says where"
)]

mod architecture;
mod archives;
mod chains;
mod cli;
mod completions;
mod corpus;
mod disclosure;
mod entries;
mod explain;
mod find_config;
mod formats;
mod front_matter;
mod gateway;
mod gateway_client;
mod gateway_held;
mod gateway_hostile;
mod gateway_http;
mod gateway_odd;
mod gateway_offers;
mod gateway_peers;
mod gateway_questions;
mod gateway_snippets;
mod gateway_verbatim;
mod hostile;
mod hostile_text;
mod hosts;
mod install;
mod install_apart;
mod install_corpus;
mod install_full;
mod install_sources;
mod interrupted;
mod links;
mod man;
mod marketplaces;
mod mcp_consent;
mod mcp_misbehaving;
mod mcp_on_demand;
mod mcp_peers;
mod mcp_script;
mod mcp_servers;
mod mcp_snapshots;
mod merged;
mod names;
mod native_memory;
mod permissions;
mod plugin_corpus;
mod plugin_left_out;
mod plugin_secrets;
mod plugins;
mod properties;
mod removing;
mod roots;
mod sameness;
mod scanner;
mod support;
mod tools;
mod walk;
mod why;
mod why_installed;
