//! A server that is reached over streamable HTTP.

use std::collections::HashMap;
use std::sync::Once;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::error::{FailureKind, ServerError};
use crate::mcp::Limits;

/// The connection to an address; nothing is sent yet.
pub(super) fn transport(
    url: &str,
    headers: &[(String, String)],
    limits: &Limits,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, ServerError> {
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
    Ok(StreamableHttpClientTransport::from_config(config))
}

/// Has `ring` do the cryptography, unless the program has chosen already.
fn choose_cryptography() {
    static CHOOSE: Once = Once::new();
    CHOOSE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
