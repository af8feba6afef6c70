//! The environment: settings that cannot be read, and names that are none.

use base::near;
use clap::{
    Command, CommandFactory as _,
    builder::Resettable,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::command_line::CommandLine;

const PREFIX: &str = "MUSTER_";

/// Settings that are no options.
const NOT_OPTIONS: [&str; 11] = [
    crate::keys::VARIABLE,
    "MUSTER_BOOTSTRAP_KEY",
    "MUSTER_BOOTSTRAP_SECRET",
    "MUSTER_PROFILE",
    // What scripts are told that a runner carries out.
    "MUSTER_RUN_ID",
    "MUSTER_JOB_ID",
    "MUSTER_JOB_NAME",
    "MUSTER_RESOURCES",
    "MUSTER_PARAMETERS",
    // Of `muster api`, which reads its options by itself.
    "MUSTER_CA",
    "MUSTER_ALLOW_HTTP",
];

/// What begins like this beside the prefix is set by others: by Kubernetes for a service of this name, and by tests.
const FOREIGN_PREFIXES: [&str; 3] = ["SERVICE_", "PORT", "TESTS_"];

/// A variable that is not a setting, and what was meant perhaps.
pub struct Unknown {
    pub name: String,
    /// "; did you mean this?", or nothing.
    pub hint: String,
}

/// The variables that look like settings and are none.
pub fn unknown() -> Vec<Unknown> {
    let mut known: Vec<String> = NOT_OPTIONS.map(ToOwned::to_owned).to_vec();
    collect_variables(&CommandLine::command(), &mut known);
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_unknown(name, &known)).collect();
    names.sort_unstable();
    let unknown = |name: String| Unknown { hint: near::hint(&name, known.iter().map(String::as_str), ""), name };
    names.into_iter().map(unknown).collect()
}

fn is_unknown(name: &str, known: &[String]) -> bool {
    let Some(own) = name.strip_prefix(PREFIX) else { return false };
    !FOREIGN_PREFIXES.iter().any(|start| own.starts_with(start)) && !known.iter().any(|known| known == name)
}

/// The variables of a command, and of all commands below it.
fn collect_variables(command: &Command, into: &mut Vec<String>) {
    let own = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
    into.extend(own.map(ToOwned::to_owned));
    command.get_subcommands().for_each(|command| collect_variables(command, into));
}

/// Says in the log which variables are no settings.
pub fn warn_of_unknown() {
    for Unknown { name, hint } in unknown() {
        tracing::warn!("{name} is not a setting of this program{hint}");
    }
}

/// What is wrong with the settings of the environment, as `muster serve` would say it, all at once.
pub fn faults() -> Vec<String> {
    let mut command = CommandLine::command();
    let mut faults = Vec::new();
    // Each round leaves out the variable that the one before did not like.
    while let Err(error) = command.clone().try_get_matches_from(["muster", "serve"]) {
        let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
            if error.kind() == ErrorKind::MissingRequiredArgument {
                faults.push(first_lines(&error.to_string()));
            }
            break;
        };
        let long = argument.split([' ', '=']).next().unwrap_or_default().trim_start_matches("--").to_owned();
        let serve = command.find_subcommand("serve");
        let found = serve.into_iter().flat_map(Command::get_arguments).find(|one| one.get_long() == Some(&long));
        let Some((id, variable)) = found.and_then(|one| Some((one.get_id().clone(), one.get_env()?.to_owned()))) else {
            break;
        };
        let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        faults.push(format!("{}: {}", variable.to_string_lossy(), first_lines(&why)));
        command = command.mut_subcommand("serve", |serve| serve.mut_arg(id, |one| one.env(Resettable::Reset)));
    }
    faults
}

/// What clap says first, as one line.
fn first_lines(text: &str) -> String {
    let summary = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    summary.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_known_and_names_like_them_are_not() {
        let mut known: Vec<String> = NOT_OPTIONS.map(ToOwned::to_owned).to_vec();
        collect_variables(&CommandLine::command(), &mut known);
        let is_unknown = |name: &str| is_unknown(&format!("{PREFIX}{name}"), &known);
        for name in ["LISTEN", "KEEP_AUDIT", "RUNNER_POLL", "SECRETS_KEY", "PORT", "SERVICE_HOST", "PORT_8080_TCP_ADDR"]
        {
            assert!(!is_unknown(name), "{name}: a setting, or of somebody else");
        }
        for name in ["LISTN", "DATADIR", "", "LISTEN_"] {
            assert!(is_unknown(name), "{name}");
        }
        let near = near::near(&format!("{PREFIX}LISTN"), known.iter().map(String::as_str));
        assert_eq!(near.first(), Some(&"MUSTER_LISTEN"), "{near:?}");
    }
}
