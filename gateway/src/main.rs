//! `muster`: one program, one database, one documented interface.

mod address;
mod backups;
mod command_line;
mod commands;
mod demo;
mod domains;
mod first_run;
mod keys;
mod neighbours;
mod oidc;
mod outbound;
mod process;
mod replica;
mod reporters;
mod retention;
mod settings;
mod storage;

use std::{env, process::ExitCode};

use clap::CommandFactory as _;
use config::Error;
use logging::{Format, Reader};
use tracing::{Level, enabled};

use crate::command_line::{Command, CommandLine, Move};

fn main() -> ExitCode {
    let (line, settings) = match settings::read() {
        Ok(read) => read,
        Err(Error::CommandLine(error)) if error.use_stderr() && commands::check_finds_faults() => {
            return ExitCode::FAILURE;
        }
        // Of a plan and of a comparison, 2 means differences.
        Err(Error::CommandLine(error))
            if error.use_stderr() && env::args_os().nth(1).is_some_and(|word| word == "plan" || word == "compare") =>
        {
            let _ = error.print();
            return ExitCode::FAILURE;
        }
        Err(Error::CommandLine(error)) => error.exit(),
        Err(error @ Error::File(_)) => {
            print_error(&error.into());
            // Of the doctor, 1 means a warning.
            let is_doctor = env::args_os().nth(1).is_some_and(|word| word == "doctor");
            return if is_doctor { ExitCode::from(2) } else { ExitCode::FAILURE };
        }
    };
    let reader = match line.command {
        Command::Serve(_) | Command::Runner(_) => Reader::Service,
        _ => Reader::Person,
    };
    let log = logging::start(&line.log, line.log_format.as_deref().and_then(Format::of), reader);
    let done = match line.command {
        Command::Serve(arguments) => commands::serve(*arguments, log, settings),
        Command::Migrate(arguments) => commands::migrate(&arguments),
        Command::Config(arguments) => commands::config(&arguments, &settings),
        Command::Check(arguments) => commands::check(&arguments),
        Command::Backup(arguments) => commands::backup(&arguments),
        Command::Restore(arguments) => commands::restore(&arguments),
        Command::Doctor(arguments) => match commands::doctor(&arguments, &settings) {
            Ok(code) => return code,
            Err(error) => {
                print_error(&error);
                return ExitCode::from(2);
            }
        },
        Command::Move(Move { storage, options }) => match storage.keep_in_place() {
            Ok(()) => return transfer::run(&storage.url(), &options, &domains::contents()),
            refused => refused,
        },
        Command::Openapi(arguments) => commands::openapi(&arguments),
        Command::Import(arguments) => commands::import(&arguments),
        Command::Key(arguments) => commands::key(arguments),
        Command::Tenant(arguments) => commands::tenant(arguments),
        Command::User(arguments) => commands::user(arguments),
        Command::Runner(arguments) => runner::run(*arguments),
        Command::Sink(arguments) => cli::sink(&arguments),
        Command::Launch(arguments) => return runner::launch(&arguments),
        Command::Secrets(arguments) => commands::secrets(arguments),
        Command::Api(arguments) => return cli::api(&arguments, domains::document),
        Command::Schema => cli::schema(domains::document),
        Command::Export(arguments) => return cli::export(&arguments, domains::document),
        Command::Plan(arguments) => return cli::plan(&arguments, domains::document),
        Command::Apply(arguments) => return cli::apply(&arguments, domains::document),
        Command::Convert(arguments) => return convert::convert(&arguments),
        Command::Compare(arguments) => return convert::compare(&arguments, domains::document),
        Command::Completions(arguments) => cli::completions(&arguments),
        Command::Complete(arguments) => cli::complete(&arguments, CommandLine::command(), domains::document),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match reader {
                Reader::Service if enabled!(Level::ERROR) => tracing::error!("{error:#}"),
                _ => print_error(&error),
            }
            ExitCode::FAILURE
        }
    }
}

/// Says why a command did not do what it was to do, whatever is logged.
#[expect(clippy::print_stderr, reason = "this is what the person at the terminal reads")]
fn print_error(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
