//! The settings of this program: which it has, and what they are.

use std::{env, ffi::OsString};

use clap::{CommandFactory as _, FromArgMatches as _};
use config::{
    Error, Setting, changed,
    environment::{self, Unknown},
};
use logging::Log;
use outbox::Periods;

use crate::command_line::{Command, CommandLine};

/// The command whose options are the settings of a file.
const SERVICE: &str = "serve";

/// Variables that are no options, of secrets that are read from the environment alone.
pub const SECRETS: [&str; 3] = [crate::keys::VARIABLE, "MUSTER_BOOTSTRAP_KEY", "MUSTER_BOOTSTRAP_SECRET"];

/// Other settings that are no options.
const NOT_OPTIONS: [&str; 8] = [
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

/// The command line of this process, and each setting of its command.
pub fn read() -> Result<(CommandLine, Vec<Setting>), Error> {
    let mut command = CommandLine::command();
    let arguments: Vec<OsString> = env::args_os().collect();
    let found = config::read(&command, SERVICE, &arguments)?;
    let line = CommandLine::from_arg_matches(&found.matches).map_err(|error| error.format(&mut command))?;
    Ok((line, found.settings))
}

/// The variables that look like settings and are none.
pub fn unknown_variables() -> Vec<Unknown> {
    environment::unknown(&CommandLine::command(), "MUSTER_", &others())
}

fn others() -> Vec<&'static str> {
    [&SECRETS[..], &NOT_OPTIONS].concat()
}

/// Says in the log which variables are no settings; refuses those that name a file with the value of a setting.
pub fn check_unknown_variables() -> anyhow::Result<()> {
    let unknown = unknown_variables();
    let faults = environment::files_not_read(&unknown, &CommandLine::command(), &others());
    anyhow::ensure!(faults.is_empty(), faults.join("; "));
    for Unknown { name, hint } in unknown {
        tracing::warn!("{name} is not a setting of this program{hint}");
    }
    Ok(())
}

/// What is wrong with the settings of the environment, as `muster serve` would say it, all at once.
pub fn faults() -> Vec<String> {
    let command = CommandLine::command();
    let mut faults = environment::faults(&command, SERVICE);
    faults.extend(environment::files_not_read(&unknown_variables(), &command, &others()));
    faults
}

/// Reads settings again while the service runs.
pub struct Reloader {
    /// Those that are in force, or would be after a restart.
    pub settings: Vec<Setting>,
    /// The log, whose filter is one of them.
    pub log: Log,
    /// How long rows are kept.
    pub periods: Periods,
}

impl Reloader {
    /// Takes up what can be without a restart, and names in the log what else has changed.
    pub fn reload(&mut self) {
        let (line, settings) = match read() {
            Ok(read) => read,
            Err(error) => {
                tracing::error!("the former settings stay in force: {error}");
                return;
            }
        };
        let Command::Serve(serve) = line.command else { return };
        let changed = changed(&self.settings, &settings);
        let (now, later): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|name| name == "log" || serve.retention.has(name));
        self.log.set_filter(&line.log);
        serve.retention.apply(&self.periods);
        if !now.is_empty() {
            tracing::info!("settings that are in force now: {}", now.join(", "));
        }
        if now.is_empty() && later.is_empty() {
            tracing::info!("the settings were read again: none has changed");
        }
        if !later.is_empty() {
            tracing::warn!("settings that changed and need a restart: {}", later.join(", "));
            // They are named until then.
            self.settings.retain(|setting| later.contains(&setting.name));
            self.settings.extend(settings.into_iter().filter(|setting| !later.contains(&setting.name)));
        } else {
            self.settings = settings;
        }
    }
}
