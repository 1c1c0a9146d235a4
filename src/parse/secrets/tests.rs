//! Tests of what is masked and what is kept.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const NO_KEYS: [&str; 0] = [];

#[test]
fn keys_say_secret_by_their_words() {
    for key in [
        "key",
        "apiKey",
        "api_key",
        "API-KEY",
        "APIKey",
        "apikey",
        "access_token",
        "accesstoken",
        "token",
        "clientSecret",
        "client_secret",
        "password",
        "dbPassword",
        "secrets",
        "Authorization",
        "x-api-key",
        "--token",
        "GITHUB_TOKEN",
        "privateKey",
        "token1",
        "accessToken2",
        "mypassword1",
        "auth",
        "Cookie",
        "pass",
    ] {
        assert!(says_secret(key), "{key}");
    }
    for key in [
        "keyboard",
        "keywords",
        "keybindings",
        "monkey",
        "tokenizer",
        "secretary",
        "model",
        "",
        "passage",
        "url",
    ] {
        assert!(!says_secret(key), "{key}");
    }
}

#[test]
fn values_under_covering_keys_are_masked_and_keys_stay() {
    let server = json!({
        "command": "node", "enabled": true, "timeout": 30,
        "env": {"A": "x", "B": 1, "C": true, "D": null, "E": "", "F": ["y", {"g": "z"}]},
        "environment": {"A": "x"}, "headers": {"X-Any": "x"}, "httpHeaders": {"X-Any": "x"},
        "oauth": {"clientId": "x", "scope": "y"},
    });
    let expected = json!({
        "command": "node", "enabled": true, "timeout": 30,
        "env": {"A": "***", "B": "***", "C": true, "D": null, "E": "", "F": ["***", {"g": "***"}]},
        "environment": {"A": "***"}, "headers": {"X-Any": "***"}, "httpHeaders": {"X-Any": "***"},
        "oauth": {"clientId": "***", "scope": "***"},
    });
    assert_eq!(mask(&server, &["mcp", "github"]), expected);
    assert_eq!(
        mask(&json!({"mcp": {"github": server}}), &NO_KEYS),
        json!({"mcp": {"github": expected}})
    );
}

#[test]
fn the_path_to_a_value_counts() {
    assert_eq!(mask(&json!("x"), &["provider", "a", "apiKey"]), json!("***"));
    assert_eq!(mask(&json!("x"), &["mcp", "a", "env", "HOME"]), json!("***"));
    assert_eq!(mask(&json!({"a": "x"}), &["tokens"]), json!({"a": "***"}));
    assert_eq!(mask(&json!("x"), &["model"]), json!("x"));
}

#[test]
fn names_that_the_user_chooses_do_not_speak() {
    let mcp = json!({"token-counter": {"command": "node", "apiKey": "x"}, "env": {"command": "node"}});
    let expected = json!({"token-counter": {"command": "node", "apiKey": "***"}, "env": {"command": "node"}});
    assert_eq!(mask(&mcp, &["mcp"]), expected);
    assert_eq!(
        mask(&mcp["token-counter"], &["mcp", "token-counter"]),
        expected["token-counter"]
    );
    let permission = json!({"read_key": "allow", "bash": {"cat secret*": "deny"}});
    assert_eq!(mask(&permission, &["permission"]), permission);
    // A server of that name is a server.
    let server = json!({"apiKey": "x"});
    assert_eq!(mask(&server, &["mcp", "permission"]), json!({"apiKey": "***"}));
}

#[test]
fn quantities_are_kept() {
    let limits =
        json!({"max_tokens": 4096, "tokenLimit": 9, "tokens_limit": 1, "token": 5, "maxTokens": "x"});
    let expected =
        json!({"max_tokens": 4096, "tokenLimit": 9, "tokens_limit": 1, "token": "***", "maxTokens": "***"});
    assert_eq!(mask(&limits, &NO_KEYS), expected);
}

#[test]
fn command_lines_are_masked() {
    let command = json!([
        "npx",
        "--api-key",
        "sk-1",
        "--token=abc",
        "-e",
        "API_KEY=abc",
        "--header",
        "Authorization: Bearer x",
        "--key",
        "--verbose",
        "keys.json"
    ]);
    let expected = json!([
        "npx",
        "--api-key",
        "***",
        "--token=***",
        "-e",
        "API_KEY=***",
        "--header",
        "Authorization: ***",
        "--key",
        "--verbose",
        "keys.json"
    ]);
    assert_eq!(mask(&command, &["mcp", "a", "command"]), expected);
}

#[test]
fn a_value_beside_a_name_that_says_secret_is_masked() {
    let list = json!([{"name": "API_KEY", "value": "x"}, {"name": "color", "value": "red"}]);
    let expected = json!([{"name": "API_KEY", "value": "***"}, {"name": "color", "value": "red"}]);
    assert_eq!(mask(&list, &["settings"]), expected);
    let variables = json!({"env_vars": {"A": "x"}, "environmentVariables": ["A=x"]});
    let expected = json!({"env_vars": {"A": "***"}, "environmentVariables": ["***"]});
    assert_eq!(mask(&variables, &NO_KEYS), expected);
    // A secret may begin with a dash.
    assert_eq!(
        mask(&json!(["--token", "-x9z", "-v"]), &["args"]),
        json!(["--token", "***", "-v"])
    );
}

#[test]
fn texts_are_masked() {
    for (text, expected) in [
        ("https://user:pass@host/p", "https://***@host/p"),
        ("https://ghp_1@host", "https://***@host"),
        (
            "postgres://u:p/w@host/d and http://h:80/a@b",
            "postgres://***@host/d and http://h:80/a@b",
        ),
        ("https://a:b@h1,https://c:d@h2", "https://***@h1,https://***@h2"),
        ("https://host/@scope/name", "https://host/@scope/name"),
        ("http://[::1]:80/x@y", "http://[::1]:80/x@y"),
        (
            "https://h/?token=abc&x=1&api_key=d#e",
            "https://h/?token=***&x=1&api_key=***#e",
        ),
        ("https://h/#access_token=abc", "https://h/#access_token=***"),
        ("API_KEY='a b' node", "API_KEY='***' node"),
        ("TOKEN='a'b KEY=\"c\", x", "TOKEN='***'*** KEY=\"***\", x"),
        ("token='\nKEY='abc'", "token='***'***'"),
        ("${KEY}", "${KEY}"),
        ("${KEY:-abc}/x", "${KEY:-***}/x"),
        ("${KEY:-${OTHER:-abc}}/x", "${KEY:-***}/x"),
        ("${KEY:-}", "${KEY:-}"),
        (
            "${A-b} ${C:=d} ${E=f} ${G:-h",
            "${A-***} ${C:=***} ${E=***} ${G:-***",
        ),
        ("https://${USER:-u}:${PASS:-p}@host", "https://***@host"),
        ("${KEY:+abc} ${ KEY:-abc}", "${KEY:+***} ${ KEY:-***}"),
        (
            "--header=Authorization: Bearer abc",
            "--header=Authorization: ***",
        ),
        (
            "curl -H 'Authorization: Bearer abc' -H \"X-Api-Key: abc\" url",
            "curl -H 'Authorization: ***' -H \"X-Api-Key: ***\" url",
        ),
        (r#"{"token": "a b", "n": 1}"#, r#"{"token": "***", "n": 1}"#),
        (r#"{\"token\":\"abc\"}"#, r#"{\"token\":\"***\"}"#),
        (r#"{"token": {"a": 1}}"#, r#"{"token": {"a": 1}}"#),
        ("sh -c 'tool --token abc' x", "sh -c 'tool --token ***' x"),
        ("tool --password \"a b c\" --all", "tool --password \"***\" --all"),
        ("tool --token --verbose x", "tool --token --verbose x"),
        ("x Bearer abc123", "x Bearer ***"),
        (
            "A bearer of news, and basic ideas: the key: none",
            "A bearer of news, and basic ideas: the key: none",
        ),
        ("see https://h/token: it", "see https://h/token: it"),
        ("a = b", "a = b"),
        ("plain", "plain"),
    ] {
        assert_eq!(mask_text(text), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_around_a_secret_lets_it_through(
        before in r#"(\$\{|:-|://|[@:=&?#{}/ '"-]|token|[a-zé€]|\PC){0,30}"#,
        after in r#"(\$\{|:-|://|[@:=&?#{}/ '"-]|token|[a-zé€]|\PC){0,30}"#,
        secret in "[A-Z0-9]{12}",
    ) {
        for named in [
            format!(" --api-key={secret}"),
            format!("?token={secret}"),
            format!("\nKEY='{secret}'"),
            format!(" X-Api-Key: {secret}"),
        ] {
            let masked = mask_text(&format!("{before}{named}{after}")).into_owned();
            prop_assert!(!masked.contains(&secret), "{:?}", masked);
        }
    }

    #[test]
    fn no_default_and_no_password_gets_through(secret in "[A-Z0-9]{12}", name in "[a-z]{1,5}") {
        let url = format!("https://{name}:{secret}@host/?a=b&token={secret} ${{X:-{secret}}} --password={secret}");
        prop_assert!(!mask_text(&url).contains(&secret));
    }
}
