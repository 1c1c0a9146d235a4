//! Why a sound entry loses, or coexists.

use super::{Example, Page, PageKind, Source, plugins};
use crate::model::Rule;

static NATIVE_OVER_CLAUDE: Page = Page {
    kind: PageKind::Rule,
    title: "An entry under `.aleph` beats one of the same name under `.claude`",
    clause: "a .aleph entry beats a .claude entry, wherever each of them is",
    meaning: "Both have the same kind and name. The one under `.aleph` is in effect, the one under `.claude` is not, \
              even where the `.claude` entry stands in a nearer directory. There is one exception, \
              `claude-project-over-aleph-global`: a project's `.claude` beats the user's own `~/.aleph`.",
    why: "`.aleph` is Aleph's own place; `.claude` is read along, so that what people wrote for Claude Code works \
          as well. Whoever writes the same name under `.aleph` wants Aleph to use that one.",
    remedy: "Edit the entry that wins. If you want both, give them different names.",
    bad: Example {
        title: "The nearer entry was edited, but it is the other one that counts",
        text: "shop/.aleph/skills/deploy/SKILL.md       # in effect\n\
               shop/api/.claude/skills/deploy/SKILL.md  # not in effect, though nearer\n\
               $ aleph-discover -C shop/api",
    },
    good: Example {
        title: "Two names, so both are in effect",
        text: "shop/.aleph/skills/deploy/SKILL.md\n\
               shop/api/.claude/skills/deploy-api/SKILL.md\n\
               $ aleph-discover -C shop/api",
    },
    in_use: true,
    source: Source::Roots,
};

static PROJECT_OVER_GLOBAL: Page = Page {
    kind: PageKind::Rule,
    title: "A project's entry beats the user's own of the same name",
    clause: "the project's entry beats the global one",
    meaning: "Both have the same kind and name, and both stand under `.claude` or both under `.aleph`. The one in \
              the project is in effect, the one in the home directory is not.",
    why: "The user's own entries are for every project; an entry in a project was written for just this one.",
    remedy: "Nothing, if the project's is the one you want. Otherwise give your own another name: that is in effect \
             in every project.",
    bad: Example {
        title: "Your own review skill, hidden by the project's",
        text: "~/.claude/skills/review/SKILL.md     # not in effect here\n\
               shop/.claude/skills/review/SKILL.md  # in effect",
    },
    good: Example {
        title: "Two names, so both are in effect",
        text: "~/.claude/skills/my-review/SKILL.md\n\
               shop/.claude/skills/review/SKILL.md",
    },
    in_use: true,
    source: Source::Roots,
};

static NEAREST_DIRECTORY: Page = Page {
    kind: PageKind::Rule,
    title: "Within a project the entry of the nearer directory wins",
    clause: "the nearer directory beats the one further out",
    meaning: "Both have the same kind and name, both stand in the project, and both under `.claude` or both under \
              `.aleph`. The one in the directory nearer to the working directory is in effect.",
    why: "A part of a project may do something in its own way without touching what holds for the rest of it.",
    remedy: "To see the answer for another part of the project, ask from there: `-C DIR`.",
    bad: Example {
        title: "The project's release command, changed at the top, stays as it was in `api`",
        text: "shop/.claude/commands/release.md      # not in effect in api\n\
               shop/api/.claude/commands/release.md  # in effect in api\n\
               $ aleph-discover -C shop/api",
    },
    good: Example {
        title: "One entry for the whole project",
        text: "shop/.claude/commands/release.md\n\
               shop/api/\n\
               $ aleph-discover -C shop/api",
    },
    in_use: true,
    source: Source::Roots,
};

static CLAUDE_PROJECT_OVER_ALEPH_GLOBAL: Page = Page {
    kind: PageKind::Rule,
    title: "A project's `.claude` entry beats one of the same name in `~/.aleph`",
    clause: "the project's .claude entry beats the one in the global .aleph",
    meaning: "Both have the same kind and name. The one in the project's `.claude` is in effect, although the other \
              stands in Aleph's own directory.",
    why: "Every root of a project ranks above every root of the user. That is the one case in which `.claude` beats \
          `.aleph`.",
    remedy: "If your own is to hold here, put it into the project's `.aleph`, which ranks highest; or give it another \
             name.",
    bad: Example {
        title: "Your own changelog skill, hidden by the project's",
        text: "~/.aleph/skills/changelog/SKILL.md      # not in effect here\n\
               shop/.claude/skills/changelog/SKILL.md  # in effect",
    },
    good: Example {
        title: "The one that is to hold here stands in the project's `.aleph`",
        text: "shop/.aleph/skills/changelog/SKILL.md   # in effect: native-over-claude\n\
               shop/.claude/skills/changelog/SKILL.md",
    },
    in_use: true,
    source: Source::Roots,
};

static TIE_PATH_ORDER: Page = Page {
    kind: PageKind::Rule,
    title: "Two entries of one root have one name: the smaller path wins",
    clause: "of two in one place the one whose path sorts first wins",
    meaning: "Both stand in the same root, so neither ranks higher. The one whose path is smaller, compared byte by \
              byte, is in effect, and the finding `ambiguous` says so.",
    why: "Directories list their entries in any order; without a fixed rule the answer could change from one machine \
          to the next.",
    remedy: "Remove or rename one of the two. The order is fixed, but nobody remembers it.",
    bad: Example {
        title: "A folder and a file of one name; two folders that declare one name do the same",
        text: "shop/.claude/skills/migrate/SKILL.md  # in effect\n\
               shop/.claude/skills/migrate.md        # not in effect",
    },
    good: Example {
        title: "One of them is left",
        text: "shop/.claude/skills/migrate/SKILL.md",
    },
    in_use: true,
    source: Source::Chains,
};

static CONFIG_FORMAT: Page = Page {
    kind: PageKind::Rule,
    title: "In one directory `aleph.toml` beats `aleph.jsonc`, which beats `aleph.json`",
    clause: "in one directory aleph.toml beats aleph.jsonc, which beats aleph.json",
    meaning: "One directory has Aleph's configuration in several formats. Only the first of them in this order \
              counts; the others are not merged with it. One that cannot be parsed is passed over, and the next \
              counts.",
    why: "Several formats in one directory are mostly what is left of a change from one to the other. Merging them \
          would bring old values back.",
    remedy: "Move what is still needed into the file that counts, and remove the other.",
    bad: Example {
        title: "The old file was edited",
        text: "shop/aleph.toml:\n    \
               model = \"large\"\n\
               shop/aleph.json:  # does not count\n    \
               {\"model\": \"small\"}",
    },
    good: Example {
        title: "One format a directory",
        text: "shop/aleph.toml:\n    \
               model = \"small\"",
    },
    in_use: true,
    source: Source::Config,
};

static CONFIG_LAYERS: Page = Page {
    kind: PageKind::Rule,
    title: "Configuration files of several directories are merged key by key",
    clause: "it is merged with the files of the other directories, and the nearest one has the last word",
    meaning: "The file does not lose: what it says holds wherever no file above it says something else. The user's \
              file lies lowest, then those of the walk from the outermost directory inward; what is nearest counts \
              most, and `ALEPH_CONFIG_CONTENT` more than any file.",
    why: "A project wants to set a few things and leave the rest as the user has it.",
    remedy: "`aleph-discover find-config aleph --merged` shows for every key which file, line and column its value \
             comes from, and what it overrode.",
    bad: Example {
        title: "Your own `model` does not hold here: a nearer file sets it too",
        text: "~/.aleph/aleph.toml:\n    \
               model = \"large\"\n    \
               theme = \"dark\"     # still holds\n\
               shop/aleph.jsonc:\n    \
               {\"model\": \"small\"}",
    },
    good: Example {
        title: "One file, nothing to merge",
        text: "shop/aleph.jsonc:\n    \
               {\"model\": \"small\"}",
    },
    in_use: true,
    source: Source::Config,
};

/// The page of a rule.
pub(super) const fn page(rule: Rule) -> &'static Page {
    match rule {
        Rule::NativeOverClaude => &NATIVE_OVER_CLAUDE,
        Rule::ProjectOverGlobal => &PROJECT_OVER_GLOBAL,
        Rule::NearestDirectory => &NEAREST_DIRECTORY,
        Rule::ClaudeProjectOverAlephGlobal => &CLAUDE_PROJECT_OVER_ALEPH_GLOBAL,
        Rule::TiePathOrder => &TIE_PATH_ORDER,
        Rule::ConfigFormat => &CONFIG_FORMAT,
        Rule::ConfigLayers => &CONFIG_LAYERS,
        Rule::PluginNamespace => &plugins::PLUGIN_NAMESPACE,
        Rule::AddsUp => &plugins::ADDS_UP,
    }
}
