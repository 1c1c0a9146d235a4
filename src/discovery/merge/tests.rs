//! Tests of the merge: one worked chain, the odd cases, and a naive merge to compare with.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::parse::document::{Format, parse};

fn layer(path: &str, source: DiscoverySource, text: &str) -> Layer {
    let format = Format::from_file_name(Path::new(path).file_name().unwrap()).unwrap();
    Layer {
        path: Some(path.into()),
        source,
        document: parse(text.as_bytes(), format).unwrap(),
    }
}

fn project(text: &str) -> Layer {
    layer("/p/aleph.json", DiscoverySource::Project, text)
}

/// `path:line:column (source)`, with `env` for no path.
fn show(origin: &Origin) -> String {
    let path = origin
        .path
        .as_ref()
        .map_or("env".into(), |path| path.to_string_lossy());
    let Position { line, column } = origin.position;
    format!("{path}:{line}:{column} {}", origin.source)
}

/// One line for a key: what is in effect and from where, then what it overrode, then where it stands again.
fn describe(merged: &MergedValue) -> String {
    let mut text = format!(
        "{} = {} @ {}",
        merged.key.join("/"),
        merged.value,
        show(&merged.origin)
    );
    for overridden in &merged.overridden {
        text += &format!(" < {} @ {}", overridden.value, show(&overridden.origin));
    }
    for origin in &merged.repeated {
        text += &format!(" = {}", show(origin));
    }
    text
}

fn five_layers() -> Vec<Layer> {
    let global = "\
model = \"small\"
plugin = [\"a\", \"b\"]
[compaction]
auto = true
prune = false
[mcp.github]
url = \"https://one\"
[mcp.files]
command = [\"files\"]
[permission]
bash = \"ask\"
";
    let outer = "\
{
  // the team's
  \"model\": \"large\",
  \"instructions\": [\"é.md\", \"b.md\",],
  \"mcp\": {\"github\": {\"url\": \"https://two\", \"enabled\": true}},
}
";
    let middle =
        "{\"compaction\": {\"auto\": false},\n \"plugin\": [\"b\", {\"x\": 1, \"y\": 2}],\n \"theme\": null}";
    let inner = "\
instructions = ['b.md', 'c.md']
plugin = [{ y = 2, x = 1 }, 'c']
mcp.github.url = 'https://three'
mcp.local.command = ['x']
permission = { bash = 'allow', edit = 'deny' }
agent = {}
";
    let variable = "{\"model\": \"tiny\", \"permission\": {\"edit\": null}, \"mcp\": 3}";
    vec![
        layer("/h/.aleph/aleph.toml", DiscoverySource::AlephGlobal, global),
        layer("/p/aleph.jsonc", DiscoverySource::Project, outer),
        layer("/p/q/aleph.json", DiscoverySource::Project, middle),
        layer("/p/q/r/aleph.toml", DiscoverySource::Project, inner),
        Layer {
            path: None,
            source: DiscoverySource::Env,
            document: parse(variable.as_bytes(), Format::Json).unwrap(),
        },
    ]
}

#[test]
fn every_key_of_a_chain_of_five_has_its_value_origin_and_what_it_overrode() {
    let merged = merge(&five_layers());
    let described: Vec<_> = merged.values.iter().map(describe).collect();
    assert_eq!(
        described,
        [
            "compaction = {\"auto\":false} @ /p/q/aleph.json:1:2 Project \
             < {\"auto\":true,\"prune\":false} @ /h/.aleph/aleph.toml:3:2 AlephGlobal",
            "instructions/0 = \"é.md\" @ /p/aleph.jsonc:4:20 Project",
            "instructions/1 = \"b.md\" @ /p/aleph.jsonc:4:28 Project = /p/q/r/aleph.toml:1:17 Project",
            "instructions/2 = \"c.md\" @ /p/q/r/aleph.toml:1:25 Project",
            "mcp/files = {\"command\":[\"files\"]} @ /h/.aleph/aleph.toml:8:6 AlephGlobal",
            "mcp/github = {\"url\":\"https://three\"} @ /p/q/r/aleph.toml:3:5 Project \
             < {\"url\":\"https://one\"} @ /h/.aleph/aleph.toml:6:6 AlephGlobal \
             < {\"enabled\":true,\"url\":\"https://two\"} @ /p/aleph.jsonc:5:11 Project",
            "mcp/local = {\"command\":[\"x\"]} @ /p/q/r/aleph.toml:4:5 Project",
            "model = \"tiny\" @ env:1:2 Env \
             < \"small\" @ /h/.aleph/aleph.toml:1:1 AlephGlobal \
             < \"large\" @ /p/aleph.jsonc:3:3 Project",
            "permission/bash = \"allow\" @ /p/q/r/aleph.toml:5:16 Project \
             < \"ask\" @ /h/.aleph/aleph.toml:11:1 AlephGlobal",
            "permission/edit = \"deny\" @ /p/q/r/aleph.toml:5:32 Project",
            "plugin/0 = \"a\" @ /h/.aleph/aleph.toml:2:11 AlephGlobal",
            "plugin/1 = \"b\" @ /h/.aleph/aleph.toml:2:16 AlephGlobal = /p/q/aleph.json:2:13 Project",
            "plugin/2 = {\"x\":1,\"y\":2} @ /p/q/aleph.json:2:18 Project = /p/q/r/aleph.toml:2:11 Project",
            "plugin/3 = \"c\" @ /p/q/r/aleph.toml:2:29 Project",
        ]
    );
    assert_eq!(
        merged.config,
        json!({
            "compaction": {"auto": false},
            "instructions": ["é.md", "b.md", "c.md"],
            "mcp": {
                "files": {"command": ["files"]},
                "github": {"url": "https://three"},
                "local": {"command": ["x"]}
            },
            "model": "tiny",
            "permission": {"bash": "allow", "edit": "deny"},
            "plugin": ["a", "b", {"x": 1, "y": 2}, "c"]
        })
    );
    let problems: Vec<_> = merged
        .problems
        .iter()
        .map(|found| {
            (
                found.path.as_deref(),
                found.problem.code,
                found.problem.line,
                found.problem.column,
            )
        })
        .collect();
    assert_eq!(
        problems,
        [
            (
                Some(Path::new("/p/q/aleph.json")),
                Code::NullIgnored,
                Some(3),
                Some(11)
            ),
            (None, Code::NullIgnored, Some(1), Some(42)),
            (None, Code::WrongType, Some(1), Some(56)),
        ]
    );
}

#[test]
fn null_never_sets_or_overrides() {
    let merged = merge(&[
        project(r#"{"model": null, "mcp": {"a": null}, "plugin": null, "theme": "x"}"#),
        project(r#"{"theme": null, "mcp": null, "compaction": {"auto": null}}"#),
    ]);
    assert_eq!(merged.config, json!({"theme": "x", "compaction": {"auto": null}}));
    assert!(merged.values.iter().all(|value| value.overridden.is_empty()));
    assert_eq!(merged.problems.len(), 5);
}

#[test]
fn a_value_of_the_wrong_type_does_not_count() {
    let merged = merge(&[
        project(r#"{"plugin": ["a"], "mcp": {"a": {}}}"#),
        project(r#"{"plugin": "b", "instructions": {}, "mcp": ["b"], "agent": "c"}"#),
    ]);
    assert_eq!(merged.config, json!({"plugin": ["a"], "mcp": {"a": {}}}));
    assert_eq!(merged.problems.len(), 4);
    assert!(
        merged
            .problems
            .iter()
            .all(|found| found.problem.code == Code::WrongType)
    );
}

#[test]
fn no_layers_are_an_empty_table() {
    let merged = merge(&[]);
    assert_eq!(
        (merged.config, merged.values.len(), merged.problems.len()),
        (json!({}), 0, 0)
    );
}

#[test]
fn elements_are_sorted_by_number() {
    let elements: Vec<_> = (0..12).map(|n| format!("p{n}")).collect();
    let merged = merge(&[project(&json!({ "plugin": elements }).to_string())]);
    assert_eq!(merged.config, json!({ "plugin": elements }));
    let keys: Vec<_> = merged.values.iter().map(|value| value.key[1].clone()).collect();
    assert_eq!(keys, (0..12).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn secrets_are_masked_in_effect_and_overridden() {
    let one = r#"{"mcp": {"a": {"env": {"K": "old-secret"}}}, "apiKey": "old-secret", "plugin": ["https://u:a-secret@h"]}"#;
    let two = r#"{"mcp": {"a": {"env": {"K": "new-secret"}}}, "apiKey": "new-secret"}"#;
    let masked = merge(&[project(one), project(two)]).masked();
    assert_eq!(
        masked.config,
        json!({"mcp": {"a": {"env": {"K": "***"}}}, "apiKey": "***", "plugin": ["https://***@h"]})
    );
    assert!(!format!("{masked:?}").contains("-secret"));
    assert_eq!(
        masked
            .values
            .iter()
            .filter(|value| value.overridden.len() == 1)
            .count(),
        2
    );
}

/// The merge rules as they stand in the specification, without origins.
fn naive_merge(layers: &[Json]) -> Json {
    let mut config = json!({});
    for layer in layers {
        for (key, value) in layer.as_object().unwrap() {
            match key.as_str() {
                _ if value.is_null() => {}
                "plugin" | "instructions" => {
                    for element in value.as_array().unwrap_or(&Vec::new()) {
                        let missing = !config[key].as_array().is_some_and(|list| list.contains(element));
                        if config[key].is_null() {
                            config[key] = json!([]);
                        }
                        if missing {
                            config[key].as_array_mut().unwrap().push(element.clone());
                        }
                    }
                }
                "agent" | "mcp" | "permission" | "provider" => {
                    for (name, value) in value.as_object().unwrap_or(&Map::new()) {
                        if !value.is_null() {
                            config[key][name] = value.clone();
                        }
                    }
                }
                _ => config[key] = value.clone(),
            }
        }
    }
    config
}

/// Indexing a missing key of the naive configuration leaves a null behind.
fn without_nulls(config: Json) -> Json {
    let Json::Object(entries) = config else {
        return config;
    };
    entries
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect()
}

fn any_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0..3).prop_map(Json::from),
        "[ab]".prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Json>()),
        ]
    })
}

fn any_layers() -> impl Strategy<Value = Vec<Json>> {
    let key = prop::sample::select(
        &[
            "agent",
            "instructions",
            "mcp",
            "model",
            "permission",
            "plugin",
            "provider",
            "theme",
        ][..],
    );
    let layer = prop::collection::btree_map(key, any_value(), 0..8).prop_map(|map| {
        map.into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<Json>()
    });
    prop::collection::vec(layer, 0..6)
}

proptest! {
    #[test]
    fn the_merge_is_the_naive_merge_and_accounts_for_every_value(layers in any_layers()) {
        let documents: Vec<_> = layers
            .iter()
            .enumerate()
            .map(|(index, value)| layer(
                &format!("/{index}/aleph.json"),
                DiscoverySource::Project,
                &serde_json::to_string_pretty(value).unwrap(),
            ))
            .collect();
        let merged = merge(&documents);
        prop_assert_eq!(&merged.config, &without_nulls(naive_merge(&layers)));

        for value in &merged.values {
            // Every value, in effect or overridden, is what its file has at its key.
            let origins = value.overridden.iter().map(|old| (&old.value, &old.origin));
            let mut last = None;
            for (data, origin) in origins.chain([(&value.value, &value.origin)]) {
                let path = origin.path.as_deref().unwrap();
                let index = documents.iter().position(|layer| layer.path.as_deref() == Some(path)).unwrap();
                prop_assert!(last < Some(index), "lowest first");
                last = Some(index);
                let found = match (value.key.as_slice(), MergeRule::of(&value.key[0])) {
                    ([key, name], MergeRule::PerKey) => layers[index][key][name] == *data,
                    ([key, _], _) => layers[index][key].as_array().unwrap().contains(data),
                    ([key], _) => layers[index][key] == *data,
                    _ => false,
                };
                prop_assert!(found, "{:?}", value);
            }
            if let ([key], MergeRule::Replace) = (value.key.as_slice(), MergeRule::of(&value.key[0])) {
                let set = layers.iter().filter(|layer| !layer[key].is_null()).count();
                prop_assert_eq!(value.overridden.len() + 1, set);
            }
        }
    }
}
