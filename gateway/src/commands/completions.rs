//! `muster completions`.

use std::io::{Write as _, stdout};

use anyhow::Context as _;
use clap::{Arg, ArgAction, Command, CommandFactory as _, builder::PossibleValuesParser};

use super::api::{self, Kind, Operation, Schema};
use crate::cli::{ApiOptions, Cli, Completions};

/// Options of every call that are completed behind an operation too.
const EVERYWHERE: [&str; 6] = ["all", "body", "columns", "output", "profile", "tenant"];

/// Prints what a shell completes commands with, operations and their parameters and fields among them.
pub fn completions(arguments: &Completions) -> anyhow::Result<()> {
    let document = api::document()?;
    let operations = api::all(&document);
    let mut of_api = ApiOptions::command().name("api").about("Call an operation of a service");
    of_api = of_api.subcommands(operations.iter().map(command));
    let others = Cli::command();
    let mut all = Command::new("muster").args(others.get_arguments().cloned().collect::<Vec<_>>());
    let of_others = others.get_subcommands().filter(|one| one.get_name() != "api" && !one.is_hide_set());
    all = all.subcommands(of_others.cloned().collect::<Vec<_>>()).subcommand(of_api);
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut all, "muster", &mut script);
    stdout().lock().write_all(&script).context("printing")
}

/// An operation as a command: what its fields are called, and what they may be.
fn command(operation: &Operation<'_>) -> Command {
    let mut names: Vec<String> = Vec::new();
    let mut command = Command::new(operation.id.to_owned()).about(operation.summary.to_owned());
    let parameters = operation.parameters.iter().map(|one| (one.name.to_owned(), one.schema));
    let fields =
        operation.fields().map(|(_, schema)| schema.items().unwrap_or(schema).properties()).unwrap_or_default();
    for (name, schema) in parameters.chain(fields.into_iter().map(|one| (one.name.to_owned(), one.schema))) {
        if name != "tenantId" && !names.contains(&name) {
            command = command.arg(argument(&name, schema));
            names.push(name);
        }
    }
    let own = ApiOptions::command();
    let own = own.get_arguments().filter(|one| one.get_long().is_some_and(|name| EVERYWHERE.contains(&name)));
    let own = own.filter(|one| !names.iter().any(|name| Some(name.as_str()) == one.get_long()));
    command.args(own.cloned().collect::<Vec<_>>())
}

fn argument(name: &str, schema: Schema<'_>) -> Arg {
    let argument = Arg::new(name.to_owned()).long(name.to_owned()).action(ArgAction::Set);
    let choices: Vec<String> = match schema.kind() {
        Kind::Boolean => vec!["true".to_owned(), "false".to_owned()],
        _ => schema.choices().into_iter().map(ToOwned::to_owned).collect(),
    };
    if choices.is_empty() { argument } else { argument.value_parser(PossibleValuesParser::new(choices)) }
}
