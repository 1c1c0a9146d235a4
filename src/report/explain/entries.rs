//! What is wrong with an entry, from the outside: its name, its form, what stands in its place.

use super::{
    Example, Page, PageKind, Source, config, front_matter, host_codes, host_rules, manifests, mcp, plugins,
    states, tools, trouble,
};
use crate::model::Code;

static SYMLINK: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A symbolic link stands where a real file or folder must be",
    clause: "it is a symbolic link",
    meaning: "The entry itself is a link, or its marker is a link that leads nowhere. It is not followed, wherever it \
              leads, also to an entry of the same folder. Where it points is shown, and whether that is in the same \
              folder, outside of it, nowhere or a cycle.",
    why: "Whoever can change the target could change what the agent is told, and nothing would show in the folder \
          that was looked over. A configuration file may be a link, but then to a file that is there.",
    remedy: "Copy what the link points at to this place. Or link the folder that holds the entries: a root, and \
             its `skills`, `commands` and `agents`, may be links.",
    bad: Example {
        title: "One skill of the dotfiles, linked",
        text: "~/dotfiles/skills/standup/SKILL.md\n\
               ~/.claude/skills/standup -> ../../dotfiles/skills/standup",
    },
    good: Example {
        title: "The folder of skills, linked",
        text: "~/dotfiles/skills/standup/SKILL.md\n\
               ~/.claude/skills -> ../dotfiles/skills",
    },
    in_use: true,
    source: Source::Scanner,
};

static ESCAPES_ROOT: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A marker is a link that leads out of its component folder",
    clause: "it is a symbolic link that leads out of its directory",
    meaning: "The folder is real, but the `SKILL.md` or `agent.md` in it is a link to a file outside of `skills`, \
              `commands` or `agents`. A link to a file inside is followed.",
    why: "Such a link could make any file of the machine an instruction to the agent: a private note, or a file that \
          a download left.",
    remedy: "Replace the link by a real file.",
    bad: Example {
        title: "The marker lies in the documents of the project",
        text: "shop/docs/deploy.md\n\
               shop/.claude/skills/deploy/SKILL.md -> ../../../docs/deploy.md",
    },
    good: Example {
        title: "A real marker that refers to the document in words",
        text: "shop/docs/deploy.md\n\
               shop/.claude/skills/deploy/SKILL.md:\n    \
               Read docs/deploy.md and follow it.",
    },
    in_use: true,
    source: Source::Scanner,
};

static NOT_REGULAR: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Something other than a regular file stands where a file must be",
    clause: "it is not a regular file",
    meaning: "A directory, FIFO, socket or device has the name of a marker, of a flat entry, or of a configuration \
              file. It was not opened.",
    why: "Reading from a FIFO or a device can wait for ever, or never end.",
    remedy: "Put a regular file in its place, or give it another name.",
    bad: Example {
        title: "A folder called SKILL.md",
        text: "shop/.claude/skills/deploy/SKILL.md/",
    },
    good: Example {
        title: "A file called SKILL.md",
        text: "shop/.claude/skills/deploy/SKILL.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static HIDDEN: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The name begins with a dot",
    clause: "its name begins with a dot",
    meaning: "Hidden files and folders among the entries are not read. Tables show only how many there are, unless \
              you ask with `--all`.",
    why: "A leading dot is how people put things aside, and how editors and operating systems name their own files.",
    remedy: "Rename it, if it is meant to be in effect.",
    bad: Example {
        title: "A draft that is ready now",
        text: "~/.claude/skills/.standup/SKILL.md",
    },
    good: Example {
        title: "Without the dot",
        text: "~/.claude/skills/standup/SKILL.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static NO_MARKER: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A folder without the file that would make it an entry",
    clause: "the file that would make it a component is missing",
    meaning: "A folder is a skill or a command if it has a `SKILL.md`, and an agent if it has an `agent.md`. This one \
              does not. Only this level is looked at: what lies in folders further down is not read.",
    why: "Folders among the entries hold all kinds of things. An agents' folder without `agent.md` may be an Aleph \
          identity directory, which is none of discovery's business.",
    remedy: "Add the marker, or move the entry up so that it stands directly in `skills`, `commands` or `agents`.",
    bad: Example {
        title: "A command in a folder of commands, as other hosts read it",
        text: "shop/.claude/commands/git/commit.md",
    },
    good: Example {
        title: "Directly in the folder of commands",
        text: "shop/.claude/commands/git-commit.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static WRONG_CASE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "The marker is there, but its name is written in another case",
    clause: "its marker's name is written in another case",
    meaning: "The name of the marker is exact on every system: `SKILL.md` for skills and commands, `agent.md` for \
              agents. This folder has it in other letters.",
    why: "On some file systems `skill.md` and `SKILL.md` are one file, on others two. A folder that works on one \
          machine must work on every other.",
    remedy: "Rename the file.",
    bad: Example {
        title: "Small letters",
        text: "shop/.claude/skills/profile/skill.md",
    },
    good: Example {
        title: "As it must be",
        text: "shop/.claude/skills/profile/SKILL.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static WRONG_KIND: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A file of a kind that is not read in this place",
    clause: "files of this kind are not read here",
    meaning: "Among skills, commands and agents only folders and files that end in `.md`, in small letters, are read; \
              among plugins only folders.",
    why: "People keep other files beside their entries, and nothing is lost by that. But it may have been meant as \
          an entry.",
    remedy: "Nothing, if it is no entry. Otherwise rename it so that it ends in `.md`.",
    bad: Example {
        title: "A command with the wrong ending",
        text: "shop/.claude/commands/release.txt",
    },
    good: Example {
        title: "With the right one",
        text: "shop/.claude/commands/release.md",
    },
    in_use: true,
    source: Source::Scanner,
};

static WRONG_PLACE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A file as this host reads them, in a place where it reads none",
    clause: "such files are not read in this place",
    meaning: "Some hosts read a file only where it stands at the right depth, or not beside certain others: a `SKILL.md` \
              that lies in `skills` itself is no skill to Claude Code, nor is a `.md` file a command whose folder is a \
              skill. Aleph reads each `.md` file that stands directly in `skills`, `commands` or `agents`, so it says \
              this of none.",
    why: "The file looks right, so nobody would look for the reason in where it lies.",
    remedy: "Move it to where the host reads such files; the message says what keeps it from being read.",
    bad: Example {
        title: "The marker of a skill without a folder, as Claude Code sees it",
        text: "shop/.claude/skills/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               description: Deploys.\n    \
               ---\n\
               $ aleph-discover scan --host claude-code",
    },
    good: Example {
        title: "In a folder of its own",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               description: Deploys.\n    \
               ---\n\
               $ aleph-discover scan --host claude-code",
    },
    in_use: true,
    source: Source::Hosts,
};

static NO_MANIFEST: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A folder among the plugins that has no sign of a plugin",
    clause: "nothing in it makes it a plugin",
    meaning: "A plugin has a manifest (such as `aleph.plugin.toml` or `.claude-plugin/plugin.json`), a `.mcp.json`, \
              `.cursorrules` or `.cursor/rules`, or at least one of the folders `skills`, `commands`, `agents` and \
              `hooks`. This folder has none of them, and neither has a folder directly in it.",
    why: "A folder of plugins may hold whole collections, so one more level is looked at, but not a third: otherwise \
          any folder deep in a repository could turn out to be a plugin.",
    remedy: "Move the plugin up, or add a manifest. Signs must be real files and folders: links are none.",
    bad: Example {
        title: "The plugin lies two levels too deep",
        text: "~/.aleph/plugins/collection/tools/ops/aleph.plugin.toml",
    },
    good: Example {
        title: "Directly among the plugins, or one level below",
        text: "~/.aleph/plugins/collection/ops/aleph.plugin.toml",
    },
    in_use: true,
    source: Source::Plugins,
};

static UNUSABLE_NAME: Page = Page {
    kind: PageKind::Diagnostic,
    title: "A name that cannot serve as an id",
    clause: "its name cannot be an id",
    meaning: "A declared name is unusable if it is empty, `.` or `..`, longer than 255 bytes, or has `/`, `\\`, `:` \
              or control characters in it; then the name of the file or folder is the id. If that has `:` or control \
              characters too, the entry is invalid.",
    why: "A colon separates a plugin from what it brings, so `ops:deploy` in a project would pose as part of the \
          plugin `ops`. Slashes and dots lead through directories, control characters disturb terminals.",
    remedy: "Choose a name without these characters.",
    bad: Example {
        title: "It would pose as a plugin's skill",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: ops:deploy\n    \
               ---",
    },
    good: Example {
        title: "A plain name",
        text: "shop/.claude/skills/deploy/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               ---",
    },
    in_use: true,
    source: Source::FrontMatter,
};

static AMBIGUOUS: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Two entries of one root have one name, so only the order of their paths decides",
    clause: "another entry of the same place has its id",
    meaning: "The two stand in the same root and neither ranks higher. The one with the smaller path is in effect; \
              the rule is `tie-path-order`.",
    why: "It is hardly ever meant, and renaming a folder could change which of the two is used.",
    remedy: "Rename or remove one of them.",
    bad: Example {
        title: "Two folders declare one name",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/deploy-old/SKILL.md:\n    \
               ---\n    \
               name: deploy\n    \
               ---",
    },
    good: Example {
        title: "The copy has a name of its own",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/deploy-old/SKILL.md:\n    \
               ---\n    \
               name: deploy-old\n    \
               ---",
    },
    in_use: true,
    source: Source::Chains,
};

static SAME_FILE: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Two names lead to one real file",
    clause: "another id leads to the same file",
    meaning: "Two entries with different names are one file, by a link or a hard link. Both are in effect.",
    why: "An edit of one changes the other, which whoever edits it may not know.",
    remedy: "Keep one of them, or make it a copy.",
    bad: Example {
        title: "The marker of one skill is a link to that of another",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/release/SKILL.md -> ../deploy/SKILL.md",
    },
    good: Example {
        title: "Two files",
        text: "shop/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/release/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static SIMILAR_IDS: Page = Page {
    kind: PageKind::Diagnostic,
    title: "Two names that people, or another file system, would take for one",
    clause: "another id looks like its own",
    meaning: "Both are in effect, and their names differ only in case (`ß` is `SS` in another case), or only in characters \
              that are invisible or look like others, such as a Cyrillic `е` for a Latin `e` or a capital `I` for a \
              small `l`, or in both of these.",
    why: "On a file system that does not tell cases apart they would be one entry. And a look-alike is a way to \
          smuggle in something under a trusted name.",
    remedy: "Rename one. If you did not write both, look at the other one closely.",
    bad: Example {
        title: "Only the case differs",
        text: "~/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/release/SKILL.md:\n    \
               ---\n    \
               name: Deploy\n    \
               ---",
    },
    good: Example {
        title: "Two names that nobody takes for one",
        text: "~/.claude/skills/deploy/SKILL.md\n\
               shop/.claude/skills/release/SKILL.md",
    },
    in_use: true,
    source: Source::FrontMatter,
};

/// The page of a code.
pub(super) const fn page(code: Code) -> &'static Page {
    match code {
        Code::Symlink => &SYMLINK,
        Code::EscapesRoot => &ESCAPES_ROOT,
        Code::NotRegular => &NOT_REGULAR,
        Code::Hidden => &HIDDEN,
        Code::NoMarker => &NO_MARKER,
        Code::WrongCase => &WRONG_CASE,
        Code::WrongKind => &WRONG_KIND,
        Code::WrongPlace => &WRONG_PLACE,
        Code::NoManifest => &NO_MANIFEST,
        Code::UnusableName => &UNUSABLE_NAME,
        Code::Ambiguous => &AMBIGUOUS,
        Code::SameFile => &SAME_FILE,
        Code::SimilarIds => &SIMILAR_IDS,
        Code::Unreadable => &states::UNREADABLE,
        Code::BadFrontMatter => &front_matter::BAD_FRONT_MATTER,
        Code::TooLarge => &front_matter::TOO_LARGE,
        Code::NotUtf8 => &front_matter::NOT_UTF8,
        Code::NameMismatch => &front_matter::NAME_MISMATCH,
        Code::NameNotText => &front_matter::NAME_NOT_TEXT,
        Code::UnclosedFrontMatter => &front_matter::UNCLOSED_FRONT_MATTER,
        Code::FrontMatterNotAMapping => &front_matter::FRONT_MATTER_NOT_A_MAPPING,
        Code::DepthCap => &trouble::DEPTH_CAP,
        Code::GitLinkBroken => &trouble::GIT_LINK_BROKEN,
        Code::GitFileMalformed => &trouble::GIT_FILE_MALFORMED,
        Code::NoHome => &trouble::NO_HOME,
        Code::BadConfig => &config::BAD_CONFIG,
        Code::TooDeep => &config::TOO_DEEP,
        Code::DuplicateKey => &config::DUPLICATE_KEY,
        Code::NumberPrecision => &config::NUMBER_PRECISION,
        Code::WrongType => &config::WRONG_TYPE,
        Code::NullIgnored => &config::NULL_IGNORED,
        Code::MissingName => &host_codes::MISSING_NAME,
        Code::MissingDescription => &host_codes::MISSING_DESCRIPTION,
        Code::NoFrontMatter => &host_codes::NO_FRONT_MATTER,
        Code::DeniedByRule => &host_codes::DENIED_BY_RULE,
        Code::NotTrusted => &host_codes::NOT_TRUSTED,
        Code::NotApproved => &host_codes::NOT_APPROVED,
        Code::NameOfTheHosts => &host_codes::NAME_OF_THE_HOSTS,
        Code::HostDoesNotStart => &host_codes::HOST_DOES_NOT_START,
        Code::NotInstalled => &host_codes::NOT_INSTALLED,
        Code::OnDemand => &host_codes::ON_DEMAND,
        Code::OutsideProject => &host_codes::OUTSIDE_PROJECT,
        Code::OuterCheckout => &host_codes::OUTER_CHECKOUT,
        Code::ImportMissing => &host_codes::IMPORT_MISSING,
        Code::NotFetched => &host_codes::NOT_FETCHED,
        Code::SearchCut => &host_codes::SEARCH_CUT,
        Code::ImportTooDeep => &host_codes::IMPORT_TOO_DEEP,
        Code::EmptyFile => &host_codes::EMPTY_FILE,
        Code::HostOrderUndefined => &host_rules::HOST_ORDER_UNDEFINED,
        Code::DescriptionCut => &host_codes::DESCRIPTION_CUT,
        Code::DescriptionLeftOut => &host_codes::DESCRIPTION_LEFT_OUT,
        Code::DocumentCut => &host_codes::DOCUMENT_CUT,
        Code::LinkedMarker => &host_codes::LINKED_MARKER,
        Code::BrokenManifest => &manifests::BROKEN_MANIFEST,
        Code::ManifestWithoutName => &manifests::MANIFEST_WITHOUT_NAME,
        Code::ManifestWrongType => &manifests::MANIFEST_WRONG_TYPE,
        Code::ManifestsDisagree => &manifests::MANIFESTS_DISAGREE,
        Code::PathEscapesPlugin => &manifests::PATH_ESCAPES_PLUGIN,
        Code::PathMissing => &manifests::PATH_MISSING,
        Code::HookFiresTwice => &manifests::HOOK_FIRES_TWICE,
        Code::BadServer => &manifests::BAD_SERVER,
        Code::UnsupportedTransport => &mcp::UNSUPPORTED_TRANSPORT,
        Code::SameServerTwice => &mcp::SAME_SERVER_TWICE,
        Code::ChangesWhatRuns => &mcp::CHANGES_WHAT_RUNS,
        Code::ApprovalOutdated => &mcp::APPROVAL_OUTDATED,
        Code::ApprovalsBroken => &mcp::APPROVALS_BROKEN,
        Code::ServerFailed => &mcp::SERVER_FAILED,
        Code::SwitchedOff => &plugins::SWITCHED_OFF,
        Code::PluginNotInEffect => &plugins::PLUGIN_NOT_IN_EFFECT,
        Code::DefaultReplaced => &plugins::DEFAULT_REPLACED,
        Code::AmbiguousShortName => &plugins::AMBIGUOUS_SHORT_NAME,
        Code::StateFileBroken => &plugins::STATE_FILE_BROKEN,
        Code::BrokenMarketplace => &manifests::BROKEN_MARKETPLACE,
        Code::BadMarketplaceEntry => &manifests::BAD_MARKETPLACE_ENTRY,
        Code::HiddenText => &plugins::HIDDEN_TEXT,
        Code::UnsafeTree => &plugins::UNSAFE_TREE,
        Code::UnknownKey => &tools::UNKNOWN_KEY,
        Code::MissingKey => &tools::MISSING_KEY,
        Code::UnknownStage => &tools::UNKNOWN_STAGE,
        Code::UnknownTool => &tools::UNKNOWN_TOOL,
        Code::UnreachableTool => &tools::UNREACHABLE_TOOL,
        Code::OrphanTrigger => &tools::ORPHAN_TRIGGER,
        Code::DuplicateTrigger => &tools::DUPLICATE_TRIGGER,
        Code::UselessLease => &tools::USELESS_LEASE,
        Code::BadSnapshot => &tools::BAD_SNAPSHOT,
        Code::UnusableTool => &tools::UNUSABLE_TOOL,
        Code::PluginDrift => &plugins::PLUGIN_DRIFT,
        Code::RecordBroken => &plugins::RECORD_BROKEN,
    }
}
