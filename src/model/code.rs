//! What is wrong, or worth saying, as a closed list of codes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wrong with a candidate that is out of the running, or what a diagnostic is about; a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// A symbolic link stands where a real file or directory must be.
    Symlink,
    /// A marker is a symbolic link that leads out of its component directory.
    EscapesRoot,
    /// A FIFO, socket, device or directory stands where a regular file must be.
    NotRegular,
    /// The name begins with a dot.
    Hidden,
    /// A directory without the file that would make it a component.
    NoMarker,
    /// The marker is there, but its name is written in another case.
    WrongCase,
    /// A file of a kind that is not read in this place.
    WrongKind,
    /// A file as the host reads them, in a place where it reads none.
    WrongPlace,
    /// A directory among the plugins that has none of the signs of a plugin.
    NoManifest,
    /// The front matter is not valid YAML.
    BadFrontMatter,
    /// The front matter does not end within the bytes that are read, or a file has more than is read.
    TooLarge,
    /// The front matter, or a configuration file, is not UTF-8.
    NotUtf8,
    /// A name that cannot serve as an id.
    UnusableName,
    /// The operating system refused to let something be read.
    Unreadable,
    /// The declared name differs from the name of the file or directory.
    NameMismatch,
    /// The declared name is not text.
    NameNotText,
    /// The front matter is opened and never closed.
    UnclosedFrontMatter,
    /// The front matter is YAML, but not a mapping.
    FrontMatterNotAMapping,
    /// Two entries of one root have one id, so only the order of their paths decides.
    Ambiguous,
    /// Two ids lead to one real file.
    SameFile,
    /// Ids that differ only in case, or only in invisible or confusable characters.
    SimilarIds,
    /// The upward walk ended at its cap before it came to the git root or the top.
    DepthCap,
    /// A `.git` file names a directory that is not there.
    GitLinkBroken,
    /// A `.git` file does not name a directory.
    GitFileMalformed,
    /// The home directory is not known.
    NoHome,
    /// A configuration file is not valid TOML, JSONC or JSON, or is not a table.
    BadConfig,
    /// Values are nested deeper than is read.
    TooDeep,
    /// A JSON object has one key twice; the last one counts.
    DuplicateKey,
    /// A whole number that no 64-bit integer holds.
    NumberPrecision,
    /// A configuration value is not of the type that its key needs, so it does not count.
    WrongType,
    /// A null in a configuration file: it neither sets nor overrides anything.
    NullIgnored,
    /// A plugin's manifest cannot be parsed.
    BrokenManifest,
    /// A plugin's manifest gives it no name, so its directory does.
    ManifestWithoutName,
    /// A key of a manifest, hooks file or MCP file is not of the type that it needs, so it does not count.
    ManifestWrongType,
    /// Two manifests of one plugin state a field differently.
    ManifestsDisagree,
    /// A path in a manifest leads out of the plugin, so it is not read.
    PathEscapesPlugin,
    /// A path in a manifest leads to nothing.
    PathMissing,
    /// A hook is defined more than once, so it runs more than once on one event.
    HookFiresTwice,
    /// The definition of an MCP server says neither what to start nor what to call, or not how.
    BadServer,
    /// An MCP server is reached in a way that this program does not speak.
    UnsupportedTransport,
    /// One MCP server is configured under two names.
    SameServerTwice,
    /// The definition of an MCP server sets a variable that changes what its program loads or starts.
    ChangesWhatRuns,
    /// The definition of an MCP server is no longer the one that was approved.
    ApprovalOutdated,
    /// The file of approvals cannot be used, so nothing is approved.
    ApprovalsBroken,
    /// An MCP server was asked and did not answer.
    ServerFailed,
    /// Somebody switched it off.
    SwitchedOff,
    /// The plugin that brings it is not in effect.
    PluginNotInEffect,
    /// What the plugin's manifest names takes the place of the usual folder or file.
    DefaultReplaced,
    /// Several plugins bring one name, so only their qualified ids lead to it.
    AmbiguousShortName,
    /// The file that says which plugins are switched on cannot be used, so all are.
    StateFileBroken,
    /// A marketplace's file cannot be parsed, or is missing what every one has.
    BrokenMarketplace,
    /// An entry of a marketplace that cannot be used; the others can.
    BadMarketplaceEntry,
    /// A text of a plugin holds what a reader does not see.
    HiddenText,
    /// A plugin's tree holds what may not be installed.
    UnsafeTree,
    /// The host needs a declared name, and there is none.
    MissingName,
    /// The host needs a description, and there is none.
    MissingDescription,
    /// The host needs front matter, and there is none that it sees.
    NoFrontMatter,
    /// A permission rule takes the entry away.
    DeniedByRule,
    /// The host loads it only from a directory that it trusts.
    NotTrusted,
    /// The host loads it only once somebody has approved it.
    NotApproved,
    /// Something keeps the host from starting here, so that nothing is in effect.
    HostDoesNotStart,
    /// The host has something of its own of this name, which keeps it.
    NameOfTheHosts,
    /// A plugin that is enabled and not installed.
    NotInstalled,
    /// It is read only when the work comes to a file that it is about.
    OnDemand,
    /// A file that leads out of the project, by an import or a link, and is not approved.
    OutsideProject,
    /// It belongs to the checkout that the worktree lies inside of.
    OuterCheckout,
    /// An import of a file that is not there.
    ImportMissing,
    /// A text on the network, which is not fetched to show it.
    NotFetched,
    /// More is named than is looked for, so that some of it may be missing.
    SearchCut,
    /// An import at the end of a longer chain than the host follows.
    ImportTooDeep,
    /// A file without text, which the host leaves out.
    EmptyFile,
    /// Which of several entries has the name changes from start to start.
    HostOrderUndefined,
    /// The model is given only the beginning of a description.
    DescriptionCut,
    /// The model is given only the name of it, since all descriptions together are too long.
    DescriptionLeftOut,
    /// The model is given only the beginning of a file.
    DocumentCut,
    /// The host passes over a marker that is a symbolic link.
    LinkedMarker,
    /// A key that the file's format does not have.
    UnknownKey,
    /// A key without which a rule means nothing.
    MissingKey,
    /// A stage that is not among the stages.
    UnknownStage,
    /// A tool that nobody has.
    UnknownTool,
    /// A tool that no sequence of calls can make visible.
    UnreachableTool,
    /// A trigger that can never fire.
    OrphanTrigger,
    /// Two triggers that do the same on the same calls.
    DuplicateTrigger,
    /// A lease on a tool that no trigger unlocks.
    UselessLease,
    /// A snapshot of a server's tools that is not JSON, or holds no tools.
    BadSnapshot,
    /// A tool that cannot be used: no name, no usable schema, or a name that another has.
    UnusableTool,
    /// An installed plugin is other than what was installed.
    PluginDrift,
    /// A file of records, of installed plugins or of marketplaces, cannot be used, or an entry of it.
    RecordBroken,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 88] = [
        Self::Symlink,
        Self::EscapesRoot,
        Self::NotRegular,
        Self::Hidden,
        Self::NoMarker,
        Self::WrongCase,
        Self::WrongKind,
        Self::WrongPlace,
        Self::NoManifest,
        Self::BadFrontMatter,
        Self::TooLarge,
        Self::NotUtf8,
        Self::UnusableName,
        Self::Unreadable,
        Self::NameMismatch,
        Self::NameNotText,
        Self::UnclosedFrontMatter,
        Self::FrontMatterNotAMapping,
        Self::Ambiguous,
        Self::SameFile,
        Self::SimilarIds,
        Self::DepthCap,
        Self::GitLinkBroken,
        Self::GitFileMalformed,
        Self::NoHome,
        Self::BadConfig,
        Self::TooDeep,
        Self::DuplicateKey,
        Self::NumberPrecision,
        Self::WrongType,
        Self::NullIgnored,
        Self::BrokenManifest,
        Self::ManifestWithoutName,
        Self::ManifestWrongType,
        Self::ManifestsDisagree,
        Self::PathEscapesPlugin,
        Self::PathMissing,
        Self::HookFiresTwice,
        Self::BadServer,
        Self::UnsupportedTransport,
        Self::SameServerTwice,
        Self::ChangesWhatRuns,
        Self::ApprovalOutdated,
        Self::ApprovalsBroken,
        Self::ServerFailed,
        Self::SwitchedOff,
        Self::PluginNotInEffect,
        Self::DefaultReplaced,
        Self::AmbiguousShortName,
        Self::StateFileBroken,
        Self::BrokenMarketplace,
        Self::BadMarketplaceEntry,
        Self::HiddenText,
        Self::UnsafeTree,
        Self::MissingName,
        Self::MissingDescription,
        Self::NoFrontMatter,
        Self::DeniedByRule,
        Self::NotTrusted,
        Self::NotApproved,
        Self::HostDoesNotStart,
        Self::NameOfTheHosts,
        Self::NotInstalled,
        Self::OnDemand,
        Self::OutsideProject,
        Self::OuterCheckout,
        Self::ImportMissing,
        Self::NotFetched,
        Self::SearchCut,
        Self::ImportTooDeep,
        Self::EmptyFile,
        Self::HostOrderUndefined,
        Self::DescriptionCut,
        Self::DescriptionLeftOut,
        Self::DocumentCut,
        Self::LinkedMarker,
        Self::UnknownKey,
        Self::MissingKey,
        Self::UnknownStage,
        Self::UnknownTool,
        Self::UnreachableTool,
        Self::OrphanTrigger,
        Self::DuplicateTrigger,
        Self::UselessLease,
        Self::BadSnapshot,
        Self::UnusableTool,
        Self::PluginDrift,
        Self::RecordBroken,
    ];

    /// The id used in JSON, tables and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Symlink => "symlink",
            Self::EscapesRoot => "escapes-root",
            Self::NotRegular => "not-regular",
            Self::Hidden => "hidden",
            Self::NoMarker => "no-marker",
            Self::WrongCase => "wrong-case",
            Self::WrongKind => "wrong-kind",
            Self::WrongPlace => "wrong-place",
            Self::NoManifest => "no-manifest",
            Self::BadFrontMatter => "bad-front-matter",
            Self::TooLarge => "too-large",
            Self::NotUtf8 => "not-utf8",
            Self::UnusableName => "unusable-name",
            Self::Unreadable => "unreadable",
            Self::NameMismatch => "name-mismatch",
            Self::NameNotText => "name-not-text",
            Self::UnclosedFrontMatter => "unclosed-front-matter",
            Self::FrontMatterNotAMapping => "front-matter-not-a-mapping",
            Self::Ambiguous => "ambiguous",
            Self::SameFile => "same-file",
            Self::SimilarIds => "similar-ids",
            Self::DepthCap => "depth-cap",
            Self::GitLinkBroken => "git-link-broken",
            Self::GitFileMalformed => "git-file-malformed",
            Self::NoHome => "no-home",
            Self::BadConfig => "bad-config",
            Self::TooDeep => "too-deep",
            Self::DuplicateKey => "duplicate-key",
            Self::NumberPrecision => "number-precision",
            Self::WrongType => "wrong-type",
            Self::NullIgnored => "null-ignored",
            Self::BrokenManifest => "broken-manifest",
            Self::ManifestWithoutName => "manifest-without-name",
            Self::ManifestWrongType => "manifest-wrong-type",
            Self::ManifestsDisagree => "manifests-disagree",
            Self::PathEscapesPlugin => "path-escapes-plugin",
            Self::PathMissing => "path-missing",
            Self::HookFiresTwice => "hook-fires-twice",
            Self::BadServer => "bad-server",
            Self::UnsupportedTransport => "unsupported-transport",
            Self::SameServerTwice => "same-server-twice",
            Self::ChangesWhatRuns => "changes-what-runs",
            Self::ApprovalOutdated => "approval-outdated",
            Self::ApprovalsBroken => "approvals-broken",
            Self::ServerFailed => "server-failed",
            Self::SwitchedOff => "switched-off",
            Self::PluginNotInEffect => "plugin-not-in-effect",
            Self::DefaultReplaced => "default-replaced",
            Self::AmbiguousShortName => "ambiguous-short-name",
            Self::StateFileBroken => "state-file-broken",
            Self::BrokenMarketplace => "broken-marketplace",
            Self::BadMarketplaceEntry => "bad-marketplace-entry",
            Self::HiddenText => "hidden-text",
            Self::UnsafeTree => "unsafe-tree",
            Self::MissingName => "missing-name",
            Self::MissingDescription => "missing-description",
            Self::NoFrontMatter => "no-front-matter",
            Self::DeniedByRule => "denied-by-rule",
            Self::NotTrusted => "not-trusted",
            Self::NotApproved => "not-approved",
            Self::HostDoesNotStart => "host-does-not-start",
            Self::NameOfTheHosts => "name-of-the-hosts",
            Self::NotInstalled => "not-installed",
            Self::OnDemand => "on-demand",
            Self::OutsideProject => "outside-project",
            Self::OuterCheckout => "outer-checkout",
            Self::ImportMissing => "import-missing",
            Self::NotFetched => "not-fetched",
            Self::SearchCut => "search-cut",
            Self::ImportTooDeep => "import-too-deep",
            Self::EmptyFile => "empty-file",
            Self::HostOrderUndefined => "host-order-undefined",
            Self::DescriptionCut => "description-cut",
            Self::DescriptionLeftOut => "description-left-out",
            Self::DocumentCut => "document-cut",
            Self::LinkedMarker => "linked-marker",
            Self::UnknownKey => "unknown-key",
            Self::MissingKey => "missing-key",
            Self::UnknownStage => "unknown-stage",
            Self::UnknownTool => "unknown-tool",
            Self::UnreachableTool => "unreachable-tool",
            Self::OrphanTrigger => "orphan-trigger",
            Self::DuplicateTrigger => "duplicate-trigger",
            Self::UselessLease => "useless-lease",
            Self::BadSnapshot => "bad-snapshot",
            Self::UnusableTool => "unusable-tool",
            Self::PluginDrift => "plugin-drift",
            Self::RecordBroken => "record-broken",
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
