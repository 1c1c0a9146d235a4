//! Variables that change what a program loads or starts: who sets one of them for an innocent command runs code of their
//! own with it.
//!
//! The list is closed. It has what the loaders of operating systems, the common language runtimes and the tools that
//! start servers read without being asked. That a name is not among them says nothing of a program's own variables.

use schemars::JsonSchema;
use serde::Serialize;

/// Which names are meant.
#[derive(Clone, Copy, Debug)]
enum Names {
    /// Exactly this one; on Windows in any case, as names are there.
    Exact(&'static str),
    /// All that begin so.
    Prefix(&'static str),
    /// This one in any case, since those who read it take it so everywhere.
    AnyCase(&'static str),
    /// Exactly this one, where its value can be the path of a file elsewhere. Many programs use the name for a word of
    /// their own (`ENV=production`).
    ForPath(&'static str),
}

impl Names {
    fn have(self, name: &str, value: &str) -> bool {
        match self {
            Self::Exact(exact) if cfg!(windows) => name.eq_ignore_ascii_case(exact),
            Self::Exact(exact) => name == exact,
            Self::Prefix(prefix) => name.starts_with(prefix),
            Self::AnyCase(any) => name.eq_ignore_ascii_case(any),
            Self::ForPath(exact) => {
                Self::Exact(exact).have(name, value) && value.contains(['/', '\\', '~', '$', '`'])
            }
        }
    }
}

/// The names, and what each does.
const STEERING: &[(Names, &str)] = {
    use Names::{AnyCase, Exact, ForPath, Prefix};
    const LOADER: &str = "the system's loader puts these libraries into the program before its own code runs";
    const LIBRARIES: &str = "the system's loader looks for libraries in these directories first";
    const NODE: &str =
        "Node.js takes these flags, and `--require` or `--import` runs a file before the program";
    const PYTHON: &str =
        "Python looks for modules in these directories first, so theirs run in place of its own";
    const PERL: &str = "Perl loads modules from here before the program runs";
    const RUBY: &str = "Ruby loads files from here before the program runs";
    const SHELL: &str = "a shell runs this file when it starts, before what it is told to run";
    const GIT: &str = "git starts this program";
    const GIT_SETTINGS: &str =
        "git takes these settings, and settings of git can name programs that it starts";
    const JAVA: &str = "Java takes these flags, and `-javaagent` or `-cp` runs code of others";
    const DOTNET: &str = ".NET loads this code into the program before its own runs";
    const PHP: &str = "PHP takes these settings, and `auto_prepend_file` runs a file before the program";
    const NPM: &str = "npm and npx take this setting: it decides from where packages come, or what runs them";
    const PACKAGES: &str =
        "packages are fetched from this index, so another's code is installed under their names";
    &[
        (Exact("LD_PRELOAD"), LOADER),
        (Exact("LD_AUDIT"), LOADER),
        (Exact("LD_LIBRARY_PATH"), LIBRARIES),
        (Exact("DYLD_INSERT_LIBRARIES"), LOADER),
        (Prefix("DYLD_"), LIBRARIES),
        (
            Exact("GCONV_PATH"),
            "the C library loads converters of texts from these directories",
        ),
        (
            Exact("OPENSSL_CONF"),
            "OpenSSL takes this file of settings, which can name libraries that it loads",
        ),
        (
            Exact("PATH"),
            "programs that are started by name are looked up in these directories, the program itself too",
        ),
        (
            Exact("PATHEXT"),
            "Windows takes files with these endings for programs, in this order",
        ),
        (Exact("BASH_ENV"), SHELL),
        (ForPath("ENV"), SHELL),
        (Exact("ZDOTDIR"), "zsh runs the start files in this directory"),
        (Exact("NODE_OPTIONS"), NODE),
        (
            Exact("NODE_PATH"),
            "Node.js looks for modules in these directories too",
        ),
        (AnyCase("npm_config_registry"), NPM),
        (AnyCase("npm_config_node_options"), NPM),
        (AnyCase("npm_config_script_shell"), NPM),
        (AnyCase("npm_config_userconfig"), NPM),
        (AnyCase("npm_config_globalconfig"), NPM),
        (AnyCase("npm_config_prefix"), NPM),
        (Exact("PYTHONPATH"), PYTHON),
        (Exact("PYTHONHOME"), PYTHON),
        (Exact("PYTHONUSERBASE"), PYTHON),
        (
            Exact("PYTHONSTARTUP"),
            "Python runs this file when it is started to be typed into",
        ),
        (Exact("PIP_INDEX_URL"), PACKAGES),
        (Exact("PIP_EXTRA_INDEX_URL"), PACKAGES),
        (Exact("UV_INDEX"), PACKAGES),
        (Exact("UV_INDEX_URL"), PACKAGES),
        (Exact("UV_EXTRA_INDEX_URL"), PACKAGES),
        (Exact("UV_DEFAULT_INDEX"), PACKAGES),
        (Exact("PERL5OPT"), PERL),
        (Exact("PERL5LIB"), PERL),
        (Exact("PERLLIB"), PERL),
        (Exact("PERL5DB"), PERL),
        (Exact("RUBYOPT"), RUBY),
        (Exact("RUBYLIB"), RUBY),
        (Exact("GEM_PATH"), RUBY),
        (Exact("GEM_HOME"), RUBY),
        (Exact("BUNDLE_GEMFILE"), RUBY),
        (Exact("JAVA_TOOL_OPTIONS"), JAVA),
        (Exact("JDK_JAVA_OPTIONS"), JAVA),
        (Exact("_JAVA_OPTIONS"), JAVA),
        (Exact("CLASSPATH"), "Java looks for its classes here"),
        (Exact("DOTNET_STARTUP_HOOKS"), DOTNET),
        (Exact("CORECLR_PROFILER_PATH"), DOTNET),
        (Exact("COR_PROFILER_PATH"), DOTNET),
        (Exact("PHPRC"), PHP),
        (Exact("PHP_INI_SCAN_DIR"), PHP),
        (Prefix("LUA_INIT"), "Lua runs this before the program"),
        (Exact("GIT_SSH_COMMAND"), GIT),
        (Exact("GIT_SSH"), GIT),
        (Exact("GIT_PROXY_COMMAND"), GIT),
        (Exact("GIT_EXTERNAL_DIFF"), GIT),
        (Exact("GIT_ASKPASS"), GIT),
        (Exact("SSH_ASKPASS"), GIT),
        (
            Exact("GIT_EXEC_PATH"),
            "git looks for its own commands in this directory",
        ),
        (
            Exact("GIT_TEMPLATE_DIR"),
            "git copies hooks from here into every repository that it makes, and runs them",
        ),
        (Prefix("GIT_CONFIG"), GIT_SETTINGS),
    ]
};

/// A variable that is set and changes what a program loads or starts. Its value is never part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Steering {
    /// Its name.
    pub variable: String,
    /// What it does, as a clause that speaks of its value as `this` or `these`.
    pub effect: &'static str,
}

/// Those of the variables that a definition sets that change what a program loads or starts, in their order. One that
/// is handed on as the user has it (`"PATH": "${PATH}"`) is not the definition's word, and so not among them.
#[must_use]
pub fn steering(env: &[(String, String)]) -> Vec<Steering> {
    env.iter()
        .filter(|(name, value)| {
            value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) != Some(name)
        })
        .filter_map(|(name, value)| {
            let (_, effect) = STEERING.iter().find(|(names, _)| names.have(name, value))?;
            Some(Steering {
                variable: name.clone(),
                effect,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pairs: &[(&str, &str)]) -> Vec<String> {
        let pairs: Vec<(String, String)> = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        steering(&pairs).into_iter().map(|one| one.variable).collect()
    }

    #[test]
    fn what_the_definition_sets_is_found_and_nothing_else() {
        let pairs = [
            ("API_KEY", "x"),
            ("LD_PRELOAD", "./a.so"),
            ("DYLD_FRAMEWORK_PATH", "/x"),
            ("NPM_CONFIG_REGISTRY", "https://example.com"),
            ("GIT_CONFIG_COUNT", "1"),
            ("PATH", "${PWD}/bin:${PATH}"),
            ("NODE_OPTIONS", ""),
            ("NODE_ENV", "production"),
            ("ENV", "production"),
            ("GITHUB_TOKEN", "x"),
        ];
        assert_eq!(
            found(&pairs),
            [
                "LD_PRELOAD",
                "DYLD_FRAMEWORK_PATH",
                "NPM_CONFIG_REGISTRY",
                "GIT_CONFIG_COUNT",
                "PATH",
                "NODE_OPTIONS"
            ]
        );
        // As the user has it.
        assert!(found(&[("PATH", "${PATH}"), ("PYTHONPATH", "${PYTHONPATH}")]).is_empty());
        assert_eq!(found(&[("PATH", "${OTHER}")]), ["PATH"]);
        assert_eq!(found(&[("ENV", "./start.sh")]), ["ENV"]);
    }

    #[test]
    fn the_nearest_word_is_said_and_none_is_there_twice() {
        let inserted = steering(&[("DYLD_INSERT_LIBRARIES".to_owned(), "x".to_owned())]);
        assert!(inserted[0].effect.contains("puts these libraries"));
        let mut seen = std::collections::HashSet::new();
        for (names, effect) in STEERING {
            let (Names::Exact(name) | Names::Prefix(name) | Names::AnyCase(name) | Names::ForPath(name)) =
                names;
            assert!(seen.insert(name.to_lowercase()), "{name}");
            assert!(!effect.ends_with('.'), "{effect}");
        }
    }
}
