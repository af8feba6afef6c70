//! `muster api`: any operation of a service as a command, by an OpenAPI document.

use std::{
    io::{ErrorKind, Write as _, stdout},
    process::ExitCode,
    time::Duration,
};

use clap::{CommandFactory as _, Parser as _};
use serde_json::Value;

use crate::{
    arguments,
    call::Session,
    connection,
    failure::{Failure, print_error},
    help,
    operations::{self, all},
    options::{Api, ApiOptions},
    output::{self, Form},
    problem, request,
};

/// The exit statuses beside 0.
const REFUSED: u8 = 1;
const USAGE: u8 = 2;
const UNREACHABLE: u8 = 3;

/// How long an answer may take, in seconds: by itself, and to a body from a file.
const TIME_S: u64 = 60;
const TIME_OF_A_BODY_S: u64 = 3_600;

/// `muster api`. `document` makes the OpenAPI document, once the command's own options are read.
pub fn api(arguments: &Api, document: impl FnOnce() -> anyhow::Result<Value>) -> ExitCode {
    match run(&arguments.arguments, document) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(errors)) => {
            for error in errors {
                print_error(&format!("muster: {}", problem::plain(&error)));
            }
            ExitCode::from(USAGE)
        }
        Err(Failure::Refused(why)) => {
            print_error(&format!("muster: {why}"));
            ExitCode::from(REFUSED)
        }
        Err(Failure::Unreachable(why)) => {
            print_error(&format!("muster: {why}"));
            ExitCode::from(UNREACHABLE)
        }
        // Anyone who reads has had enough, as `head` has.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            print_error(&format!("muster: what was answered cannot be written: {error}"));
            ExitCode::from(REFUSED)
        }
    }
}

fn run(tokens: &[String], document: impl FnOnce() -> anyhow::Result<Value>) -> Result<(), Failure> {
    let (mut own, rest) = split_leading_options(tokens);
    // Their own help, and what is wrong with them.
    let before = parse(&own);
    let asks_for_all = before.list || (own.is_empty() && rest.is_empty());
    let document = document().map_err(|error| usage(format!("{error:#}")))?;
    let operations = all(&document);
    if asks_for_all {
        return print(&help::list(&operations, rest));
    }
    let Some((name, tokens)) = rest.split_first() else {
        return Err(usage("which operation? `muster api --list` has all of them".to_owned()));
    };
    if name.starts_with('-') {
        return Err(usage(format!(
            "{name} is not an option of every call; one of an operation stands behind its name"
        )));
    }
    let operation = operations::find(&operations, name).map_err(usage)?;
    let mut call_arguments = arguments::read(operation, tokens);
    if call_arguments.help {
        return print(&help::operation_help(operation));
    }
    own.append(&mut call_arguments.options);
    let options = parse(&own);
    let connection = connection::find(&options.connection, &connection::variable);
    let (request, connection) =
        request::prepare(operation, call_arguments, &options, connection).map_err(Failure::Usage)?;
    if options.print_request {
        return print(&request::show(&request));
    }
    let default = if options.body.is_some() { TIME_OF_A_BODY_S } else { TIME_S };
    let timeout = Duration::from_secs(options.timeout.unwrap_or(default));
    let root = request.root.clone();
    let mut session = Session::new(root, connection, timeout, options.retries).map_err(usage)?;
    let form = Form::of(&options, operation);
    let mut request = request.call;
    if options.all && operation.has_pages() {
        return output::print_all(&mut session, request, form, options.include);
    }
    let answer = session.send(&mut request)?;
    if options.include {
        output::print_headers(&answer);
    }
    output::print(answer, form)
}

/// The options that stand before the operation, and the rest.
pub fn split_leading_options(tokens: &[String]) -> (Vec<String>, &[String]) {
    let command = ApiOptions::command();
    let mut own = Vec::new();
    let mut rest = tokens;
    while let Some((token, behind)) = rest.split_first() {
        let written = token.strip_prefix("--").unwrap_or_default();
        let name = written.split('=').next().unwrap_or_default();
        let option = command.get_arguments().find(|one| one.get_long() == Some(name) && !name.is_empty());
        if option.is_none() && !matches!(token.as_str(), "-h" | "--help") {
            break;
        }
        own.push(token.clone());
        rest = behind;
        let takes = option.is_some_and(|one| one.get_action().takes_values()) && !written.contains('=');
        if let (true, Some((value, behind))) = (takes, rest.split_first()) {
            own.push(value.clone());
            rest = behind;
        }
    }
    (own, rest)
}

/// Reads the command's own options. Ends the program when they are wrong, or their help is asked for.
fn parse(own: &[String]) -> ApiOptions {
    ApiOptions::parse_from(["muster api"].into_iter().chain(own.iter().map(String::as_str)))
}

fn usage(error: String) -> Failure {
    Failure::Usage(vec![error])
}

fn print(text: &str) -> Result<(), Failure> {
    let mut to = stdout().lock();
    to.write_all(text.as_bytes()).and_then(|()| to.flush()).map_err(Failure::Output)
}
