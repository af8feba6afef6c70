//! `muster launch`, which only `muster runner` starts: makes of itself what a script is to be, and becomes it.
//!
//! A process can leave its terminal, bound itself and enter namespaces only by itself, between its start and that of
//! the script. So the runner starts its own program a second time, which does so.

use std::{os::unix::process::CommandExt as _, process::ExitCode};

#[cfg(target_os = "linux")]
use crate::namespaces;
use crate::{
    confinement::{limit_processes, script_command},
    options::Launch,
};

/// What a shell answers when a program cannot be started.
const NOT_STARTED: u8 = 127;

/// `muster launch`.
pub fn launch(arguments: &Launch) -> ExitCode {
    match start_script(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tracing::error!("the script could not be started: {error:#}");
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn start_script(arguments: &Launch) -> anyhow::Result<u8> {
    #[cfg(target_os = "linux")]
    if arguments.first {
        return namespaces::run_first_process(arguments);
    }
    // A session without a terminal: nothing that a script types would reach a person's shell.
    rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    if arguments.isolated {
        return namespaces::enter(arguments);
    }
    limit_processes(arguments.processes);
    Err(script_command(arguments)?.exec().into())
}
