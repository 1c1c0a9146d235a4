//! A server that is reached over streamable HTTP.

use core::net::IpAddr;
use std::collections::HashMap;
use std::sync::{Arc, Once};

use http::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::error::{FailureKind, ServerError};
use super::verbatim::{Questions, Wanted};
use super::web::{Unpacked, Web};
use crate::mcp::Limits;

/// The connection to an address; nothing is sent yet.
pub(super) fn transport(
    url: &str,
    headers: &[(String, String)],
    limits: &Limits,
    questions: Questions,
) -> Result<Unpacked<StreamableHttpClientTransport<Web>>, ServerError> {
    let bad = |message: String| ServerError::new(FailureKind::BadAddress, message);
    let is_web = reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_web {
        return Err(bad("its address is no url of http or https".to_owned()));
    }
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| bad(format!("`{name}` is no name of a header")))?;
        let mut content = HeaderValue::from_str(value.trim()).map_err(|_| {
            bad(format!(
                "the value of the header `{name}` has characters that none may have"
            ))
        })?;
        content.set_sensitive(true);
        custom.insert(header, content);
    }
    choose_cryptography();
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(custom)
        .max_sse_event_size(limits.max_message_bytes)
        .max_json_response_size(limits.max_message_bytes);
    let client =
        client(is_loopback(url)).map_err(|error| bad(format!("there is no client for it: {error}")))?;
    let wanted = Arc::new(Wanted::new(questions));
    let web = Web::new(client, Arc::clone(&wanted));
    Ok(Unpacked::new(
        StreamableHttpClientTransport::with_client(web, config),
        wanted,
    ))
}

/// A client as the SDK's own is, but for what never leaves the machine: that goes through no proxy, which would see its
/// headers and could not reach it.
fn client(is_loopback: bool) -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder()
        .pool_max_idle_per_host(0)
        .redirect(same_origin());
    let builder = if is_loopback { builder.no_proxy() } else { builder };
    builder.build()
}

/// Follows redirects that repeat the request, to where it was sent first and nowhere else: headers must not get to others.
fn same_origin() -> Policy {
    const MOST: usize = 10;
    Policy::custom(|attempt| {
        let repeats = matches!(attempt.status().as_u16(), 307 | 308);
        let first = attempt.previous().first();
        let stays = first.is_some_and(|first| first.origin() == attempt.url().origin());
        if !repeats || !stays {
            attempt.stop()
        } else if attempt.previous().len() > MOST {
            attempt.error(format!("more than {MOST} redirects"))
        } else {
            attempt.follow()
        }
    })
}

fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_address = bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || host == "localhost" || host.ends_with(".localhost")
}

/// Has `ring` do the cryptography, unless the program has chosen already.
fn choose_cryptography() {
    static CHOOSE: Once = Once::new();
    CHOOSE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn what_never_leaves_the_machine_is_known() {
        for url in [
            "http://localhost:1/x",
            "http://LOCALHOST",
            "http://a.localhost",
            "http://127.0.0.1:8080/mcp",
            "http://127.9.9.9",
            "http://[::1]:80/",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://10.0.0.1",
            "http://example.com/localhost",
            "http://127.0.0.1@example.com/",
            "no url",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
