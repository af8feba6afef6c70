//! The environment: settings that cannot be read, and names that are none.

use base::near;
use clap::{
    Arg, Command,
    builder::Resettable,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    error::{Error, first_lines},
    file::Entry,
    secrecy::{is_secret, long_name, without_values},
};

/// What the name of a variable ends with that names a file with the value.
const FILE: &str = "_FILE";

/// What begins like this beside the prefix is set by others: by Kubernetes for a service of this name, and by tests.
const FOREIGN_PREFIXES: [&str; 3] = ["SERVICE_", "PORT", "TESTS_"];

/// A variable that is not a setting, and what was meant perhaps.
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// "; did you mean this?", or nothing.
    pub hint: String,
}

/// The variables that begin with `prefix` and are neither those of an option of the program nor among `others`.
pub fn unknown(command: &Command, prefix: &str, others: &[&str]) -> Vec<Unknown> {
    let known = known(command, others);
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_unknown(name, prefix, &known)).collect();
    names.sort_unstable();
    names.into_iter().map(|name| Unknown { hint: hint(&name, prefix, &known), name }).collect()
}

/// Which settings a name is near to. The prefix, which all of them share, makes none of them nearer.
fn hint(name: &str, prefix: &str, known: &[String]) -> String {
    let own = name.strip_prefix(prefix).unwrap_or(name);
    near::hint(own, known.iter().filter_map(|known| known.strip_prefix(prefix)), prefix)
}

fn known(command: &Command, others: &[&str]) -> Vec<String> {
    let mut known: Vec<String> = others.iter().map(ToString::to_string).collect();
    collect_variables(command, &mut known);
    known
}

fn is_unknown(name: &str, prefix: &str, known: &[String]) -> bool {
    let Some(own) = name.strip_prefix(prefix) else { return false };
    !FOREIGN_PREFIXES.iter().any(|start| own.starts_with(start)) && !known.iter().any(|known| known == name)
}

/// The variables of a command, and of all commands below it.
fn collect_variables(command: &Command, into: &mut Vec<String>) {
    let own = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
    into.extend(own.map(ToOwned::to_owned));
    into.extend(command.get_arguments().filter(|argument| is_secret(argument)).filter_map(file_variable));
    command.get_subcommands().for_each(|command| collect_variables(command, into));
}

/// Variables that name a file with the value of a setting, which is not read from a file: what somebody wanted to be
/// in force is not.
pub fn files_not_read(unknown: &[Unknown], command: &Command, others: &[&str]) -> Vec<String> {
    let known = known(command, others);
    let is_known = |name: &str| known.iter().any(|known| known == name);
    let told = unknown.iter().filter_map(|Unknown { name, .. }| {
        let setting = name.strip_suffix(FILE).filter(|setting| is_known(setting))?;
        Some(format!("{name} is not a setting: {setting} is not read from a file; set {setting} itself"))
    });
    told.collect()
}

/// The variable that names a file with the value of an option.
fn file_variable(option: &Arg) -> Option<String> {
    Some(format!("{}{FILE}", option.get_env()?.to_str()?))
}

/// The secrets of a command that stand in files which the environment names.
pub(crate) fn secrets(command: &Command) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    let mut faults = Vec::new();
    for option in command.get_arguments().filter(|option| is_secret(option)) {
        let (Some(name), Some(variable)) = (option.get_long(), file_variable(option)) else { continue };
        let Some(file) = std::env::var_os(&variable) else { continue };
        let direct = option.get_env().filter(|name| std::env::var_os(name).is_some());
        if let Some(direct) = direct {
            faults.push(format!("{} and {variable} are both set: unset one of them", direct.to_string_lossy()));
            continue;
        }
        let shown = file.to_string_lossy();
        match std::fs::read_to_string(&file) {
            _ if file.is_empty() => faults.push(format!("{variable} is set to nothing: name a file, or unset it")),
            Err(error) => faults.push(format!("{variable}: {shown} cannot be read: {error}")),
            Ok(value) if value.trim().is_empty() => faults.push(format!("{variable}: {shown} is empty")),
            Ok(value) => entries.push(Entry::secret(name, value.trim(), variable)),
        }
    }
    if faults.is_empty() { Ok(entries) } else { Err(Error::File(faults)) }
}

/// What is wrong with the settings of the environment, as the command `service` would say it, all at once.
pub fn faults(command: &Command, service: &str) -> Vec<String> {
    let mut command = command.clone();
    let mut faults = Vec::new();
    // Each round leaves out the variable that the one before did not like.
    while let Err(error) = command.clone().try_get_matches_from([command.get_name(), service]) {
        let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
            if error.kind() == ErrorKind::MissingRequiredArgument {
                faults.push(first_lines(&error.to_string()));
            }
            break;
        };
        let long = long_name(argument).to_owned();
        let of_service = command.find_subcommand(service);
        let found = of_service.into_iter().flat_map(Command::get_arguments).find(|one| one.get_long() == Some(&long));
        let Some((id, variable)) = found.and_then(|one| Some((one.get_id().clone(), one.get_env()?.to_owned()))) else {
            break;
        };
        let why = match std::error::Error::source(&error) {
            Some(source) => source.to_string(),
            None => match command.find_subcommand(service) {
                Some(of_service) => without_values(error, of_service).to_string(),
                None => String::new(),
            },
        };
        faults.push(format!("{}: {}", variable.to_string_lossy(), first_lines(&why)));
        command = command.mut_subcommand(service, |service| service.mut_arg(id, |one| one.env(Resettable::Reset)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn settings_are_known_and_names_like_them_are_not() {
        let serve = Command::new("serve").arg(Arg::new("listen").long("listen").env("MUSTER_LISTEN"));
        let known = known(&Command::new("muster").subcommand(serve), &["MUSTER_SECRETS_KEY"]);
        let is_unknown = |name: &str| is_unknown(&format!("MUSTER_{name}"), "MUSTER_", &known);
        for name in ["LISTEN", "SECRETS_KEY", "PORT", "SERVICE_HOST", "PORT_8080_TCP_ADDR"] {
            assert!(!is_unknown(name), "{name}: a setting, or of somebody else");
        }
        for name in ["LISTN", "DATADIR", "", "LISTEN_"] {
            assert!(is_unknown(name), "{name}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["LISTEN", "LOG", "CA", "KEY", "SECRET", "DATA_DIR", "KEEP_AUDIT", "KEEP_ALERTS"];
        let known: Vec<String> = known.iter().map(|own| format!("MUSTER_{own}")).collect();
        for (written, told) in [
            ("FOO", ""),
            ("EGG", ""),
            ("PASSWORD", ""),
            ("", ""),
            ("LISTN", "; did you mean MUSTER_LISTEN?"),
            ("DATADIR", "; did you mean MUSTER_DATA_DIR?"),
            ("KYE", "; did you mean MUSTER_KEY?"),
            ("KEEP_AUDITS", "; did you mean MUSTER_KEEP_AUDIT or MUSTER_KEEP_ALERTS?"),
        ] {
            assert_eq!(hint(&format!("MUSTER_{written}"), "MUSTER_", &known), told, "{written}");
        }
    }
}
