//! Servers that are processes: what they see, and what is kept of what they say when they end.

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
