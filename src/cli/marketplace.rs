//! `marketplace`: what is registered and offered, and registering.

use aleph_discover::plugin::install;
use aleph_discover::plugin::registry;
use aleph_discover::report::table;
use aleph_discover::report::{Context, MarketplacesReport};

use super::args::{Add, As, Format, Global, Marketplace, MarketplaceCommand, MaybeName, Name};
use super::exit::Exit;
use super::failure::Failure;
use super::install::{answer, answer_or_not_there, classify_marketplace, report, setting, usable_name};
use super::interrupt;
use super::output::Output;
use super::progress::Progress;
use super::session;

pub(super) fn run(args: &Marketplace, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        None | Some(MarketplaceCommand::List) => shown(&Shown::All, global, output),
        Some(MarketplaceCommand::Show(args)) => shown(&Shown::One(&args.name), global, output),
        Some(MarketplaceCommand::Search(args)) => {
            let query = args.words.join(" ");
            if query.trim().is_empty() {
                return Err(Failure::usage(
                    "the query is blank",
                    "give a word of a name or a description",
                ));
            }
            shown(&Shown::Query(query), global, output)
        }
        Some(MarketplaceCommand::Add(args)) => add(args, global, output),
        Some(MarketplaceCommand::Update(args)) => update(args, global, output),
        Some(MarketplaceCommand::Remove(args)) => remove(args, global, output),
    }
}

/// What is asked of the registered marketplaces.
enum Shown<'a> {
    All,
    One(&'a str),
    Query(String),
}

fn shown(wanted: &Shown<'_>, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if let Shown::One(name) = wanted {
        usable_name("marketplace", name)?;
    }
    let manager = session::open(global)?;
    let registry = registry::read(&setting(&manager, global)?.home);
    let mut context = Context::of(&manager);
    context.show_secrets = global.show_secrets;
    let report = match wanted {
        Shown::All => MarketplacesReport::list(context, registry),
        Shown::One(name) => MarketplacesReport::show(context, registry, name),
        Shown::Query(query) => MarketplacesReport::search(context, registry, query),
    };
    let is_one = matches!(wanted, Shown::One(_));
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::marketplaces(&report, is_one, &look, output.stdout())?;
            output.talk(&report.registry.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for result in &report.results() {
                output.json_line(result)?;
            }
        }
        Format::Paths => {
            for one in &report.registry.marketplaces {
                output.path(&one.path)?;
            }
        }
    }
    let is_found = !is_one || !report.registry.marketplaces.is_empty();
    Ok(Exit::of_answer(report.is_complete(), is_found))
}

fn add(args: &Add, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let source = classify_marketplace(&manager, &args.source, args.kind.map(As::from))?;
    interrupt::catch();
    let mut progress = Progress::new(output.is_quiet());
    let change = install::add_marketplace(
        &setting(&manager, global)?,
        &source,
        args.name.as_deref(),
        &mut progress,
    )?;
    progress.wipe();
    answer(&report(&manager, "marketplace-add", change), output)
}

fn update(args: &MaybeName, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(name) = &args.name {
        usable_name("marketplace", name)?;
    }
    let manager = session::open(global)?;
    let setting = setting(&manager, global)?;
    interrupt::catch();
    let mut progress = Progress::new(output.is_quiet());
    if let Some(name) = &args.name {
        let change = install::update_marketplace(&setting, name, &mut progress);
        progress.wipe();
        return answer_or_not_there(&manager, "marketplace-update", change, output);
    }
    let registry = registry::read(&setting.home);
    let names: Vec<String> = registry.marketplaces.into_iter().map(|one| one.name).collect();
    let mut all = install::Change {
        subject: names.join(", "),
        changed: Vec::new(),
    };
    let mut failed: Option<Failure> = None;
    for name in &names {
        // One that cannot be reached does not keep the others from being fetched.
        match install::update_marketplace(&setting, name, &mut progress) {
            Ok(change) => all.changed.extend(change.changed),
            Err(error) => failed = failed.or(Some(error.into())),
        }
    }
    progress.wipe();
    if let Some(failure) = failed {
        return Err(failure);
    }
    all.changed.sort();
    all.changed.dedup();
    answer(&report(&manager, "marketplace-update", all), output)
}

fn remove(args: &Name, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    usable_name("marketplace", &args.name)?;
    let manager = session::open(global)?;
    interrupt::catch();
    let mut progress = Progress::new(output.is_quiet());
    let change = install::remove_marketplace(&setting(&manager, global)?, &args.name, &mut progress);
    progress.wipe();
    answer_or_not_there(&manager, "marketplace-remove", change, output)
}
