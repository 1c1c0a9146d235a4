//! What a server of the SDK lists, gives and fills in.

use rmcp::ServiceExt;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use super::*;
use crate::mcp::entry::Wanted;

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
