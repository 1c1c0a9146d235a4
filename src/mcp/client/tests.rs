//! Servers over streams in memory, and what is told of those that cannot be reached.

use std::sync::Mutex;

use rmcp::ServiceExt;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::*;
use crate::mcp::entry::Wanted;

/// Runs a test in a runtime like that of the command line.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

fn short() -> Limits {
    Limits {
        start_timeout: Duration::from_millis(400),
        request_timeout: Duration::from_millis(400),
        ..Limits::default()
    }
}

/// A server with as many entries of each kind as it is told, in pages of a hundred.
#[derive(Clone)]
struct Shop {
    tools: usize,
    resources: usize,
    prompts: usize,
    capabilities: ServerCapabilities,
}

impl Shop {
    fn new(tools: usize, resources: usize, prompts: usize) -> Self {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        Self {
            tools,
            resources,
            prompts,
            capabilities,
        }
    }

    fn page(all: usize, request: Option<PaginatedRequestParams>) -> (std::ops::Range<usize>, Option<String>) {
        let from: usize = request
            .and_then(|request| request.cursor)
            .map_or(0, |cursor| cursor.parse().expect("a cursor of ours"));
        let to = (from + 100).min(all);
        (from..to, (to < all).then(|| to.to_string()))
    }
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(self.capabilities.clone())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (range, next) = Self::page(self.tools, request);
        let schema = Arc::new(serde_json::Map::new());
        let tools = range.map(|nth| Tool::new(format!("tool {nth}"), "does", Arc::clone(&schema)));
        let mut page = ListToolsResult::with_all_items(tools.collect());
        page.next_cursor = next;
        Ok(page)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (range, next) = Self::page(self.resources, request);
        let resources = range.map(|nth| Resource::new(format!("shop://{nth}"), format!("resource {nth}")));
        let mut page = ListResourcesResult::with_all_items(resources.collect());
        page.next_cursor = next;
        Ok(page)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (range, next) = Self::page(self.prompts, request);
        let prompts = range.map(|nth| Prompt::new(format!("prompt {nth}"), Some("asks"), None));
        let mut page = ListPromptsResult::with_all_items(prompts.collect());
        page.next_cursor = next;
        Ok(page)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = ResourceContents::text("what is there", request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let city = request
            .arguments
            .and_then(|arguments| arguments.get("city").cloned());
        let text = format!("{} in {}", request.name, city.unwrap_or_default());
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}

/// Serves at one end of a pipe in memory, connects at the other.
async fn reach(shop: Shop) -> Connection {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let server = shop.serve(theirs).await.expect("it shakes hands");
        let _ = server.waiting().await;
    });
    let (read, write) = tokio::io::split(ours);
    connect_streams(read, write, &Limits::default(), Plain)
        .await
        .expect("it can be reached")
}

#[test]
fn lists_are_followed_to_their_end_and_cut_but_for_tools() {
    block_on(async {
        let connection = reach(Shop::new(1234, 501, 500)).await;
        assert_eq!(connection.protocol_version(), "2026-07-28");
        let offer = connection.lists(&Wanted::ALL).await.expect("it lists");
        assert_eq!(offer.tools.len(), 1234);
        assert_eq!(offer.resources.len(), 500);
        assert_eq!(offer.prompts.len(), 500);
        assert_eq!(offer.cut, [Wanted::Resources]);
        assert_eq!(
            offer.templates,
            [],
            "the SDK's server has none unless told otherwise"
        );
        let last = offer.resources.last().expect("five hundred");
        assert_eq!(
            (last.uri.as_str(), last.name.as_str()),
            ("shop://499", "resource 499")
        );
        let tool = offer.tools.first().expect("many");
        assert_eq!(tool["name"], "tool 0");
        assert!(tool["inputSchema"].is_object());
        connection.close().await;
    });
}

#[test]
fn what_is_not_declared_is_not_asked_for() {
    block_on(async {
        let mut shop = Shop::new(3, 3, 3);
        shop.capabilities = ServerCapabilities::builder().enable_prompts().build();
        let connection = reach(shop).await;
        let offer = connection.lists(&Wanted::ALL).await.expect("it lists");
        let counts = Wanted::ALL.map(|wanted| offer.count(wanted));
        assert_eq!(counts, [0, 0, 0, 3]);
        connection.close().await;
    });
}

#[test]
fn a_resource_is_read_and_a_prompt_filled_in() {
    block_on(async {
        let connection = reach(Shop::new(0, 1, 1)).await;
        let parts = connection.read_resource("shop://0").await.expect("it reads");
        let [part] = parts.as_slice() else {
            panic!("one part: {parts:?}")
        };
        assert_eq!((part.content.as_str(), part.is_binary), ("what is there", false));
        assert_eq!(part.mime_type.as_deref(), Some("text/plain"));
        let arguments = [("city".to_owned(), "Rome".into())].into_iter().collect();
        let prompt = connection
            .get_prompt("prompt 0", arguments)
            .await
            .expect("it fills in");
        let [(role, content)] = prompt.messages.as_slice() else {
            panic!("one message: {prompt:?}")
        };
        assert_eq!(role, "user");
        assert_eq!(content["text"], "prompt 0 in \"Rome\"");
        connection.close().await;
    });
}

/// A server that is a list of lines: for each line that it reads, in order, what it writes, `ID` being the id that was
/// asked with. At the end it stays silent and open.
async fn scripted(stream: DuplexStream, answers: Vec<String>) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    let mut answers = answers.into_iter();
    while let Ok(Some(line)) = lines.next_line().await {
        let asked: serde_json::Value = serde_json::from_str(&line).expect("the client writes JSON");
        let Some(id) = asked.get("id") else { continue };
        let Some(answer) = answers.next() else { continue };
        let answer = answer.replace("ID", &id.to_string());
        if write.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

const LEGACY: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n";
const HELLO: &str = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":\
    {\"tools\":{},\"resources\":{}},\"serverInfo\":{\"name\":\"old\",\"version\":\"1\"}}}\n";

async fn reach_script(limits: &Limits, answers: &[&str]) -> Result<Connection, ServerError> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(scripted(
        theirs,
        answers.iter().map(|answer| (*answer).to_owned()).collect(),
    ));
    let (read, write) = tokio::io::split(ours);
    connect_streams(read, write, limits, Plain).await
}

#[test]
fn an_old_server_is_spoken_to_as_it_wants() {
    block_on(async {
        let tools = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":null},7]}}\n";
        let connection = reach_script(&short(), &[LEGACY, HELLO, tools])
            .await
            .expect("it is there");
        assert_eq!(connection.protocol_version(), "2024-11-05");
        let offer = connection.lists(&[Wanted::Tools]).await.expect("it lists");
        // What the SDK cannot read is kept for the catalogue, which says what is wrong with it.
        assert_eq!(offer.tools.len(), 2);
        connection.close().await;
    });
}

#[test]
fn a_mute_server_costs_no_more_than_the_time_for_starting() {
    block_on(async {
        let start = Instant::now();
        let error = reach_script(&short(), &[]).await.err().expect("nobody answers");
        assert_eq!(error.kind, FailureKind::Timeout);
        assert_eq!(error.message, "no answer to the handshake within 400ms");
        assert!(start.elapsed() < Duration::from_secs(5));
    });
}

#[test]
fn a_cursor_that_comes_again_ends_the_list() {
    block_on(async {
        let page = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[],\"nextCursor\":\"a\"}}\n";
        let connection = reach_script(&short(), &[LEGACY, HELLO, page, page, page])
            .await
            .expect("it is there");
        let error = connection
            .lists(&[Wanted::Tools])
            .await
            .expect_err("it has no end");
        assert_eq!(error.kind, FailureKind::Protocol);
        assert_eq!(
            error.message,
            "the pages of its tools have no end: one leads back to another"
        );
    });
}

#[test]
fn a_message_that_is_too_large_ends_the_connection_and_is_told() {
    block_on(async {
        let limits = Limits {
            max_message_bytes: 2048,
            ..short()
        };
        let large = format!("{}\n", "x".repeat(2049));
        let connection = reach_script(&limits, &[LEGACY, HELLO, &large])
            .await
            .expect("it is there");
        let error = connection
            .lists(&[Wanted::Tools])
            .await
            .expect_err("it is too large");
        assert_eq!(error.kind, FailureKind::TooMuch);
        assert_eq!(error.message, "it sent a message of more than 2048 bytes");
        assert!(connection.is_closed());
    });
}

#[test]
fn a_message_of_just_the_limit_is_read_and_lines_that_are_no_json_are_skipped() {
    block_on(async {
        let limits = Limits {
            max_message_bytes: 2048,
            ..short()
        };
        let tools = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"tools\":[]}}";
        let noise = "x".repeat(2048);
        let answer = format!("{noise}\nhello?\n\n\u{1b}[31m{{]\n{tools}\n");
        let connection = reach_script(&limits, &[LEGACY, HELLO, &answer])
            .await
            .expect("it is there");
        assert_eq!(
            connection
                .lists(&[Wanted::Tools])
                .await
                .map(|offer| offer.tools.len()),
            Ok(0)
        );
    });
}

#[test]
fn a_server_that_never_stops_talking_is_left() {
    block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let line = format!("{}\n", "y".repeat(65_535));
            while theirs.write_all(line.as_bytes()).await.is_ok() {}
        });
        let (read, write) = tokio::io::split(ours);
        let limits = Limits {
            start_timeout: Duration::from_secs(20),
            ..Limits::default()
        };
        let error = connect_streams(read, write, &limits, Plain)
            .await
            .err()
            .expect("it only talks");
        assert_eq!(error.kind, FailureKind::TooMuch, "{error}");
        assert_eq!(error.message, "it sent more than 67108864 bytes without an end");
    });
}

#[test]
fn a_server_that_closes_says_so() {
    block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let mut first = [0; 16];
            let _ = theirs.read(&mut first).await;
        });
        let (read, write) = tokio::io::split(ours);
        let error = connect_streams(read, write, &short(), Plain)
            .await
            .err()
            .expect("it closed");
        assert_eq!(error.kind, FailureKind::Network);
    });
}

/// A server that is still being downloaded when the SDK gives up its first question, and then answers both.
#[test]
fn a_late_answer_does_not_spoil_the_handshake() {
    /// A transport that hands out what it is given and remembers what was sent.
    struct Slow {
        sent: Arc<Mutex<Vec<serde_json::Value>>>,
    }

    impl Transport<RoleClient> for Slow {
        type Error = std::io::Error;

        fn send(
            &mut self,
            item: rmcp::service::TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            let value = serde_json::to_value(&item).expect("a message is JSON");
            self.sent.lock().expect("not poisoned").push(value);
            async { Ok(()) }
        }

        async fn receive(&mut self) -> Option<rmcp::service::RxJsonRpcMessage<RoleClient>> {
            loop {
                {
                    let mut sent = self.sent.lock().expect("not poisoned");
                    let asks_old = sent.iter().any(|message| message["method"] == "initialize");
                    let next = sent.iter().position(|message| message.get("id").is_some());
                    if let (true, Some(next)) = (asks_old, next) {
                        let asked = sent.remove(next);
                        sent.push(serde_json::json!({"method": "initialize"}));
                        let answer = match asked["method"].as_str() {
                            Some("initialize") => HELLO,
                            _ => LEGACY,
                        };
                        let answer = answer.replace("ID", &asked["id"].to_string());
                        return serde_json::from_str(&answer).ok();
                    }
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let deadline = Instant::now() + Duration::from_secs(30);
        let reach = |patient: bool| async move {
            let slow = Slow { sent: Arc::default() };
            if patient {
                shake_hands(
                    Patient::new(slow, Arc::default()),
                    Plain,
                    Modes::either(),
                    deadline,
                )
                .await
                .map(drop)
            } else {
                shake_hands(slow, Plain, Modes::either(), deadline)
                    .await
                    .map(drop)
            }
        };
        assert_eq!(reach(true).await, Ok(()));
        // As long as this fails, the wrapper is needed.
        assert!(
            reach(false).await.is_err(),
            "the SDK has learnt to wait: drop `Patient`"
        );
    });
}

fn http(url: &str) -> LaunchPlan {
    LaunchPlan {
        name: "web".to_owned(),
        hidden: Vec::new(),
        launch: Launch::Http {
            url: url.to_owned(),
            headers: vec![("Authorization".to_owned(), "Bearer secret-token".to_owned())],
        },
    }
}

async fn failure(plan: &LaunchPlan) -> ServerError {
    connect(
        plan,
        &Limits {
            start_timeout: Duration::from_secs(5),
            ..Limits::default()
        },
        Plain,
    )
    .await
    .err()
    .expect("it cannot be reached")
}

/// An address at which whatever is sent is answered with these bytes.
async fn answering(answer: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(answer).await;
            });
        }
    });
    format!("127.0.0.1:{port}")
}

#[test]
fn what_went_wrong_on_the_network_is_told_apart() {
    block_on(async {
        // Nobody listens at a port that was just given back.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let error = failure(&http(&format!("http://127.0.0.1:{port}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Refused, "{error}");

        let error = failure(&http("http://no-such-host.invalid/mcp")).await;
        assert_eq!(error.kind, FailureKind::Dns, "{error}");

        let host =
            answering(b"HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n")
                .await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Unauthorized, "{error}");

        let host = answering(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Unauthorized, "{error}");

        let host = answering(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::HttpStatus, "{error}");

        let host = answering(b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops").await;
        let error = failure(&http(&format!("http://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::HttpStatus, "{error}");

        // Plain HTTP where TLS is wanted: the provider of cryptography is there, and says what it met.
        let error = failure(&http(&format!("https://{host}/mcp"))).await;
        assert_eq!(error.kind, FailureKind::Tls, "{error}");

        for url in ["ftp://example.invalid/", "nonsense", "http://"] {
            let error = failure(&http(url)).await;
            assert_eq!(error.kind, FailureKind::BadAddress, "{error}");
        }
    });
}

/// An address at which what is sent first is kept and answered with these bytes.
async fn keeping(answer: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
    let keeper = Arc::clone(&kept);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 4096];
            let length = stream.read(&mut asked).await.unwrap_or_default();
            keeper
                .lock()
                .expect("not poisoned")
                .extend_from_slice(asked.get(..length).unwrap_or_default());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (format!("127.0.0.1:{port}"), kept)
}

#[test]
fn headers_are_sent_and_not_to_where_a_redirect_leads() {
    block_on(async {
        let (elsewhere, led) = keeping("HTTP/1.1 204 No Content\r\n\r\n".to_owned()).await;
        let redirect = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/mcp\r\ncontent-length: 0\r\n\r\n"
        );
        let (host, kept) = keeping(redirect).await;
        let error = failure(&http(&format!("http://{host}/mcp?key=hidden-key"))).await;
        assert!(!error.message.contains("hidden-key"), "{error}");
        let sent = String::from_utf8_lossy(&kept.lock().expect("not poisoned")).to_lowercase();
        assert!(sent.contains("authorization: bearer secret-token"), "{sent}");
        assert_eq!(
            *led.lock().expect("not poisoned"),
            b"",
            "the redirect was followed"
        );
    });
}

#[test]
fn one_that_listens_and_never_answers_is_given_up() {
    block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let plan = http(&format!("http://127.0.0.1:{port}/mcp"));
        let error = connect(&plan, &short(), Plain)
            .await
            .err()
            .expect("nobody answers");
        assert_eq!(error.kind, FailureKind::Timeout, "{error}");
        assert_eq!(error.message, "no answer to the handshake within 400ms");
        drop(listener);
    });
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;

    use super::*;

    /// A server that is a shell script.
    fn shell(script: &str) -> LaunchPlan {
        LaunchPlan {
            name: "script".to_owned(),
            hidden: vec!["-----BEGIN\nMIIkey0123\n-----END".to_owned()],
            launch: Launch::Process {
                program: "sh".into(),
                args: vec!["-c".into(), script.into()],
                directory: "/".into(),
                environment: vec![
                    ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                    ("TOKEN".into(), OsString::from("hunter2-hunter2")),
                ],
            },
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        block_on(async {
            let mut plan = shell("");
            if let Launch::Process { program, .. } = &mut plan.launch {
                *program = "/no/such/program".into();
            }
            assert_eq!(failure(&plan).await.kind, FailureKind::NotFound);
            let mut plan = shell("");
            if let Launch::Process { directory, .. } = &mut plan.launch {
                *directory = "/no/such/directory".into();
            }
            let error = failure(&plan).await;
            assert_eq!(error.kind, FailureKind::CannotStart);
            assert_eq!(
                error.message,
                "`sh` cannot be started: there is no directory /no/such/directory"
            );
        });
    }

    #[test]
    fn one_that_ends_early_leaves_its_last_words_without_secrets() {
        block_on(async {
            let error = failure(&shell("echo first >&2; echo \"cannot use $TOKEN\" >&2; exit 3")).await;
            assert_eq!(error.kind, FailureKind::Exited, "{error}");
            assert_eq!(error.message, "it ended early (exit status: 3)");
            assert_eq!(error.stderr, ["first", "cannot use ***"]);
        });
    }

    #[test]
    fn a_secret_is_taken_out_however_it_is_cut() {
        let leaks = |error: &crate::mcp::client::ServerError| {
            let text = format!("{} {}", error.message, error.stderr.join("\n"));
            ["unter2", "MIIkey"].iter().any(|part| text.contains(part))
        };
        block_on(async {
            // Line by line, and on a line of which only the end is kept.
            let lines =
                "printf 'key:\\n-----BEGIN\\r\\nMIIkey0123\\r\\n-----END\\r\\n[MIIkey0123]\\n' >&2; exit 3";
            let error = failure(&shell(lines)).await;
            assert_eq!(error.stderr, ["key:", "***", "[***]"]);
            let long = "i=0; while [ $i -lt 9000 ]; do printf %s \"$TOKEN \" >&2; i=$((i+1)); done; exit 3";
            let error = failure(&shell(long)).await;
            assert!(!leaks(&error) && !error.stderr.is_empty(), "{:?}", error.stderr);
            // In a sentence of the server's that is cut: before it, in the midst of it, and not at all.
            for padding in [300, 355, 360, 365, 420] {
                let said = format!("{} hunter2-hunter2", "x".repeat(padding));
                let answer =
                    format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{{"code":-32603,"message":"{said}"}}}}"#);
                let script = format!(
                    r#"while read -r line; do id=${{line##*'"id":'}}; id=${{id%%[!0-9]*}}; echo '{answer}' | sed "s/ID/$id/"; done"#
                );
                let error = failure(&shell(&script)).await;
                assert_eq!(error.kind, FailureKind::Rejected, "{error}");
                assert!(!leaks(&error), "{padding}: {error}");
                assert_eq!(
                    error.message.contains("***"),
                    padding <= 365,
                    "{padding}: {error}"
                );
            }
        });
    }

    #[test]
    fn it_sees_no_variable_but_those_of_its_plan() {
        block_on(async {
            // `PWD`, `OLDPWD`, `SHLVL` and `_` are the shell's own.
            let script =
                "env | cut -d= -f1 | grep -Ev '^(PWD|OLDPWD|SHLVL|_)$' | sort | tr '\\n' ' ' >&2; exit 1";
            let error = failure(&shell(script)).await;
            assert_eq!(error.stderr, ["PATH TOKEN"]);
        });
    }

    #[test]
    fn standard_error_is_kept_from_its_end() {
        block_on(async {
            let script = "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1";
            let error = failure(&shell(script)).await;
            assert_eq!(error.stderr.len(), 20);
            assert_eq!(error.stderr.last().map(String::as_str), Some("line 2999"));
        });
    }

    #[test]
    fn one_that_dies_at_the_first_question_is_asked_the_old_way() {
        block_on(async {
            let hello = HELLO.trim_end().replace("ID", "0");
            let script = format!(
                "read line; case $line in *server/discover*) exit 1;; esac; echo '{hello}'; cat >/dev/null"
            );
            let connection = connect(&shell(&script), &Limits::default(), Plain)
                .await
                .expect("it is there");
            assert_eq!(connection.protocol_version(), "2024-11-05");
            connection.close().await;
        });
    }
}
