//! `schema`: the JSON Schemas of the JSON outputs.

use std::path::Path;

use aleph_discover::report::{SCHEMA_NAMES, SchemaListView, nearest, schema};

use super::args::{Format, Global, Schema};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Output;

pub(super) fn run(args: &Schema, _global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let Some(name) = &args.name else {
        match output.format {
            Format::Json => output.json(&SchemaListView::default())?,
            Format::Jsonl => output.json_line(&SchemaListView::default())?,
            Format::Table | Format::Paths => {
                for name in SCHEMA_NAMES {
                    output.path(Path::new(name))?;
                }
            }
        }
        return Ok(Exit::Done);
    };
    let Some(schema) = schema(name) else {
        let help = match nearest(name, SCHEMA_NAMES).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("choose one of {}", SCHEMA_NAMES.join(", ")),
        };
        return Err(Failure::usage(format!("there is no schema `{name}`"), help));
    };
    match output.format {
        Format::Jsonl => output.json_line(&schema)?,
        Format::Table | Format::Json | Format::Paths => output.json(&schema)?,
    }
    Ok(Exit::Done)
}
