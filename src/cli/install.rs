//! `plugins install|remove|enable|disable|verify|disclose`: what writes, and what it would write.

use std::ffi::OsStr;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, SystemTime};

use aleph_discover::model::{Code, ComponentKind, Diagnostic, Severity};
use aleph_discover::plugin::install::{self, Change, Git, InstallError, Prepared, Setting, Verdict};
use aleph_discover::plugin::source::{self, Source};
use aleph_discover::plugin::{FoundPlugin, installed, state};
use aleph_discover::report::table;
use aleph_discover::report::{
    ChangeReport, Context, DiscloseReport, PluginsReport, PluginsVerifyReport, nearest, shell,
};
use aleph_discover::{DiscoveryManager, validate_path_component};

use super::args::{As, Disclose, Format, Global, Id, Install, MaybeId};
use super::exit::Exit;
use super::failure::Failure;
use super::interrupt;
use super::output::Output;
use super::progress::Progress;
use super::session;

/// What installing needs to know, from the session.
pub(super) fn setting(manager: &DiscoveryManager, global: &Global) -> Result<Setting, Failure> {
    Ok(Setting {
        show_secrets: global.show_secrets,
        home: manager.aleph_home()?,
        profile: manager.profile(),
        git: Git::new(std::env::vars_os()),
    })
}

/// Refuses a name that no plugin or marketplace can have, before anything is looked at.
pub(super) fn usable_name(what: &str, name: &str) -> Result<(), Failure> {
    let list = if what == "plugin" {
        "plugins list"
    } else {
        "marketplace list"
    };
    validate_path_component(name).map_err(|why| {
        Failure::usage(
            format!("`{name}` cannot be the name of a {what}: {why}"),
            format!("`aleph-discover {list}` shows the names that there are"),
        )
    })
}

/// What a source means, from the directory asked about.
pub(super) fn classify(
    manager: &DiscoveryManager,
    text: &OsStr,
    kind: Option<As>,
) -> Result<Source, InstallError> {
    let home = manager.environment().home.as_deref();
    let kind = kind.map(Into::into);
    Ok(source::classify(text, manager.working_dir(), home, kind)?)
}

/// What the source of a marketplace means, from the directory asked about.
pub(super) fn classify_marketplace(
    manager: &DiscoveryManager,
    text: &OsStr,
    kind: Option<As>,
) -> Result<Source, InstallError> {
    let home = manager.environment().home.as_deref();
    let (dir, kind) = (manager.working_dir(), kind.map(Into::into));
    Ok(source::classify_marketplace(text, dir, home, kind)?)
}

pub(super) fn disclose(args: &Disclose, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let source = classify(&manager, &args.source, args.kind)?;
    // A path is disclosed wherever it is: no home directory is needed for that.
    let setting = match (setting(&manager, global), &source) {
        (Err(_), Source::Path(path)) => Setting {
            show_secrets: global.show_secrets,
            home: path.join(".aleph"),
            profile: manager.profile(),
            git: Git::new([]),
        },
        (setting, _) => setting?,
    };
    let mut progress = Progress::new(output.is_quiet());
    interrupt::catch();
    // What a killed run left in staging goes with the next that looks, too; where that cannot be, looking goes on.
    let _ = install::recover(&setting.home, &mut ());
    let prepared = Prepared::disclosed(&setting, &source, &std::env::temp_dir(), &mut progress)?;
    let mut plugin = prepared.plugin.clone();
    if !matches!(source, Source::Path(_)) {
        plugin.path.clone_from(&prepared.target);
    }
    let disclosure = prepared.disclosure.clone();
    drop(prepared);
    progress.wipe();
    let report = DiscloseReport::new(Context::of(&manager), plugin, disclosure);
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::disclosure(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            output.path(&report.plugin.path)?;
            output.talk(&report.diagnostics, &[])?;
        }
    }
    Ok(Exit::of_answer(!report.plugin.incomplete, true))
}

pub(super) fn install(args: &Install, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let manager = session::open(global)?;
    let source = classify(&manager, &args.source, args.kind)?;
    let setting = setting(&manager, global)?;
    let mut progress = Progress::new(output.is_quiet());
    interrupt::catch();
    let prepared = Prepared::new(&setting, &source, &mut progress)?;
    prepared.check(args.update)?;
    let id = prepared.plugin.id.clone();
    let mut plugin = prepared.plugin.clone();
    if !matches!(source, Source::Path(_)) {
        plugin.path.clone_from(&prepared.target);
    }
    let disclosure = prepared.disclosure.clone();
    let replaces = prepared.target.exists();
    let shown = DiscloseReport::new(Context::of(&manager), plugin, disclosure);
    let asks = shown.disclosure.ack_required && !args.yes;
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    // What one would be installing is said before anything is written.
    if output.format == Format::Table {
        let look = output.look(&shown.context.directory);
        table::disclosure(&shown, &look, output.stdout())?;
        writeln!(output.stdout())?;
        output.talk(&shown.diagnostics, &[])?;
    } else if asks && can_ask {
        let look = output.look(&shown.context.directory);
        table::disclosure(&shown, &look, &mut io::stderr().lock())?;
    }
    if asks && !(can_ask && consents(&id)?) {
        let why = if can_ask {
            format!("`{id}` was not installed: you did not say yes")
        } else {
            format!(
                "`{id}` runs commands, and it is {}: installing it needs your word",
                shown.disclosure.tier
            )
        };
        return Err(Failure::refused(
            why,
            "read what `plugins disclose` says of it, then add `--yes`",
        ));
    }
    let change = prepared.install(args.update, SystemTime::now())?;
    progress.wipe();
    let action = if replaces { "update" } else { "install" };
    let mut report = report(&manager, action, change);
    if state::read(&setting.home).off.contains_key(&id) {
        report.diagnostics.push(
            Diagnostic::new(
                Code::SwitchedOff,
                Severity::Note,
                "it is installed, and it is switched off",
            )
            .with_path(state::path(&setting.home))
            .with_subject(ComponentKind::Plugin, id.as_str())
            .with_help(format!(
                "`plugins enable {}` switches it on",
                shell::argument(id.as_str())
            )),
        );
    }
    report.disclosure = Some(shown.disclosure);
    answer(&report, output)
}

fn consents(id: &str) -> io::Result<bool> {
    ask(&format!("It runs commands. Install `{id}`?"))
}

/// Asks at the terminal; anything but a yes is a no, and so is an interruption.
pub(super) fn ask(question: &str) -> io::Result<bool> {
    let mut stderr = io::stderr().lock();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    // Reading goes on after a signal that is caught, so somebody else reads.
    let (sender, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    loop {
        match answer.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => {
                let line = line?;
                let answer = line.trim();
                return Ok(answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes"));
            }
            Err(RecvTimeoutError::Timeout) if !interrupt::is_caught() => {}
            Err(_) => return Ok(false),
        }
    }
}

pub(super) fn remove(args: &Id, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    usable_name("plugin", &args.id)?;
    let manager = session::open(global)?;
    let setting = setting(&manager, global)?;
    let mut progress = Progress::new(output.is_quiet());
    install::recover(&setting.home, &mut progress)?;
    let there = install::find(&setting.home, &args.id);
    let records = installed::read(&setting.home);
    if there.is_none() && !records.plugins.contains_key(&args.id) {
        let known = PluginsReport::new(&manager);
        let is_it = |one: &&FoundPlugin| one.id == args.id && one.plugin.is_some();
        if let Some(elsewhere) = known.plugins.iter().find(is_it) {
            return Err(not_the_users(elsewhere));
        }
        return not_there(&manager, "remove", &args.id, &ids(&known), output);
    }
    let change = install::remove(&setting.home, &args.id, there.as_deref(), &mut progress)?;
    answer(&report(&manager, "remove", change), output)
}

/// The refusal to remove a plugin that is there, and not one of those that are installed.
fn not_the_users(one: &FoundPlugin) -> Failure {
    let (id, path) = (&one.id, one.path.display());
    let switch = format!("`plugins disable {}` switches it off", shell::argument(id));
    let (message, help) = match &one.monorepo {
        Some(monorepo) => (
            format!(
                "`{id}` is one of several plugins in {}, which was not installed, so it is not removed",
                monorepo.display()
            ),
            format!("remove {path} by hand if it is yours; {switch}"),
        ),
        None => (
            format!("`{id}` is a plugin of {path}, and only what is in the Aleph home is removed"),
            format!("remove it by hand if it is yours; {switch}"),
        ),
    };
    Failure::refused(message, help).with_path(&one.path)
}

/// The ids of all plugins.
fn ids(known: &PluginsReport) -> Vec<&str> {
    let plugins = known.plugins.iter().filter(|one| one.plugin.is_some());
    plugins.map(|one| one.id.as_str()).collect()
}

pub(super) fn set_enabled(
    args: &Id,
    enabled: bool,
    global: &Global,
    output: &mut Output,
) -> Result<Exit, Failure> {
    usable_name("plugin", &args.id)?;
    let manager = session::open(global)?;
    let setting = setting(&manager, global)?;
    let action = if enabled { "enable" } else { "disable" };
    let known = PluginsReport::new(&manager);
    let is_known = known
        .plugins
        .iter()
        .any(|one| one.id == args.id && one.plugin.is_some());
    // One that is gone and still switched off can be switched on.
    let is_off = || state::read(&setting.home).off.contains_key(&args.id);
    let is_left_off = !is_known && enabled && is_off();
    if !is_known && !is_left_off {
        return not_there(&manager, action, &args.id, &ids(&known), output);
    }
    let change = install::set_enabled(&setting.home, &args.id, enabled, &mut ())?;
    answer(&report(&manager, action, change), output)
}

pub(super) fn verify(args: &MaybeId, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(id) = &args.id {
        usable_name("plugin", id)?;
    }
    let manager = session::open(global)?;
    let setting = setting(&manager, global)?;
    // A killed run may have left a tree whose record is still to be written.
    install::recover(&setting.home, &mut ())?;
    let records = installed::read(&setting.home);
    let mut progress = Progress::new(output.is_quiet());
    let verified = installed::verify(&setting.home, &records, args.id.as_deref(), |id| {
        progress.say(&format!("reading {id}"));
    });
    progress.wipe();
    let mut context = Context::of(&manager);
    context.show_secrets = global.show_secrets;
    let report = PluginsVerifyReport::new(context, records, verified, args.id.as_deref());
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::verified(&report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => {
            output.json_line(&report.head())?;
            for one in &report.plugins() {
                output.json_line(one)?;
            }
        }
        Format::Paths => {
            for one in report.plugins.iter().filter(|one| one.standing.is_drift()) {
                output.path(&one.path)?;
            }
            output.talk(&report.diagnostics, &[])?;
        }
    }
    let is_found = args.id.is_none() || !report.plugins.is_empty();
    Ok(Exit::of_answer(
        report.is_complete(),
        report.is_clean() && is_found,
    ))
}

/// The report of a change that was done.
pub(super) fn report(manager: &DiscoveryManager, action: &'static str, change: Change) -> ChangeReport {
    let context = Context::of(manager);
    let left = context.aleph_home.as_deref().and_then(install::left_over);
    let told = left.map(|left| {
        let message = "the change is done, and what was there before cannot be cleared away";
        Diagnostic::new(Code::Unreadable, Severity::Warning, message)
            .with_path(left)
            .with_help("remove it by hand: part of it is somebody else's")
    });
    ChangeReport {
        context,
        action,
        subject: change.subject,
        done: true,
        changed: change.changed,
        disclosure: None,
        diagnostics: told.into_iter().collect(),
        suggestions: Vec::new(),
    }
}

/// Answers that there is nothing of a name, or with the change.
pub(super) fn answer_or_not_there(
    manager: &DiscoveryManager,
    action: &'static str,
    change: Result<Change, InstallError>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    match change {
        Err(InstallError::Unknown {
            name,
            suggestions,
            is_answer: true,
            ..
        }) => {
            let known: Vec<&str> = suggestions.iter().map(String::as_str).collect();
            not_there(manager, action, &name, &known, output)
        }
        change => answer(&report(manager, action, change?), output),
    }
}

/// Answers that there is nothing of a name.
pub(super) fn not_there(
    manager: &DiscoveryManager,
    action: &'static str,
    id: &str,
    known: &[&str],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let change = Change {
        subject: id.to_owned(),
        changed: Vec::new(),
    };
    let report = ChangeReport {
        done: false,
        suggestions: nearest(id, known.iter().copied()),
        ..report(manager, action, change)
    };
    answer(&report, output)
}

/// Prints what a change did.
pub(super) fn answer(report: &ChangeReport, output: &mut Output) -> Result<Exit, Failure> {
    match output.format {
        Format::Table => {
            let look = output.look(&report.context.directory);
            table::change(report, &look, output.stdout())?;
            output.talk(&report.diagnostics, &[])?;
        }
        Format::Json => output.json(&report.view())?,
        Format::Jsonl => output.json_line(&report.view())?,
        Format::Paths => {
            for path in &report.changed {
                output.path(path)?;
            }
        }
    }
    Ok(Exit::of_answer(true, report.done))
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        let exit = match error.verdict() {
            Verdict::Usage => Exit::Usage,
            Verdict::No => Exit::No,
            Verdict::Refused => Exit::Refused,
            Verdict::Failed => Exit::Failed,
        };
        let (help, path) = (error.help(), error.path().map(Path::to_path_buf));
        let failure = Self::new(exit, Whole(error), help);
        match path {
            Some(path) => failure.with_path(&path),
            None => failure,
        }
    }
}

/// An error whose own words are whole: what caused it is in them already.
#[derive(Debug)]
struct Whole(InstallError);

impl std::fmt::Display for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Whole {}
