//! `muster`: one program, one database, one documented interface.

mod address;
mod cli;
mod commands;
mod config;
mod demo;
mod domains;
mod first_run;
mod keep;
mod keys;
mod log;
mod memory;
mod neighbours;
mod oidc;
mod outbound;
mod people;
mod private;
mod process;
mod reporters;
mod runner;
mod variables;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && commands::check_finds_faults() => return ExitCode::FAILURE,
        Err(error) => error.exit(),
    };
    let reader = match cli.command {
        cli::Command::Serve(_) | cli::Command::Runner(_) => log::Reader::Service,
        _ => log::Reader::Person,
    };
    log::start(&cli.log, reader);
    let done = match cli.command {
        cli::Command::Serve(arguments) => commands::serve(*arguments),
        cli::Command::Migrate(arguments) => commands::migrate(&arguments),
        cli::Command::Check(arguments) => commands::check(&arguments),
        cli::Command::Backup(arguments) => commands::backup(&arguments),
        cli::Command::Openapi(arguments) => commands::openapi(&arguments),
        cli::Command::Import(arguments) => commands::import(&arguments),
        cli::Command::Key(arguments) => commands::key(arguments),
        cli::Command::Tenant(arguments) => commands::tenant(arguments),
        cli::Command::User(arguments) => commands::user(arguments),
        cli::Command::Runner(arguments) => commands::runner(*arguments),
        cli::Command::Sink(arguments) => commands::sink(&arguments),
        cli::Command::Launch(arguments) => return runner::launch::launch(&arguments),
        cli::Command::Secrets(arguments) => commands::secrets(arguments),
        cli::Command::Api(arguments) => return commands::api(&arguments),
        cli::Command::Completions(arguments) => commands::completions(&arguments),
        cli::Command::Complete(arguments) => commands::complete(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match reader {
                log::Reader::Service => tracing::error!("{error:#}"),
                log::Reader::Person => complain(&error),
            }
            ExitCode::FAILURE
        }
    }
}

/// Says why a command did not do what it was to do, whatever is logged.
#[expect(clippy::print_stderr, reason = "this is what the person at the terminal reads")]
fn complain(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
