//! The one definition of the flags: structs and help, nothing else.

mod deferred;
mod install;
mod parse;

use std::path::PathBuf;

use aleph_discover::host::HostProfile;
use aleph_discover::model::{ComponentKind, HostId};
use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use self::deferred::Deferred;
use super::complete;
use super::failure::Failure;
pub(crate) use super::mcp::args::Mcp;
pub(crate) use super::serve::args::Serve;
pub(crate) use super::tools::args::Tools;
pub(crate) use install::{
    Add, As, Disclose, Id, Install, Marketplace, MarketplaceCommand, MaybeId, MaybeName, Name,
};
pub(crate) use parse::{gives_host, parse};

/// What a coding agent loads here, and why each thing won.
#[derive(Debug, Parser)]
#[command(
    name = "aleph-discover",
    version,
    about = "Shows which skills, commands, agents, plugins and configuration files are in effect in a directory, and why each one won",
    long_about = "Shows which skills, commands, agents, plugins and configuration files are in effect in a directory, \
                  and for every name the whole override chain: the winner, and each loser with the rule that made it lose.\n\n\
                  Nothing of what is found is started but MCP servers that you approved or named with `--server`, by `serve`, \
                  `--live` and the questions of `mcp` to servers, and the installed host by `verify --yes`. Nothing is written \
                  but by `plugins`, by `marketplace`, by `mcp approve`, `revoke` and `refresh`, by `serve`, which keeps what \
                  servers have, and by `tools search`, which saves its index: all in the Aleph home alone. Without a \
                  subcommand it does what `scan` does.",
    after_help = "Examples:\n  aleph-discover                    what is in effect here\n  aleph-discover skill --json       the skills, as JSON\n  aleph-discover why deploy         who wins the name `deploy`, and why",
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(flatten)]
    pub(crate) scan: Scan,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The questions.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What is in effect here, with override chains
    #[command(
        after_help = "Examples:\n  aleph-discover scan skill\n  aleph-discover scan --active --format paths\n  aleph-discover -C ../shop scan --all"
    )]
    Scan(Deferred<Scan>),
    /// One name or file: every candidate, winner first, and the reason for each
    #[command(
        after_help = "Examples:\n  aleph-discover why deploy\n  aleph-discover why .claude/skills/deploy/SKILL.md\n  aleph-discover why deploy --kind command --json"
    )]
    Why(Deferred<Why>),
    /// The chain of configuration files of one name
    #[command(
        after_help = "Examples:\n  aleph-discover find-config aleph --merged\n  aleph-discover find-config .mcp.json --json\n  aleph-discover find-config CLAUDE.md --format paths"
    )]
    FindConfig(Deferred<FindConfig>),
    /// Which host reads which directory here, and the names on which hosts disagree
    #[command(after_help = "Examples:\n  aleph-discover hosts\n  aleph-discover hosts --json")]
    Hosts(Deferred<Hosts>),
    /// Our answer against the installed host's own
    #[command(
        after_help = "Examples:\n  aleph-discover verify --host codex\n  aleph-discover verify --host claude-code --yes"
    )]
    Verify(Deferred<Verify>),
    /// Every directory that is probed, in order, found or missing, and why
    #[command(after_help = "Examples:\n  aleph-discover roots\n  aleph-discover roots --no-claude --json")]
    Roots(Deferred<Roots>),
    /// Plugins: what there is, what each brings, what is wrong with one, what it would run
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  aleph-discover plugins\n  aleph-discover plugins show my-plugin\n  aleph-discover plugins disclose ./downloaded --json"
    )]
    Plugins(Deferred<Plugins>),
    /// Tools on demand: search the tools that there are, list them, show a schema, say what they cost; check and try
    /// rules of disclosure
    #[command(
        subcommand_required = true,
        arg_required_else_help = true,
        after_help = "Examples:\n  aleph-discover tools search \"send a message to a channel\" --catalog tools.json\n  aleph-discover tools schema slack__post_message --catalog tools.json\n  aleph-discover tools lint disclosure.toml"
    )]
    Tools(Deferred<Tools>),
    /// MCP servers: which are configured, what would be started, with whose consent, and what they offer
    #[command(
        subcommand_required = true,
        arg_required_else_help = true,
        after_help = "Examples:\n  aleph-discover mcp servers\n  aleph-discover mcp approve github\n  aleph-discover mcp resources --server github"
    )]
    Mcp(Deferred<Mcp>),
    /// The gateway: one MCP server for an agent in place of many, whose tools are found, described and called on demand
    #[command(
        after_help = "It serves standard input and output, as agents start it, until they are closed. Servers are put behind it with `aleph-discover mcp approve`.\n\nExamples:\n  aleph-discover serve --print-config claude-code\n  aleph-discover serve\n  aleph-discover serve --http 127.0.0.1:8080"
    )]
    Serve(Deferred<Serve>),
    /// Marketplaces: which are registered, what they offer, add, update and remove them
    #[command(
        after_help = "Examples:\n  aleph-discover marketplace add owner/repo\n  aleph-discover marketplace search review\n  aleph-discover marketplace show my-market --json"
    )]
    Marketplace(Deferred<Marketplace>),
    /// What a rule, state or diagnostic means, why it is so, and an example
    #[command(
        after_help = "Examples:\n  aleph-discover explain\n  aleph-discover explain native-over-claude\n  aleph-discover explain no-marker --json"
    )]
    Explain(Deferred<Explain>),
    /// The JSON Schemas of the JSON outputs
    #[command(after_help = "Examples:\n  aleph-discover schema\n  aleph-discover schema scan > scan@1.json")]
    Schema(Deferred<Schema>),
    /// The script that makes a shell complete this program's arguments
    #[command(
        after_help = "Examples:\n  source <(aleph-discover completions bash)\n  aleph-discover completions zsh > ~/.zfunc/_aleph-discover\n  aleph-discover completions fish > ~/.config/fish/completions/aleph-discover.fish"
    )]
    Completions(Deferred<Completions>),
    /// The manual page of this program, or of one of its commands
    #[command(
        after_help = "Examples:\n  aleph-discover man | man -l -\n  aleph-discover man why > aleph-discover-why.1"
    )]
    Man(Deferred<Man>),
    /// A document of the repository that is made from the program itself
    #[command(hide = true)]
    Generate(Deferred<Generate>),
}

/// Flags that hold for every question.
#[derive(Debug, ClapArgs)]
pub(crate) struct Global {
    /// Ask about DIR instead of the working directory
    #[arg(short = 'C', long, value_name = "DIR", global = true, add = complete::directories())]
    pub(crate) directory: Option<PathBuf>,
    /// Take DIR for the user's home directory
    #[arg(long, value_name = "DIR", global = true, add = complete::directories())]
    pub(crate) home: Option<PathBuf>,
    /// Take DIR for the Aleph home, the `.aleph` directory itself (or set ALEPH_HOME)
    #[arg(long, value_name = "DIR", global = true, add = complete::directories())]
    pub(crate) aleph_home: Option<PathBuf>,
    /// Answer as this host would
    #[arg(
        long,
        value_name = "HOST",
        env = "ALEPH_DISCOVER_HOST",
        default_value = "aleph",
        global = true,
        hide_env_values = true
    )]
    pub(crate) host: Host,
    /// Leave out every `.claude` root
    #[arg(long, global = true)]
    pub(crate) no_claude: bool,
    /// Leave out the project: no walk upward
    #[arg(long, global = true)]
    pub(crate) no_project: bool,
    /// Look at no more than N directories on the walk upward, the first included; 10 unless another host's rules
    /// hold, which have no such limit
    #[arg(long, value_name = "N", global = true)]
    pub(crate) max_depth: Option<usize>,
    /// Take the plugin in DIR as if the host had been started with it (claude-code; may be repeated)
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) plugin_dir: Vec<PathBuf>,
    /// Take the settings in FILE, or given as JSON, as if the host had been started with them (claude-code)
    #[arg(long, value_name = "FILE|JSON", global = true)]
    pub(crate) settings: Option<std::ffi::OsString>,
    /// How to print the answer
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table, global = true)]
    pub(crate) format: Format,
    /// Short for --format json
    #[arg(long, global = true, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Print raw paths, each ended by a NUL character
    #[arg(short = '0', long = "null", global = true, conflicts_with_all = ["format", "json"])]
    pub(crate) null: bool,
    /// When to use colours and hyperlinks
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
    /// Show paths relative to the directory asked about (tables only)
    #[arg(long, global = true)]
    pub(crate) relative: bool,
    /// Print secrets in commands, arguments, addresses and configuration instead of `***`
    #[arg(long, global = true)]
    pub(crate) show_secrets: bool,
    /// Neither use nor save what only makes the next run faster: the search index of `tools search`
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    /// Print the answer alone: no hints, and of the findings only what could not be read
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print every finding, notes too
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

impl Global {
    /// The format that the flags together ask for.
    pub(crate) const fn output_format(&self) -> Format {
        if self.null {
            Format::Paths
        } else if self.json {
            Format::Json
        } else {
            self.format
        }
    }
}

/// Flags of `scan`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Scan {
    /// The kinds to list, singular or plural; all by default
    #[arg(value_name = "KIND", value_enum, hide_possible_values = false)]
    pub(crate) kinds: Vec<Kind>,
    /// The kinds to list, given as a flag
    #[arg(long = "kind", value_name = "KIND", value_enum, hide_possible_values = true)]
    pub(crate) kind: Vec<Kind>,
    /// Show only what is in effect
    #[arg(long, conflicts_with = "all")]
    pub(crate) active: bool,
    /// Show also what is ignored or refused, and missing roots
    #[arg(long)]
    pub(crate) all: bool,
}

/// Flags of `why`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Why {
    /// The name to explain, or a path: whatever has a separator or names an existing file
    #[arg(value_name = "NAME|PATH", allow_hyphen_values = true, add = complete::names())]
    pub(crate) name: std::ffi::OsString,
    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_enum)]
    pub(crate) kind: Vec<Kind>,
}

/// Flags of `find-config`.
#[derive(Debug, ClapArgs)]
pub(crate) struct FindConfig {
    /// A file name; `aleph` stands for aleph.toml, aleph.jsonc and aleph.json
    #[arg(value_name = "NAME", add = complete::config_names())]
    pub(crate) name: std::ffi::OsString,
    /// Merge the files: the effective configuration, and for every key where it comes from
    #[arg(long)]
    pub(crate) merged: bool,
    /// Print the merged configuration as a JSONC document with the origins as comments
    #[arg(long, requires = "merged", conflicts_with_all = ["format", "json", "null"])]
    pub(crate) annotated: bool,
}

/// Flags of `roots`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Roots {
    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_enum)]
    pub(crate) kind: Vec<Kind>,
}

/// Flags of `hosts`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Hosts {
    /// Only these kinds
    #[arg(long = "kind", value_name = "KIND", value_enum)]
    pub(crate) kind: Vec<Kind>,
}

/// Flags of `verify`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Run the host; without it the command is only shown
    #[arg(long)]
    pub(crate) yes: bool,
}

/// What `plugins` is asked.
#[derive(Debug, ClapArgs)]
pub(crate) struct Plugins {
    #[command(flatten)]
    pub(crate) list: List,
    #[command(subcommand)]
    pub(crate) command: Option<PluginsCommand>,
}

/// The questions about plugins.
#[derive(Debug, Subcommand)]
pub(crate) enum PluginsCommand {
    /// Every plugin, with what it brings and whether it is in effect (also without a subcommand)
    #[command(
        after_help = "Examples:\n  aleph-discover plugins list\n  aleph-discover plugins list --all --json"
    )]
    List(List),
    /// Everything about one plugin: its manifests, and every file that it would load
    #[command(
        after_help = "Examples:\n  aleph-discover plugins show my-plugin\n  aleph-discover plugins show my-plugin --json"
    )]
    Show(Show),
    /// Check one plugin or marketplace, installed or not; for use in CI
    #[command(
        after_help = "Examples:\n  aleph-discover plugins validate .\n  aleph-discover plugins validate .claude-plugin/marketplace.json --fail-on warning"
    )]
    Validate(Validate),
    /// What one would be installing: commands, secrets, reach, hidden text, digest
    #[command(
        after_help = "Examples:\n  aleph-discover plugins disclose ./downloaded\n  aleph-discover plugins disclose owner/repo --json"
    )]
    Disclose(Disclose),
    /// Install a plugin for the user: from a path, an archive, a marketplace or a git repository
    #[command(
        after_help = "Examples:\n  aleph-discover plugins install ./downloaded\n  aleph-discover plugins install plugin.zip --yes\n  aleph-discover plugins install review@my-market --update"
    )]
    Install(Install),
    /// Remove a plugin of the user's
    #[command(
        after_help = "Examples:\n  aleph-discover plugins remove my-plugin\n  aleph-discover plugins remove my-plugin --json"
    )]
    Remove(Id),
    /// Switch a plugin on again
    #[command(
        after_help = "Examples:\n  aleph-discover plugins enable my-plugin\n  aleph-discover plugins enable my-plugin --json"
    )]
    Enable(Id),
    /// Switch a plugin off without removing it
    #[command(
        after_help = "Examples:\n  aleph-discover plugins disable my-plugin\n  aleph-discover plugins disable my-plugin --json"
    )]
    Disable(Id),
    /// Whether installed plugins still are what was installed; exits with 1 if one is not
    #[command(
        after_help = "Examples:\n  aleph-discover plugins verify\n  aleph-discover plugins verify my-plugin --json"
    )]
    Verify(MaybeId),
}

/// Flags of `plugins list`.
#[derive(Debug, ClapArgs)]
pub(crate) struct List {
    /// Show also what is no plugin
    #[arg(long)]
    pub(crate) all: bool,
}

/// Flags of `plugins show`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Show {
    /// The plugin's id
    #[arg(value_name = "ID", allow_hyphen_values = true, add = complete::plugins())]
    pub(crate) id: String,
}

/// Flags of `plugins validate`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Validate {
    /// The directory of a plugin or marketplace, or its manifest
    #[arg(value_name = "PATH", add = complete::paths())]
    pub(crate) path: PathBuf,
    /// Exit with 1 if there is a finding that matters this much
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
}

/// From which severity on findings count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
}

/// Flags of `schema`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Schema {
    /// The answer whose schema to print; without it the names are listed
    #[arg(value_name = "NAME", add = complete::schemas())]
    pub(crate) name: Option<String>,
}

/// Flags of `explain`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// A rule, state or diagnostic as it is printed; without it all are listed
    #[arg(value_name = "CODE", add = complete::codes())]
    pub(crate) code: Option<String>,
}

/// Flags of `completions`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(crate) shell: Shell,
}

/// Flags of `man`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Man {
    /// The command whose page to print; without it the page of the program
    #[arg(value_name = "COMMAND", add = complete::commands())]
    pub(crate) command: Option<String>,
}

/// Flags of `generate`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Generate {
    /// The document
    #[arg(value_name = "DOCUMENT", value_enum)]
    pub(crate) document: Document,
}

/// A document that is made from the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    /// Every command and flag
    Cli,
    /// What other hosts load, kind by kind
    Hosts,
    /// The JSON outputs, field by field
    Json,
    /// The native host's roots and what is read in them
    Roots,
    /// Every rule, state and diagnostic
    Rules,
}

/// A shell that can complete arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
    /// PowerShell
    #[value(alias = "pwsh")]
    Powershell,
    /// Elvish
    Elvish,
}

impl Shell {
    /// The name used on the command line.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Elvish => "elvish",
        }
    }
}

/// How to print the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// One JSON object
    Json,
    /// JSON lines: a header, then one line for each item
    Jsonl,
    /// The paths in effect, one a line
    Paths,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A kind as a flag's value: singular or plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind(pub(crate) ComponentKind);

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Kind; 9] = [
            Kind(ComponentKind::Skill),
            Kind(ComponentKind::Command),
            Kind(ComponentKind::Agent),
            Kind(ComponentKind::Plugin),
            Kind(ComponentKind::Hook),
            Kind(ComponentKind::McpServer),
            Kind(ComponentKind::Memory),
            Kind(ComponentKind::Config),
            Kind(ComponentKind::OutputStyle),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let is_listed = HostProfile::native().listed_kinds().any(|kind| kind == self.0);
        Some(
            PossibleValue::new(self.0.as_str())
                .alias(self.0.plural())
                .hide(!is_listed),
        )
    }
}

/// A host, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// This one.
    One(HostId),
    /// Every host, one answer for each.
    All,
}

impl ValueEnum for Host {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Host; 7] = [
            Host::One(HostId::Aleph),
            Host::One(HostId::ClaudeCode),
            Host::One(HostId::Codex),
            Host::One(HostId::Gemini),
            Host::One(HostId::Opencode),
            Host::One(HostId::Cursor),
            Host::All,
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(match self {
            Self::One(host) => host.as_str(),
            Self::All => "all",
        });
        // A variable that is set and empty counts as not set.
        let is_default = *self == Self::One(HostId::Aleph);
        Some(if is_default { value.alias("") } else { value })
    }
}

/// The kinds that flags name, in reporting order; all that the host lists if they name none.
///
/// A kind that is not looked for is refused: an answer would say that there is none, and nobody has looked.
pub(crate) fn kinds(
    profile: &HostProfile,
    positional: &[Kind],
    flags: &[Kind],
) -> Result<Vec<ComponentKind>, Failure> {
    let mut kinds: Vec<ComponentKind> = positional.iter().chain(flags).map(|kind| kind.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let listed: Vec<ComponentKind> = profile.listed_kinds().collect();
    // Some kinds a host has, and does not list by itself: they are answered for when they are named.
    if let Some(kind) = kinds.iter().find(|kind| !profile.reads(**kind)) {
        let names: Vec<&str> = listed.iter().map(|kind| kind.as_str()).collect();
        return Err(Failure::usage(
            format!("this version does not look for the kind `{kind}`"),
            format!("choose one of {}", names.join(", ")),
        ));
    }
    Ok(if kinds.is_empty() { listed } else { kinds })
}
