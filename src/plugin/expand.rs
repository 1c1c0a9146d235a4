//! The variables for a plugin's own directories, expanded for display.
//!
//! Names and ids are never expanded, and neither is anything that is compared or hashed.

use std::borrow::Cow;
use std::path::Path;

/// Variables for the plugin's directory.
pub const ROOTS: [&str; 4] = [
    "${ALEPH_PLUGIN_ROOT}",
    "${CLAUDE_PLUGIN_ROOT}",
    "${CURSOR_PLUGIN_ROOT}",
    "${PLUGIN_ROOT}",
];

/// Variables for the directory in which the plugin keeps data.
pub const DATA: [&str; 4] = [
    "${ALEPH_PLUGIN_DATA}",
    "${CLAUDE_PLUGIN_DATA}",
    "${CURSOR_PLUGIN_DATA}",
    "${PLUGIN_DATA}",
];

/// A text with the variables for the plugin's directories replaced by the directories.
#[must_use]
pub fn expand<'a>(text: &'a str, root: &Path, data: Option<&Path>) -> Cow<'a, str> {
    if !text.contains("_ROOT}") && !text.contains("_DATA}") {
        return Cow::Borrowed(text);
    }
    let mut expanded = text.to_owned();
    for variable in ROOTS {
        expanded = expanded.replace(variable, &root.to_string_lossy());
    }
    if let Some(data) = data {
        for variable in DATA {
            expanded = expanded.replace(variable, &data.to_string_lossy());
        }
    }
    Cow::Owned(expanded)
}

/// A path without a variable for the plugin's directory in front of it.
#[must_use]
pub fn without_root(text: &str) -> &str {
    for variable in ROOTS {
        if let Some(rest) = text.strip_prefix(variable) {
            return rest.trim_start_matches(['/', '\\']);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plugins_own_variables_are_expanded() {
        let root = Path::new("/p");
        let text = "node \"${CLAUDE_PLUGIN_ROOT}/a.js\" ${PLUGIN_ROOT} ${HOME} ${CLAUDE_PLUGIN_DATA}";
        assert_eq!(
            expand(text, root, Some(Path::new("/d"))),
            "node \"/p/a.js\" /p ${HOME} /d"
        );
        assert_eq!(
            expand("${PLUGIN_DATA} ${PLUGIN_ROOT}", root, None),
            "${PLUGIN_DATA} /p"
        );
        assert_eq!(without_root("${CLAUDE_PLUGIN_ROOT}/.mcp.json"), ".mcp.json");
        assert_eq!(without_root("./x"), "./x");
    }
}
