//! The file: TOML without sections, by the names of options.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use base::near;
use clap::{
    Arg, ArgAction, Command,
    builder::Resettable,
    error::{ContextKind, ContextValue},
};
use toml::{Spanned, Value};

use crate::{
    error::{Error, first_lines},
    origin::Origin,
    secrecy::{is_secret, long_name},
};

/// The id of the option that names the file. A command without it reads none.
pub const FILE: &str = "config";

/// A setting of the file.
pub(crate) struct Entry {
    /// The name of its option.
    pub(crate) name: String,
    /// As the command line would say it; `None` for a flag, and for an empty list.
    value: Option<String>,
    /// A flag that is not set says nothing, and neither does an empty list.
    is_set: bool,
    /// Where the value stands.
    pub(crate) origin: Origin,
    line: usize,
}

impl Entry {
    /// The secret in a file that a variable of the environment names.
    pub(crate) fn secret(name: &str, value: &str, variable: String) -> Self {
        let (name, value) = (name.to_owned(), Some(value.to_owned()));
        Self { name, value, is_set: true, origin: Origin::Environment(variable), line: 0 }
    }

    /// The word of the command line that says the same.
    pub(crate) fn word(&self) -> Option<String> {
        match &self.value {
            Some(value) => Some(format!("--{}={value}", self.name)),
            None => self.is_set.then(|| format!("--{}", self.name)),
        }
    }
}

/// Reads a file whose names are those of the options of `service`, and of the program.
pub(crate) fn read(path: &Path, command: &Command, service: &str) -> Result<Vec<Entry>, Error> {
    let shown = path.display();
    let fail = |text: String| Error::File(vec![format!("{shown}: {text}")]);
    let text = fs::read_to_string(path).map_err(|error| fail(format!("cannot be read: {error}")))?;
    let line_at = |byte: usize| text.get(..byte).map_or(1, |before| before.matches('\n').count() + 1);
    let found: BTreeMap<Spanned<String>, Spanned<Value>> = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(span.start));
        Error::File(vec![format!("{shown}:{line}: {}", error.message())])
    })?;
    let service = whole(command, service);
    let options: Vec<&Arg> = service.get_arguments().filter(|option| option.get_id() != FILE).collect();
    let mut names: Vec<String> = options.iter().filter_map(|option| option.get_long()).map(str::to_owned).collect();
    names.extend(options.iter().filter(|option| is_secret(option)).filter_map(|option| file_name(option)));
    let mut entries: Vec<Entry> = Vec::new();
    let mut faults = Vec::new();
    let mut found: Vec<(usize, String, Value)> = found
        .into_iter()
        .map(|(name, value)| (line_at(name.span().start), name.into_inner(), value.into_inner()))
        .collect();
    found.sort_by_key(|(line, ..)| *line);
    for (line, written, value) in found {
        match entry(path, line, &written, &value, &options, &names) {
            Ok(entry) if entries.iter().any(|one| one.name == entry.name) => {
                faults.push((line, format!("{written}: {} is said twice", entry.name)));
            }
            Ok(entry) => entries.push(entry),
            Err(fault) => faults.push((line, fault)),
        }
    }
    faults.extend(wrong_values(&service, &entries));
    faults.sort();
    let faults: Vec<String> = faults.into_iter().map(|(line, fault)| format!("{shown}:{line}: {fault}")).collect();
    if faults.is_empty() { Ok(entries) } else { Err(Error::File(faults)) }
}

/// The command with the options of the whole program, and without its environment.
fn whole(command: &Command, service: &str) -> Command {
    let found = command.find_subcommand(service).cloned().unwrap_or_else(|| Command::new(service.to_owned()));
    let of_program = command.get_arguments().filter(|option| option.is_global_set()).cloned();
    found.args(of_program).mut_args(|option| option.env(Resettable::Reset))
}

/// What names the file with the value of an option that is a secret.
fn file_name(option: &Arg) -> Option<String> {
    option.get_long().map(|name| format!("{name}-file"))
}

fn entry(
    path: &Path,
    line: usize,
    written: &str,
    value: &Value,
    options: &[&Arg],
    names: &[String],
) -> Result<Entry, String> {
    let name = written.replace('_', "-");
    if let Some(option) = options.iter().find(|option| option.get_long() == Some(&name)) {
        let (value, is_set) = match option.get_action() {
            ArgAction::SetTrue => {
                let is_set = value.as_bool().ok_or_else(|| format!("{written}: write true or false"))?;
                (None, is_set)
            }
            // An empty list is one of an option that takes several: none of them.
            _ if option.get_value_delimiter().is_some() && value.as_array().is_some_and(Vec::is_empty) => (None, false),
            _ => (Some(text(written, value)?), true),
        };
        return Ok(Entry { name, value, is_set, origin: Origin::File(path.to_owned()), line });
    }
    let named = options.iter().find(|option| is_secret(option) && file_name(option).as_ref() == Some(&name));
    let Some(option) = named else {
        let hint = near::hint(&name, names.iter().map(String::as_str), "");
        let hint = match value {
            Value::Table(_) => format!(": the file has no sections; write settings without a line [{written}]"),
            _ => hint,
        };
        return Err(format!("{written} is not a setting{hint}"));
    };
    let file = PathBuf::from(text(written, value)?);
    let value = fs::read_to_string(&file);
    let value = value.map_err(|error| format!("{written}: {} cannot be read: {error}", file.display()))?;
    let name = option.get_long().unwrap_or_default().to_owned();
    Ok(Entry { name, value: Some(value.trim().to_owned()), is_set: true, origin: Origin::File(file), line })
}

/// A value as the command line would say it.
fn text(written: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(is_so) => Ok(is_so.to_string()),
        Value::Array(several) if !several.is_empty() => {
            let several: Result<Vec<String>, String> = several.iter().map(|one| text(written, one)).collect();
            Ok(several?.join(","))
        }
        _ => Err(format!("{written}: write a text, a number, true, false, or a list of these that is not empty")),
    }
}

/// Values that the options do not take. What an option requires beside it is not looked at here.
fn wrong_values(service: &Command, entries: &[Entry]) -> Vec<(usize, String)> {
    let mut left: Vec<&Entry> = entries.iter().collect();
    let mut faults = Vec::new();
    loop {
        let words = left.iter().filter_map(|entry| entry.word());
        let words = std::iter::once(service.get_name().to_owned()).chain(words);
        let Err(error) = service.clone().try_get_matches_from(words) else { return faults };
        let argument = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(argument)) => argument.as_str(),
            _ => return faults,
        };
        let Some(at) = left.iter().position(|entry| entry.name == long_name(argument)) else { return faults };
        let entry = left.remove(at);
        let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        faults.push((entry.line, format!("{}: {}", entry.name, first_lines(&why))));
    }
}
