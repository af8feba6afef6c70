//! What may come next on a command line of `muster api`, for completion in shells.

use clap::{Arg, Command, CommandFactory as _};
use serde_json::Value;

use crate::{
    api::split_leading_options,
    operations::{Operation, all, find},
    options::ApiOptions,
    schema::{Kind, Schema},
};

/// What the last word may be behind others; nothing where any text may stand.
pub fn complete(words: &[String], partial: &str, document: impl FnOnce() -> anyhow::Result<Value>) -> Vec<String> {
    let own = ApiOptions::command();
    if let Some(option) = words.last().and_then(|last| option_awaiting_value(&own, last)) {
        return values(option);
    }
    let Ok(document) = document() else { return Vec::new() };
    let operations = all(&document);
    let (_, rest) = split_leading_options(words);
    let Some((name, rest)) = rest.split_first() else {
        return match partial.starts_with('-') {
            true => options(&own),
            false => operations.iter().map(|one| one.id.to_owned()).collect(),
        };
    };
    let Ok(operation) = find(&operations, name) else { return Vec::new() };
    let pending = rest.last().and_then(|last| last.strip_prefix("--")).and_then(|name| schema_of(operation, name));
    match pending {
        // A switch needs no value.
        Some(schema) if schema.kind() == Kind::Boolean && partial.starts_with('-') => fields(operation, partial),
        Some(schema) => words_of(schema),
        None => fields(operation, partial),
    }
}

/// The parameters and fields of an operation, as deep as the dots of what is there go, and the command's own options.
fn fields(operation: &Operation<'_>, partial: &str) -> Vec<String> {
    let written = partial.strip_prefix("--").unwrap_or_default();
    if let Some((within, _)) = written.rsplit_once('.') {
        let inner = schema_of(operation, within).map(elements);
        let inner = inner.map(Schema::properties).unwrap_or_default();
        return inner.into_iter().map(|one| format!("--{within}.{}", one.name)).collect();
    }
    let mut names: Vec<String> = operation.parameters.iter().map(|one| one.name.to_owned()).collect();
    let body = operation.fields().map(|(_, schema)| elements(schema).properties()).unwrap_or_default();
    names.extend(body.into_iter().map(|one| one.name.to_owned()));
    let mut found: Vec<String> = names.into_iter().map(|name| format!("--{name}")).collect();
    found.extend(options(&ApiOptions::command()));
    found.dedup();
    found
}

/// What a parameter or a field holds, by its name with dots.
fn schema_of<'d>(operation: &Operation<'d>, name: &str) -> Option<Schema<'d>> {
    if let Some(parameter) = operation.parameter(name) {
        return Some(parameter.schema);
    }
    let (_, body) = operation.fields()?;
    name.split('.').try_fold(body, |schema, part| elements(schema).property(part).map(|one| one.schema))
}

fn elements(schema: Schema<'_>) -> Schema<'_> {
    if schema.kind() == Kind::Array { schema.items().unwrap_or(schema) } else { schema }
}

fn words_of(schema: Schema<'_>) -> Vec<String> {
    match elements(schema) {
        schema if schema.kind() == Kind::Boolean => vec!["true".to_owned(), "false".to_owned()],
        schema => schema.choices().into_iter().map(ToOwned::to_owned).collect(),
    }
}

/// The option that waits for its value behind a word.
pub fn option_awaiting_value<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let name = word.strip_prefix("--")?;
    let option = command.get_arguments().find(|one| one.get_long() == Some(name));
    option.filter(|one| one.get_action().takes_values())
}

/// The options of a command.
pub fn options(command: &Command) -> Vec<String> {
    let shown = command.get_arguments().filter(|one| !one.is_hide_set());
    shown.filter_map(Arg::get_long).map(|name| format!("--{name}")).collect()
}

/// The values of an option that has a closed list of them.
pub fn values(option: &Arg) -> Vec<String> {
    let values = option.get_possible_values();
    values.iter().filter(|one| !one.is_hide_set()).map(|one| one.get_name().to_owned()).collect()
}
