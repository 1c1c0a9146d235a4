//! What the values of Codex's settings must be, and so those of its agents, which are settings with a name.

use crate::host::{ServerTypes, ValueType};

use ValueType::{
    FilledText, Flag, Integer, NotNegative, OneOf, Servers, Table, TableOfTables, TableOfTexts, Text,
    TextOrTexts, Texts, Whole, WordOrTable,
};

/// Each key of a file, with what the host takes for it. A key that is not here is passed over in settings.
pub(super) const TYPES: &[(&str, ValueType)] = &[
    ("agents", Table),
    ("allow_login_shell", Flag),
    ("allow_symlinked_codex_home", Flag),
    ("analytics", Table),
    (
        "approval_policy",
        WordOrTable(&["untrusted", "on-failure", "on-request", "granular", "never"]),
    ),
    (
        "approvals_reviewer",
        OneOf(&["user", "auto_review", "guardian_subagent"]),
    ),
    ("apps", TableOfTables),
    ("apps_mcp_product_sku", Text),
    ("audio", Table),
    ("auto_review", Table),
    ("background_terminal_max_timeout", Whole),
    ("browser_use", Table),
    ("chatgpt_base_url", Text),
    ("check_for_update_on_startup", Flag),
    (
        "cli_auth_credentials_store",
        OneOf(&["file", "keyring", "auto", "ephemeral"]),
    ),
    ("cloud", Table),
    ("code_mode", Table),
    ("compact_prompt", Text),
    ("computer_use", Table),
    ("default_permissions", Text),
    ("desktop", Table),
    ("developer_instructions", Text),
    ("disable_paste_burst", Flag),
    ("experimental_compact_prompt_file", Text),
    ("experimental_realtime_start_instructions", Text),
    ("experimental_realtime_webrtc_call_base_url", Text),
    ("experimental_realtime_ws_backend_prompt", Text),
    ("experimental_realtime_ws_base_url", Text),
    ("experimental_realtime_ws_model", Text),
    ("experimental_realtime_ws_startup_context", Text),
    ("experimental_thread_store", Table),
    ("experimental_thread_store_endpoint", Text),
    ("experimental_use_unified_exec_tool", Flag),
    ("features", ValueType::TableOfFlags),
    ("feedback", Table),
    (
        "file_opener",
        OneOf(&["vscode", "vscode-insiders", "windsurf", "cursor", "none"]),
    ),
    ("forced_chatgpt_workspace_id", TextOrTexts),
    ("forced_login_method", OneOf(&["chatgpt", "api"])),
    ("ghost_snapshot", Table),
    ("goals", Table),
    ("hide_agent_reasoning", Flag),
    ("history", Table),
    ("hooks", Table),
    ("include_apps_instructions", Flag),
    ("include_collaboration_mode_instructions", Flag),
    ("include_environment_context", Flag),
    ("include_permissions_instructions", Flag),
    ("instructions", Text),
    ("js_repl_node_module_dirs", Texts),
    ("js_repl_node_path", Text),
    ("log_dir", Text),
    ("marketplaces", TableOfTables),
    ("mcp_enterprise_managed_auth", Table),
    ("mcp_oauth_callback_port", Whole),
    ("mcp_oauth_callback_url", Text),
    ("mcp_oauth_credentials_store", OneOf(&["auto", "file", "keyring"])),
    ("mcp_optional_startup_grace_ms", Whole),
    ("mcp_servers", Servers(&SERVERS)),
    ("memories", Table),
    ("model", Text),
    ("model_auto_compact_token_limit", Integer),
    (
        "model_auto_compact_token_limit_scope",
        OneOf(&["total", "body_after_prefix"]),
    ),
    ("model_catalog_json", Text),
    ("model_context_window", Integer),
    ("model_instructions_file", Text),
    ("model_post_turn_compact_threshold_percent", Whole),
    ("model_provider", Text),
    ("model_providers", TableOfTables),
    ("model_reasoning_effort", FilledText),
    (
        "model_reasoning_summary",
        OneOf(&["auto", "concise", "detailed", "none"]),
    ),
    ("model_verbosity", OneOf(&["low", "medium", "high"])),
    ("notice", Table),
    ("notify", Texts),
    ("openai_base_url", Text),
    ("orchestrator", Table),
    ("oss_provider", Text),
    ("otel", Table),
    ("permissions", TableOfTables),
    ("personality", OneOf(&["none", "friendly", "pragmatic"])),
    ("plan_mode_reasoning_effort", FilledText),
    ("plugins", TableOfTables),
    ("profile", Text),
    ("profiles", TableOfTables),
    ("project_doc_fallback_filenames", Texts),
    ("project_doc_max_bytes", Whole),
    ("project_root_markers", Texts),
    ("projects", TableOfTables),
    ("realtime", Table),
    ("responses", Table),
    ("responses_api_metadata", TableOfTexts),
    ("review_model", Text),
    ("rollout_trace", Table),
    (
        "sandbox_mode",
        OneOf(&["read-only", "workspace-write", "danger-full-access"]),
    ),
    ("sandbox_workspace_write", Table),
    ("service_tier", Text),
    ("shell_environment_policy", Table),
    ("show_raw_agent_reasoning", Flag),
    ("skills", Table),
    ("sqlite_home", Text),
    ("suppress_unstable_features_warning", Flag),
    ("thread_unload_delay_secs", Whole),
    ("tool_output_token_limit", Whole),
    ("tool_suggest", Table),
    ("tools", Table),
    ("tui", Table),
    ("web_search", OneOf(&["disabled", "cached", "indexed", "live"])),
    ("windows", Table),
];

/// The keys of an agent.
pub(super) const AGENT_TYPES: &[(&str, ValueType)] = &AGENT;

const OWN: [(&str, ValueType); 4] = [
    ("name", FilledText),
    ("description", FilledText),
    ("developer_instructions", FilledText),
    ("nickname_candidates", ValueType::DistinctTexts),
];

/// Those of its own, before all that settings may have.
#[expect(
    clippy::indexing_slicing,
    reason = "worked out at compile time, where an index out of bounds is an error"
)]
const AGENT: [(&str, ValueType); OWN.len() + TYPES.len()] = {
    let mut all = [("", Text); OWN.len() + TYPES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < OWN.len() {
            OWN[at]
        } else {
            TYPES[at - OWN.len()]
        };
        at += 1;
    }
    all
};

/// What servers may say.
pub(super) static SERVERS: ServerTypes = ServerTypes {
    any: &[
        ("startup_timeout_sec", NotNegative),
        ("startup_timeout_ms", Whole),
        ("tool_timeout_sec", NotNegative),
        ("enabled", Flag),
        ("required", Flag),
        ("enabled_tools", Texts),
        ("disabled_tools", Texts),
        ("scopes", Texts),
        ("supports_parallel_tool_calls", Flag),
        (
            "default_tools_approval_mode",
            OneOf(&["auto", "prompt", "writes", "approve"]),
        ),
        ("tools", TableOfTables),
        ("name", Text),
        ("environment_id", Text),
        ("auth", OneOf(&["oauth", "chatgpt", "ema_auth"])),
    ],
    started: &[
        ("command", Text),
        ("args", Texts),
        ("env", TableOfTexts),
        ("env_vars", ValueType::TextsOrTables),
        ("cwd", Text),
    ],
    reached: &[
        ("url", Text),
        ("bearer_token_env_var", Text),
        ("http_headers", TableOfTexts),
        ("env_http_headers", TableOfTexts),
        ("oauth_resource", Text),
        ("oauth", Table),
    ],
    never: &["bearer_token"],
    words: &[],
};
