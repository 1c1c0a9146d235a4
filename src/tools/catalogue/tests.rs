use super::*;

fn read(text: &str) -> Result<Catalogue, CatalogueError> {
    Catalogue::read(&[Source {
        name: "tools.json".into(),
        server: "tools".into(),
        kind: None,
        bytes: text.as_bytes(),
    }])
}

fn names(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn reasons(catalogue: &Catalogue) -> Vec<(u32, &str)> {
    catalogue
        .quarantined
        .iter()
        .map(|tool| (tool.line, tool.reason.as_str()))
        .collect()
}

#[test]
fn every_shape_gives_the_same_tools() {
    let tool = r#"{"name":"log","description":"Shows commits","inputSchema":{"type":"object"}}"#;
    for (text, expected) in [
        (format!(r#"{{"tools":[{tool}]}}"#), "tools__log"),
        (
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}"#),
            "tools__log",
        ),
        (format!("[{tool}]"), "tools__log"),
        (format!(r#"{{"git":[{tool}]}}"#), "git__log"),
        (
            format!(r#"{{"git":{{"tools":[{tool}],"nextCursor":null}}}}"#),
            "git__log",
        ),
        (format!(r#"{{"server":"git","tools":[{tool}]}}"#), "git__log"),
        (tool.to_owned(), "tools__log"),
        (format!("\u{feff}{tool}\n"), "tools__log"),
        (r#"[{"server":"git","name":"log"}]"#.to_owned(), "git__log"),
    ] {
        let catalogue = read(&text).unwrap();
        assert_eq!(names(&catalogue), [expected], "{text}");
        assert!(catalogue.quarantined.is_empty());
    }
    let lines = format!(
        "{tool}\n\n{{\"server\":\"git\",\"name\":\"log\"}}\r\n{{\"server\":\"b\",\"tools\":[{tool}]}}"
    );
    assert_eq!(
        names(&read(&lines).unwrap()),
        ["b__log", "git__log", "tools__log"]
    );
    assert_eq!(read("{}").unwrap().tools.len(), 0);
    assert_eq!(read("[]").unwrap().tools.len(), 0);
}

#[test]
fn schemas_that_are_absent_null_or_without_type_count_as_objects() {
    let catalogue = read(
        r#"[{"name":"a"},{"name":"b","inputSchema":null},{"name":"c","inputSchema":{"properties":{}}},
            {"name":"d","inputSchema":{"type":["object","null"]}}]"#,
    )
    .unwrap();
    let schemas: Vec<&str> = catalogue
        .tools
        .iter()
        .map(|tool| tool.input_schema.get())
        .collect();
    assert_eq!(
        schemas,
        [
            r#"{"type":"object"}"#,
            r#"{"type":"object"}"#,
            r#"{"properties":{}}"#,
            r#"{"type":["object","null"]}"#
        ]
    );
}

#[test]
fn what_cannot_be_used_is_quarantined_with_line_and_reason() {
    let catalogue = read(
        "[\n{\"name\":\"a\",\"inputSchema\":[]},\n{\"name\":\"b\",\"inputSchema\":{\"type\":\"string\"}},\n{\"name\":3},\n\
         {\"name\":\"\"},\n7,\n{\"name\":\"ok\"},\n{\"name\":\"ok\"},\n{\"name\":\"c\",\"description\":4}]",
    )
    .unwrap();
    assert_eq!(names(&catalogue), ["tools__ok"]);
    let mut found = reasons(&catalogue);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (0, "its server lists this name twice; the first counts"),
            (2, "its input schema is a list, not an object"),
            (3, "its input schema is for type \"string\", not for an object"),
            (4, "it has no name that is text"),
            (5, "its name is empty"),
            (6, "7 is not a tool"),
            (9, "its description is 4, not text"),
        ]
    );
}

#[test]
fn the_first_by_server_and_name_keeps_a_qualified_name() {
    let catalogue =
        read(r#"{"a b":[{"name":"x"}],"a.b":[{"name":"x"}],"c":[{"name":"c:x"},{"name":"x"}]}"#).unwrap();
    assert_eq!(names(&catalogue), ["a_b__x", "c__x"]);
    let kept: Vec<(&str, &str)> = catalogue
        .tools
        .iter()
        .map(|tool| (tool.server.as_str(), tool.tool.as_str()))
        .collect();
    assert_eq!(kept, [("a b", "x"), ("c", "c:x")]);
    assert_eq!(catalogue.quarantined.len(), 2);
    assert!(
        catalogue
            .quarantined
            .iter()
            .all(|tool| tool.reason.contains("is taken by"))
    );
}

#[test]
fn a_text_that_is_no_json_is_an_error_with_its_place() {
    let error = read("{\"tools\": [\n {\"name\": \"a\"},\n {\"na").unwrap_err();
    assert!(matches!(error, CatalogueError::Syntax { line: 3, .. }), "{error}");
    assert!(
        error.to_string().starts_with("tools.json, line 3, column"),
        "{error}"
    );
    let at = |text: &str| match read(text).unwrap_err() {
        CatalogueError::Syntax { line, column, .. } => (line, column),
        other => panic!("{other}"),
    };
    assert_eq!(at(""), (1, 1));
    assert_eq!(at("{\"\u{e9}\":\u{e9}"), (1, 6));
    assert!(matches!(
        read("\"text\"").unwrap_err(),
        CatalogueError::NoTools { .. }
    ));
    assert!(matches!(
        read(r#"{"jsonrpc":"2.0","error":{}}"#).unwrap_err(),
        CatalogueError::NoTools { .. }
    ));
    let bytes = Source {
        name: "x".into(),
        server: "x".into(),
        kind: None,
        bytes: b"[\xff]",
    };
    assert!(matches!(
        Catalogue::read(&[bytes]).unwrap_err(),
        CatalogueError::NotUtf8 { offset: 1, .. }
    ));
}

#[test]
fn lines_that_are_no_json_cost_only_themselves() {
    let catalogue = read("{\"name\":\"a\"}\n{\"name\":\n{\"name\":\"b\"}\n").unwrap();
    assert_eq!(names(&catalogue), ["tools__a", "tools__b"]);
    assert_eq!(catalogue.quarantined[0].line, 2);
}

#[test]
fn depth_costs_the_tool_and_not_the_stack() {
    let deep = 100_000;
    let nested = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    let objects = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
    assert_eq!(read(&nested).unwrap().quarantined.len(), 1);
    assert_eq!(read(&objects).unwrap().quarantined.len(), 1);
    let tools =
        format!("[{{\"name\":\"a\",\"inputSchema\":{objects}}},{{\"name\":\"b\"}},{{\"name\":{nested}}}]");
    let catalogue = read(&tools).unwrap();
    assert_eq!(names(&catalogue), ["tools__b"]);
    assert!(reasons(&catalogue).contains(&(1, "its input schema is nested too deep")));
    // Cut in the middle.
    assert!(read(nested.get(..deep).unwrap()).is_err());
}

#[test]
fn a_bad_source_leaves_the_others() {
    let source = |bytes| Source {
        name: "s".into(),
        server: "s".into(),
        kind: None,
        bytes,
    };
    let (catalogue, failed) = Catalogue::read_each(&[source(b"[".as_slice()), source(b"[{\"name\":\"a\"}]")]);
    assert_eq!((catalogue.tools.len(), failed.len()), (1, 1));
}

#[test]
fn a_digest_changes_with_the_meaning_alone() {
    let digest = |text: &str| read(text).unwrap().tools[0].digest();
    let one = digest(r#"[{"name":"a","inputSchema":{"type":"object","x":1}}]"#);
    assert_eq!(one.len(), 64);
    assert_eq!(
        one,
        digest(r#"[{"inputSchema": {"x": 1, "type": "object"}, "name": "a"}]"#)
    );
    assert_ne!(
        one,
        digest(r#"[{"name":"a","inputSchema":{"type":"object","x":2}}]"#)
    );
    assert_ne!(
        one,
        digest(r#"[{"name":"a","description":"d","inputSchema":{"type":"object","x":1}}]"#)
    );
}

#[test]
fn any_bytes_end_without_a_panic() {
    use proptest::prelude::*;
    proptest!(|(bytes in proptest::collection::vec(any::<u8>(), 0..200))| {
        let _ = Catalogue::read(&[Source { name: "x".into(), server: "x".into(), kind: None, bytes: &bytes }]);
    });
    let valid = r#"{"git":[{"name":"log","title":"Log","description":"d","inputSchema":{"type":"object","properties":{"a":{"enum":["x"]}}}}]}"#;
    for at in 0..valid.len() {
        for byte in [b'{', b'}', b'"', b'\\', 0, 0xff, b'[', b','] {
            let mut bytes = valid.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = Catalogue::read(&[Source {
                name: "x".into(),
                server: "x".into(),
                kind: None,
                bytes: &bytes,
            }]);
        }
    }
}
