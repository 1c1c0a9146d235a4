//! `tools lint`: what is wrong with a file of disclosure rules.

use std::io::Write;

use aleph_discover::mcp::configured;
use aleph_discover::report::Context;
use aleph_discover::report::disclosure::LintReport;
use aleph_discover::report::table;
use aleph_discover::tools::disclosure::{CatalogueTools, KnownTools, lint, read_rules};
use aleph_discover::tools::stray_server;

use super::args::Lint;
use super::rules;
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::session;

/// The catalogue, and where that has nothing the names of the servers that are configured here.
struct Here<'a> {
    catalogue: CatalogueTools<'a>,
    servers: Vec<String>,
}

impl KnownTools for Here<'_> {
    fn is_known(&self, name: &str) -> Option<bool> {
        self.catalogue.is_known(name)
    }

    fn schema(&self, name: &str) -> Option<serde_json::Value> {
        self.catalogue.schema(name)
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        self.catalogue.nearest(name)
    }

    /// Where no server is configured the rules are judged by themselves.
    fn stray_server(&self, name: &str) -> Option<String> {
        if self.servers.is_empty() {
            return None;
        }
        stray_server(name, self.servers.iter().map(String::as_str))
    }
}

pub(super) fn run(args: &Lint, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let (catalogue, told, failed) = super::catalogue(&args.sources, &manager, output)?;
    let (read, problems) = read_rules(&rules::bytes(&args.file)?);
    let known = Here {
        catalogue: CatalogueTools::new(&catalogue),
        servers: configured(&manager)
            .servers
            .into_iter()
            .map(|server| server.name)
            .collect(),
    };
    let report = LintReport::new(Context::of(&manager), &args.file, lint(&read, problems, &known));
    output.talk(&told, &[])?;
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            // The findings are the answer here, so they go where answers go.
            table::diagnostics(&report.diagnostics, true, &look, output.stdout())?;
            let tools = if report.tools == 1 { "tool" } else { "tools" };
            writeln!(
                output.stdout(),
                "{} {tools}, {} reachable",
                report.tools,
                report.reachable
            )?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => output.path(&report.file)?,
    }
    Ok(super::exit(failed, true, report.clean))
}
