//! A configuration: what a command line, the environment and a file say together.

use std::{env, ffi::OsString, path::PathBuf};

use clap::{
    Arg, ArgMatches, Command,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};

use crate::{
    environment,
    error::Error,
    file::{self, Entry, FILE},
    origin::Origin,
    secrecy::{SECRET, long_name, shown, without_values},
};

/// The configuration of one command.
pub struct Configuration {
    /// The command line, with what the file says where neither an option nor the environment does.
    pub matches: ArgMatches,
    /// The options of the command, in the order of its help.
    pub settings: Vec<Setting>,
}

/// An option as it is in force.
pub struct Setting {
    /// Its name, such as `data-dir`.
    pub name: String,
    /// Where its value is from.
    pub origin: Origin,
    value: Option<String>,
    secret: bool,
}

impl Setting {
    /// Its value, several with commas between them; `[secret]` for a secret, and `none` where there is no value.
    pub fn shown(&self) -> &str {
        match &self.value {
            None => "none",
            Some(_) if self.secret => SECRET,
            Some(value) => value,
        }
    }
}

/// The names of the settings whose values differ.
pub fn changed(before: &[Setting], after: &[Setting]) -> Vec<String> {
    let former = |setting: &Setting| before.iter().find(|one| one.name == setting.name);
    let differs = |setting: &&Setting| former(setting).is_none_or(|former| former.value != setting.value);
    after.iter().filter(differs).map(|setting| setting.name.clone()).collect()
}

/// Reads the command line, and the file that it or the environment names. `service` is the command whose options the
/// file may have.
///
/// # Errors
/// What is wrong with the file, all at once; otherwise the first thing that is wrong with the command line.
pub fn read(command: &Command, service: &str, arguments: &[OsString]) -> Result<Configuration, Error> {
    let mut built = command.clone();
    built.build();
    // What cannot be read is said below, with what the file and the environment say of it.
    let known = command.clone().ignore_errors(true).try_get_matches_from(arguments)?;
    let (of_known, found) = leaf(&built, &known);
    let mut entries = environment::secrets(of_known)?;
    if let Some(path) = found.try_get_one::<PathBuf>(FILE).ok().flatten() {
        let of_file = file::read(path, command, service)?;
        let of_file = of_file.into_iter().filter(|entry| entries.iter().all(|secret| secret.name != entry.name));
        entries.extend(of_file.collect::<Vec<_>>());
    }
    let mut all = arguments.to_vec();
    let place = all.iter().position(|word| word == "--").unwrap_or(all.len());
    let given = |entry: &&Entry| {
        let Some(option) = of_known.get_arguments().find(|one| one.get_long() == Some(&entry.name)) else {
            return false;
        };
        let source = found.value_source(option.get_id().as_str());
        !matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
    };
    let taken: Vec<&Entry> = entries.iter().filter(given).collect();
    // The options that a file stands behind are words of the line that is read, so that what requires another option
    // finds it.
    let words: Vec<OsString> = taken.iter().filter_map(|entry| entry.word()).map(OsString::from).collect();
    all.splice(place..place, words);
    let matches = command.clone().try_get_matches_from(all);
    let matches = matches.map_err(|error| without_values(name_empty_variable(error, command, of_known), of_known))?;
    let (leaf, of_leaf) = leaf(&built, &matches);
    let settings = leaf.get_arguments().filter_map(|option| setting(option, of_leaf, &taken)).collect();
    Ok(Configuration { settings, matches })
}

/// Names the variable of the environment that is set to nothing, where the error is about its option. Such a variable
/// is not taken for one that is not set: what was to fill it in has failed, and a default would be another service.
fn name_empty_variable(error: clap::Error, command: &Command, of_command: &Command) -> clap::Error {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return error };
    let option = of_command.get_arguments().find(|option| option.get_long() == Some(long_name(argument)));
    let variable = option.and_then(Arg::get_env).filter(|name| env::var_os(name).is_some_and(|value| value.is_empty()));
    let Some(variable) = variable.map(|name| name.to_string_lossy()) else { return error };
    let text = format!("{variable} is set to nothing: give it a value, or unset it for the default");
    command.clone().error(ErrorKind::InvalidValue, text)
}

/// The innermost command that was named, and what it was given.
fn leaf<'c, 'm>(mut command: &'c Command, mut matches: &'m ArgMatches) -> (&'c Command, &'m ArgMatches) {
    while let Some((name, below)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, matches) = (found, below);
    }
    (command, matches)
}

fn setting(option: &Arg, matches: &ArgMatches, taken: &[&Entry]) -> Option<Setting> {
    let name = option.get_long().filter(|name| !["help", "version"].contains(name))?;
    let id = option.get_id().as_str();
    let raw = matches.try_get_raw(id).ok()?;
    let values: Option<Vec<String>> =
        raw.map(|values| values.map(|value| value.to_string_lossy().into_owned()).collect());
    let origin = match (taken.iter().find(|entry| entry.name == name), matches.value_source(id)) {
        (Some(entry), _) => entry.origin.clone(),
        (None, Some(ValueSource::CommandLine)) => Origin::Option,
        (None, Some(ValueSource::EnvVariable)) => Origin::Environment(option.get_env()?.to_string_lossy().into_owned()),
        _ => Origin::Default,
    };
    let value = values.map(|values| values.join(","));
    let secret = value.as_deref().is_some_and(|value| shown(option, value) == SECRET);
    Some(Setting { name: name.to_owned(), origin, value, secret })
}

#[cfg(test)]
mod tests;
