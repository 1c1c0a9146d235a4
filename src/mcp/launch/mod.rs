//! What it would take to reach a server: everything expanded, nothing done.

mod preview;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub use preview::Preview;

use super::environment::UserEnvironment;
use super::expand::{self, Unset};
use super::secrets::{is_surroundings, what_is_masked};
use crate::model::{ServerDefinition, Transport};
use crate::plugin::expand::{DATA, ROOTS};
use crate::plugin::shown::{PluginDirs, server_view};

/// The name by which one host's extensions call their own directory.
const EXTENSION_PATH: &str = "extensionPath";

/// What it would take to reach one server.
///
/// Its values are secrets: they are for starting the server and never for printing.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The server's name, as configured.
    pub name: String,
    /// How it is reached.
    pub launch: Launch,
    /// What must not be shown besides what `launch` says of itself: what the variables hold that the definition names,
    /// and what is masked of its arguments and its address.
    pub(in crate::mcp) hidden: Vec<String>,
}

/// How a server is reached, with all variables expanded.
#[derive(Clone, PartialEq, Eq)]
pub enum Launch {
    /// A process that is started, spoken to by its standard streams.
    Process {
        /// The program, as it is looked up in `PATH`.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
        /// The directory it is started in.
        directory: PathBuf,
        /// Its whole environment: it gets nothing that is not named here.
        environment: Vec<(OsString, OsString)>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// The headers that are sent along.
        headers: Vec<(String, String)>,
    },
}

/// Where a definition stands, which decides what its relative paths and a plugin's variables mean.
#[derive(Clone, Debug)]
pub struct Site {
    /// The file that configures the server.
    pub file: PathBuf,
    /// The directory that it is started in unless it says otherwise: the plugin's, else the file's.
    ///
    /// Never the working directory: a program that is started in a stranger's directory may load what lies there.
    pub base: PathBuf,
    /// The directories of the plugin that brings it.
    pub plugin: Option<PluginDirs>,
}

impl Site {
    /// The site of a definition in a file that no plugin brings.
    #[must_use]
    pub fn of_file(file: &Path) -> Self {
        Self {
            base: file.parent().unwrap_or(file).to_path_buf(),
            file: file.to_path_buf(),
            plugin: None,
        }
    }

    /// The site of a definition that a plugin brings.
    #[must_use]
    pub fn of_plugin(file: &Path, dirs: PluginDirs) -> Self {
        Self {
            file: file.to_path_buf(),
            base: dirs.root.clone(),
            plugin: Some(dirs),
        }
    }

    /// What a variable of the plugin stands for.
    fn own_variable(&self, name: &str) -> Option<OsString> {
        let dirs = self.plugin.as_ref()?;
        let is = |variables: &[&str]| variables.iter().any(|known| bare(known) == name);
        if is(&ROOTS) || name == EXTENSION_PATH {
            Some(dirs.root.clone().into_os_string())
        } else if is(&DATA) {
            dirs.data.clone().map(PathBuf::into_os_string)
        } else {
            None
        }
    }
}

/// `${NAME}` without its dollar and braces.
fn bare(variable: &str) -> &str {
    variable.trim_start_matches("${").trim_end_matches('}')
}

/// Why a server cannot be reached as it is defined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A variable is not set and has no default.
    #[error("the MCP server `{server}` needs the variable `{variable}` for its {part}, and it is not set")]
    Unset {
        /// The server.
        server: String,
        /// The variable.
        variable: String,
        /// What it stands in: `command`, `args`, `env API_KEY`, …
        part: String,
    },
    /// Its transport is not spoken.
    #[error("the MCP server `{server}` has the transport `{transport}`, which is not spoken")]
    Unsupported {
        /// The server.
        server: String,
        /// The transport.
        transport: Transport,
    },
    /// It says neither what to start nor what to call, or says it wrongly.
    #[error("the MCP server `{server}` cannot be reached: {why}")]
    Unusable {
        /// The server.
        server: String,
        /// What is wrong; never a value.
        why: String,
    },
}

impl LaunchError {
    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::Unset { .. } => "set the variable, or give it a default as `${NAME:-default}`",
            Self::Unsupported { .. } => {
                "most such servers have streamable HTTP too: give its address, with `type` `http`"
            }
            Self::Unusable { .. } => "mend its definition; `mcp servers` says where it is",
        }
    }
}

/// Expands the variables of one definition.
struct Expander<'a> {
    server: &'a ServerDefinition,
    site: &'a Site,
    user: &'a UserEnvironment,
}

impl Expander<'_> {
    /// A variable of the plugin, else of the user.
    fn lookup(&self, name: &str) -> Option<OsString> {
        let own = self.site.own_variable(name);
        own.or_else(|| self.user.get(name).map(OsStr::to_owned))
    }

    fn expand(&self, text: &str, part: &str) -> Result<OsString, LaunchError> {
        expand::expand(text, &|name| self.lookup(name)).map_err(|Unset(variable)| LaunchError::Unset {
            server: self.server.name.clone(),
            variable,
            part: part.to_owned(),
        })
    }

    fn expand_text(&self, text: &str, part: &str) -> Result<String, LaunchError> {
        let text = self.expand(text, part)?;
        text.into_string()
            .map_err(|_| self.unusable(format!("its {part} is not UTF-8 once variables are expanded")))
    }

    /// Every text of the definition that variables are expanded in.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let server = self.server;
        let one = [&server.command, &server.cwd, &server.url].into_iter().flatten();
        let pairs = server.env.iter().chain(&server.headers).map(|(_, value)| value);
        one.chain(&server.args).chain(pairs).map(String::as_str)
    }

    /// What must not be shown of what the server says: it may print its arguments.
    fn hidden(&self, launch: &Launch) -> Vec<String> {
        let mut hidden = Vec::new();
        for (name, is_set) in self
            .texts()
            .flat_map(|text| expand::used(text, &|name| self.lookup(name)))
        {
            if is_set && self.site.own_variable(&name).is_none() && !is_surroundings(&name) {
                let value = self.user.get(&name).unwrap_or_default();
                hidden.push(value.to_string_lossy().into_owned());
            }
        }
        // What is masked of them once they are expanded, as it would be where they are shown.
        let mut expanded = self.server.clone();
        match launch {
            Launch::Process { args, .. } => {
                expanded.args = args
                    .iter()
                    .map(|arg| arg.to_string_lossy().into_owned())
                    .collect();
            }
            Launch::Http { url, .. } => expanded.url = Some(url.clone()),
        }
        let view = server_view(&expanded, &PluginDirs::default(), None);
        let args = expanded.args.iter().zip(&view.args);
        for (text, shown) in args.chain(expanded.url.iter().zip(&view.url)) {
            hidden.extend(what_is_masked(text, shown).map(str::to_owned));
        }
        hidden
    }

    fn unusable(&self, why: impl Into<String>) -> LaunchError {
        LaunchError::Unusable {
            server: self.server.name.clone(),
            why: why.into(),
        }
    }
}

impl LaunchPlan {
    /// What it would take to reach a server. Nothing is looked for, started or connected to.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: a variable without value and default, a transport that is not spoken, a definition without
    /// command and address.
    pub fn new(server: &ServerDefinition, site: &Site, user: &UserEnvironment) -> Result<Self, LaunchError> {
        let expander = Expander { server, site, user };
        let launch = match server.transport {
            Some(Transport::Stdio) => process(&expander)?,
            Some(Transport::Http) => http(&expander)?,
            Some(transport @ (Transport::Sse | Transport::Ws)) => {
                return Err(LaunchError::Unsupported {
                    server: server.name.clone(),
                    transport,
                });
            }
            None => return Err(expander.unusable("it has neither `command` nor `url`, or an unknown `type`")),
        };
        Ok(Self {
            name: server.name.clone(),
            hidden: expander.hidden(&launch),
            launch,
        })
    }
}

fn process(expander: &Expander<'_>) -> Result<Launch, LaunchError> {
    let Expander { server, site, user } = expander;
    let command = server.command.as_deref().unwrap_or_default();
    let program = expander.expand(command, "command")?;
    if program.is_empty() {
        return Err(expander.unusable("its command is empty"));
    }
    let mut args = Vec::with_capacity(server.args.len());
    for arg in &server.args {
        args.push(expander.expand(arg, "args")?);
    }
    let directory = match &server.cwd {
        Some(cwd) => site.base.join(expander.expand(cwd, "cwd")?),
        None => site.base.clone(),
    };
    let mut environment: BTreeMap<OsString, OsString> = BTreeMap::new();
    for (name, value) in user.given() {
        environment.insert(name.to_owned(), value.to_owned());
    }
    if let Some(dirs) = &site.plugin {
        for variable in ROOTS {
            environment.insert(bare(variable).into(), dirs.root.clone().into());
        }
        for variable in DATA {
            if let Some(data) = &dirs.data {
                environment.insert(bare(variable).into(), data.clone().into());
            }
        }
    }
    for name in &server.env_names {
        // One that is given by name is given if it is there: that is what naming it says.
        if let Some(value) = user.get(name) {
            environment.insert(name.into(), value.to_owned());
        }
    }
    for (name, value) in &server.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(expander.unusable(format!("`{}` is no name of a variable", name.escape_debug())));
        }
        environment.insert(name.into(), expander.expand(value, &format!("env {name}"))?);
    }
    let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
    let texts = args.iter().chain(environment.values());
    if texts.chain([&program]).any(|text| has_nul(text)) || has_nul(directory.as_os_str()) {
        return Err(expander.unusable("a text of it has a NUL character"));
    }
    Ok(Launch::Process {
        program: located(program, &directory),
        args,
        directory,
        environment: environment.into_iter().collect(),
    })
}

/// A program that is given by a relative path is one of the directory that it is started in. A bare name stays: it is
/// looked up in `PATH`.
fn located(program: OsString, directory: &Path) -> OsString {
    let path = Path::new(&program);
    let is_bare = path.components().count() == 1 && path.file_name() == Some(&program);
    if is_bare {
        program
    } else {
        directory.join(path).into_os_string()
    }
}

fn http(expander: &Expander<'_>) -> Result<Launch, LaunchError> {
    let server = expander.server;
    let url = expander.expand_text(server.url.as_deref().unwrap_or_default(), "url")?;
    let is_http = |scheme: &str| {
        let begins = url.get(..scheme.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(scheme))
    };
    if !is_http("http://") && !is_http("https://") {
        return Err(expander.unusable("its `url` is no http:// or https:// address"));
    }
    if url.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err(expander.unusable("its `url` has blanks or control characters"));
    }
    let mut headers = Vec::with_capacity(server.headers.len());
    for (name, value) in &server.headers {
        headers.push((
            name.clone(),
            expander.expand_text(value, &format!("header {name}"))?,
        ));
    }
    Ok(Launch::Http { url, headers })
}
