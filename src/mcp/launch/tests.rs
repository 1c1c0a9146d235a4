//! Definitions and what they come to in a user's environment.

use std::collections::BTreeSet;

use super::*;

fn user() -> UserEnvironment {
    let pairs = [
        ("PATH", "/bin"),
        ("HOME", "/home/u"),
        ("LC_ALL", "C"),
        ("TOKEN", "t0ken"),
        ("UNRELATED", "x"),
        ("EMPTY", ""),
        ("HANDED_ON", "h"),
    ];
    UserEnvironment::new(pairs.map(|(name, value)| (name.into(), value.into())))
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn stdio(command: &str) -> ServerDefinition {
    ServerDefinition {
        name: "s".to_owned(),
        transport: Some(Transport::Stdio),
        command: Some(command.to_owned()),
        enabled: true,
        ..ServerDefinition::default()
    }
}

fn plan(server: &ServerDefinition, site: &Site) -> Result<Launch, LaunchError> {
    LaunchPlan::new(server, site, &user()).map(|plan| plan.launch)
}

fn shop() -> Site {
    Site::of_file(Path::new("/src/shop/.mcp.json"))
}

fn text(launch: Launch) -> (String, Vec<String>, String, Vec<(String, String)>) {
    let own = |text: OsString| text.into_string().unwrap();
    match launch {
        Launch::Process {
            program,
            args,
            directory,
            environment,
        } => (
            own(program),
            args.into_iter().map(own).collect(),
            own(directory.into_os_string()),
            environment
                .into_iter()
                .map(|(name, value)| (own(name), own(value)))
                .collect(),
        ),
        Launch::Http { .. } => panic!("it is a process"),
    }
}

#[test]
fn a_process_gets_what_its_definition_says_and_little_else() {
    let server = ServerDefinition {
        args: ["${TOKEN}", "${NONE:-d}", "$HOME"].map(str::to_owned).to_vec(),
        cwd: Some("${NONE:-sub}".to_owned()),
        env: vec![pair("API_TOKEN", "Bearer ${TOKEN}"), pair("LC_ALL", "de")],
        env_names: ["HANDED_ON", "NOT_THERE"].map(str::to_owned).to_vec(),
        ..stdio("npx")
    };
    let (program, args, directory, environment) = text(plan(&server, &shop()).ok().unwrap());
    assert_eq!((program.as_str(), directory.as_str()), ("npx", "/src/shop/sub"));
    assert_eq!(args, ["t0ken", "d", "$HOME"]);
    assert_eq!(
        environment,
        [
            pair("API_TOKEN", "Bearer t0ken"),
            pair("HANDED_ON", "h"),
            pair("HOME", "/home/u"),
            pair("LC_ALL", "de"),
            pair("PATH", "/bin"),
        ]
    );
}

#[test]
fn a_relative_program_is_one_of_its_directory() {
    for (command, cwd, wanted) in [
        ("run", None, "run"),
        ("./run", None, "/src/shop/./run"),
        ("bin/run", Some("sub"), "/src/shop/sub/bin/run"),
        ("/usr/bin/run", Some("/tmp"), "/usr/bin/run"),
        ("..", None, "/src/shop/.."),
    ] {
        let server = ServerDefinition {
            cwd: cwd.map(str::to_owned),
            ..stdio(command)
        };
        assert_eq!(text(plan(&server, &shop()).ok().unwrap()).0, wanted, "{command}");
    }
}

#[test]
fn a_plugins_directories_are_its_own() {
    let dirs = PluginDirs {
        root: "/plugins/ops".into(),
        data: Some("/data/ops".into()),
        show_secrets: false,
    };
    let site = Site::of_plugin(Path::new("/plugins/ops/.mcp.json"), dirs);
    let server = ServerDefinition {
        args: ["${PLUGIN_DATA}", "${CURSOR_PLUGIN_ROOT:-x}"]
            .map(str::to_owned)
            .to_vec(),
        ..stdio("${CLAUDE_PLUGIN_ROOT}/run")
    };
    let (program, args, directory, environment) = text(plan(&server, &site).ok().unwrap());
    assert_eq!(
        (program.as_str(), directory.as_str()),
        ("/plugins/ops/run", "/plugins/ops")
    );
    assert_eq!(args, ["/data/ops", "/plugins/ops"]);
    assert!(environment.contains(&pair("CLAUDE_PLUGIN_ROOT", "/plugins/ops")));
    assert!(environment.contains(&pair("ALEPH_PLUGIN_DATA", "/data/ops")));
    // Without a plugin they are variables like any other.
    let unset = plan(&server, &shop()).err().unwrap();
    assert!(unset.to_string().contains("CLAUDE_PLUGIN_ROOT"), "{unset}");
}

#[test]
fn an_address_is_expanded_and_checked() {
    let http = |url: &str, headers: Vec<(String, String)>| ServerDefinition {
        transport: Some(Transport::Http),
        command: None,
        url: Some(url.to_owned()),
        headers,
        ..stdio("")
    };
    let server = http(
        "https://${NONE:-example.com}/mcp",
        vec![pair("Authorization", "Bearer ${TOKEN}")],
    );
    let Ok(Launch::Http { url, headers }) = plan(&server, &shop()) else {
        panic!("it is an address");
    };
    assert_eq!(url, "https://example.com/mcp");
    assert_eq!(headers, [pair("Authorization", "Bearer t0ken")]);
    for url in [
        "",
        "example.com",
        "file:///etc/passwd",
        "https://a b",
        "https://a\nb",
        "\u{e9}\u{e9}\u{e9}\u{e9}",
    ] {
        assert!(
            matches!(
                plan(&http(url, Vec::new()), &shop()),
                Err(LaunchError::Unusable { .. })
            ),
            "{url}"
        );
    }
}

#[test]
fn what_is_missing_is_named_and_no_value_is() {
    let server = ServerDefinition {
        args: vec!["${TOKEN}${NONE}".to_owned()],
        ..stdio("run")
    };
    let error = plan(&server, &shop()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the MCP server `s` needs the variable `NONE` for its args, and it is not set"
    );
    let with_env = |name: &str, value: &str| ServerDefinition {
        env: vec![pair(name, value)],
        ..stdio("run")
    };
    for (server, words) in [
        (stdio("${EMPTY}"), "its command is empty"),
        (with_env("A=B", "x"), "is no name of a variable"),
        (with_env("", "x"), "is no name of a variable"),
        (with_env("A", "s3cret\0"), "has a NUL character"),
        (
            ServerDefinition {
                transport: None,
                ..stdio("run")
            },
            "neither `command` nor `url`",
        ),
        (
            ServerDefinition {
                transport: Some(Transport::Sse),
                ..stdio("run")
            },
            "the transport `sse`",
        ),
    ] {
        let message = plan(&server, &shop()).err().unwrap().to_string();
        assert!(
            message.contains(words) && !message.contains("s3cret"),
            "{message}"
        );
    }
}

#[test]
fn a_preview_names_what_would_be_seen() {
    let server = ServerDefinition {
        args: vec!["${TOKEN} ${NONE} ${ABSENT:-x}".to_owned()],
        env: vec![pair("HOME", "/elsewhere"), pair("A", "${UNRELATED}")],
        env_names: vec!["HANDED_ON".to_owned()],
        ..stdio("run")
    };
    let preview = Preview::of(&server, &shop(), &user());
    let names = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>();
    assert_eq!(
        names(preview.sees),
        ["HANDED_ON", "LC_ALL", "PATH", "TOKEN", "UNRELATED"]
    );
    assert_eq!(names(preview.missing), ["NONE"]);
    assert_eq!(preview.directory.as_deref(), Some(Path::new("/src/shop")));
}
