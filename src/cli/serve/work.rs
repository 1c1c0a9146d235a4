//! Serving: over standard input and output, or over HTTP.

use std::io::{self, IsTerminal, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use aleph_discover::mcp::Limits;
use aleph_discover::mcp::gateway::{Gateway, GatewayConfig, http, streams};
use aleph_discover::mcp::pool::Plans;

use super::args::Serve;
use super::settings::{self, Consents, Keeper};
use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::mcp::ask::runtime;
use crate::cli::output::Output;
use crate::cli::session;

/// The variable that holds the token of the gateway over HTTP.
const TOKEN: &str = "ALEPH_DISCOVER_TOKEN";

/// Where HTTP is served, and who may come in.
struct Http {
    address: SocketAddr,
    token: String,
    /// Whether the token is ours to tell.
    is_new: bool,
    allow_remote: bool,
}

pub(super) fn run(args: &Serve, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let home = manager.aleph_home()?;
    let http = args
        .http
        .as_deref()
        .map(|address| place(args, address))
        .transpose()?;
    let policy = settings::policy(global, &home, output)?;
    let servers = settings::servers(args, &manager, &home, output)?;
    let rules = settings::rules(args, &home, &servers, output)?;
    let (limits, mut told) = Limits::of_home(&home);
    let (tiers, wrong) = crate::cli::tools::tiers(&manager);
    told.extend(wrong);
    let mut hints = Vec::new();
    if http.is_none() && io::stdin().is_terminal() {
        hints.push(
            "this waits for an agent that speaks MCP on standard input, and Ctrl-C ends it; \
             `aleph-discover serve --print-config AGENT` prints what to tell an agent, so that it starts this itself"
                .to_owned(),
        );
    }
    output.talk(&told, &hints)?;
    output.flush()?;
    let keep = Arc::new(Keeper::new(&home, &servers));
    let consents = Consents::new(args, &home, &servers);
    let plans = Plans::new(servers.plans, limits.clone());
    let connector = Arc::new(plans.with_consent(move |server| consents.hold(server)));
    let (snapshots, absent) = (servers.snapshots, servers.absent);
    let served = runtime::run(async move {
        let config = GatewayConfig {
            policy,
            tiers,
            rules,
            limits,
            snapshots,
            absent,
            keep,
            looks_at_once: http.is_some(),
            ..GatewayConfig::default()
        };
        let gateway = Gateway::new(connector, config);
        let served = match http {
            None => over_streams(&gateway).await,
            Some(http) => over_http(&gateway, &http).await,
        };
        gateway.close().await;
        served
    })?;
    served.map_err(|error| {
        let help = if args.http.is_some() {
            "give another address and port, or port 0 for one that is free"
        } else {
            "an agent starts this itself: `serve --print-config` prints what to tell it"
        };
        Failure::usage(format!("cannot serve: {error}"), help)
    })?;
    Ok(Exit::Done)
}

/// One client, until it closes its end.
async fn over_streams(gateway: &Gateway) -> io::Result<()> {
    let (read, write) = rmcp::transport::stdio_pipes();
    streams::serve(gateway, read, write).await
}

async fn over_http(gateway: &Gateway, http: &Http) -> io::Result<()> {
    let bound = tokio::net::TcpListener::bind(http.address).await;
    let listener = bound.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => "something else listens there".to_owned(),
            io::ErrorKind::AddrNotAvailable => "it is no address of this machine".to_owned(),
            io::ErrorKind::PermissionDenied => "ports below 1024 take rights that you do not have".to_owned(),
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("cannot listen on {}: {why}", http.address))
    })?;
    let address = listener.local_addr()?;
    let mut stderr = anstream::stderr().lock();
    writeln!(stderr, "listening on http://{address}{}", http::PATH)?;
    if http.is_new {
        writeln!(stderr, "token: {}", http.token)?;
    }
    drop(stderr);
    http::serve(
        gateway,
        listener,
        &http.token,
        http.allow_remote,
        std::future::pending(),
    )
    .await
}

/// The address and the token.
fn place(args: &Serve, text: &str) -> Result<Http, Failure> {
    let usage =
        |message: String| Failure::usage(message, "give an address and a port, such as 127.0.0.1:8080");
    let address = text
        .to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .ok_or_else(|| usage(format!("`{text}` is no address with a port")))?;
    if !address.ip().is_loopback() && !args.allow_remote {
        return Err(Failure::refused(
            format!(
                "other machines reach {}, and whoever has the token calls every tool",
                address.ip()
            ),
            "give a loopback address such as 127.0.0.1, or say --allow-remote",
        ));
    }
    let (token, is_new) = match std::env::var(TOKEN) {
        Ok(token) if token.trim().is_empty() => {
            return Err(Failure::usage(
                format!("{TOKEN} is empty"),
                "unset it to have a token made",
            ));
        }
        // No header carries anything else, so nobody could come in.
        Ok(token) if !token.trim().bytes().all(|byte| byte.is_ascii_graphic()) => {
            return Err(Failure::usage(
                format!("{TOKEN} has characters that no token may have"),
                "use letters, digits and `-._~+/=`, or unset it to have a token made",
            ));
        }
        Ok(token) => (token.trim().to_owned(), false),
        Err(std::env::VarError::NotUnicode(_)) => {
            return Err(Failure::usage(
                format!("{TOKEN} is not UTF-8"),
                "use letters, digits and `-._~+/=`, or unset it to have a token made",
            ));
        }
        Err(std::env::VarError::NotPresent) => (http::random_token()?, true),
    };
    Ok(Http {
        address,
        token,
        is_new,
        allow_remote: args.allow_remote,
    })
}
