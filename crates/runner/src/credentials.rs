//! The credentials of a runner, out of the sight of the scripts that it runs.
//!
//! What a program was started with can be read for as long as it runs: its command line by everybody, its environment
//! by every process of the same user. So a runner that finds its credentials there starts itself again without them,
//! and hands them over in a pipe. It also tells the kernel that its memory is nobody's business (`PR_SET_DUMPABLE`),
//! which closes what `/proc` has of it, and `ptrace`, to all but root.

use std::{
    ffi::{OsStr, OsString},
    io::{Read as _, Write as _},
    os::unix::process::CommandExt as _,
    process::Command,
};

use anyhow::{Context as _, bail, ensure};

use crate::{confinement::own_program, options::Options};

/// The options that are credentials, and the variables that stand for them.
const OPTIONS: [&str; 2] = ["--key", "--secret"];
const VARIABLES: [&str; 2] = ["MUSTER_KEY", "MUSTER_SECRET"];

/// The option that says that they are on standard input.
const ON_STDIN: &str = "--credentials-stdin";

/// The most that is read of them, in bytes; a pipe holds as much before anybody reads.
const MOST: usize = 4096;

/// Key and secret. Comes back only when neither the command line nor the environment of this process has them.
///
/// # Errors
/// When they are on standard input, and cannot be read there; when this program cannot be started again.
pub fn take(arguments: &Options) -> anyhow::Result<(String, String)> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable).context("closing the memory of this process")?;
    }
    if arguments.credentials_stdin {
        let mut text = String::new();
        let most = u64::try_from(MOST).unwrap_or(u64::MAX);
        std::io::stdin().take(most).read_to_string(&mut text).context("reading the credentials")?;
        return parse(&text);
    }
    let (Some(key), Some(secret)) = (&arguments.key, &arguments.secret) else { bail!("no credentials were given") };
    let text = format!("{}={key}\n{}={secret}\n", VARIABLES[0], VARIABLES[1]);
    ensure!(text.len() < MOST, "a key and a secret are not as long as that");
    let (reader, mut writer) = std::io::pipe().context("making a pipe")?;
    writer.write_all(text.as_bytes()).context("handing over the credentials")?;
    drop(writer);
    let mut again = Command::new(own_program()?);
    again.arg0("muster").args(without_credentials(std::env::args_os().skip(1))).arg(ON_STDIN).stdin(reader);
    for name in VARIABLES {
        again.env_remove(name);
    }
    Err(again.exec()).context("starting again without credentials")
}

/// `MUSTER_KEY=…` and `MUSTER_SECRET=…`, each on a line, as `muster key create` prints them.
fn parse(text: &str) -> anyhow::Result<(String, String)> {
    let value = |name: &str| {
        let found = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        found.filter(|value| !value.is_empty()).map(ToOwned::to_owned)
    };
    let found = value(VARIABLES[0]).zip(value(VARIABLES[1]));
    found.context("standard input has no lines MUSTER_KEY=… and MUSTER_SECRET=…")
}

fn without_credentials(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut is_value = false;
    for argument in arguments {
        let joined = argument.to_str().and_then(|text| text.split_once('=')).map(|(name, _)| name);
        if std::mem::take(&mut is_value) || joined.is_some_and(|name| OPTIONS.contains(&name)) {
            continue;
        }
        is_value = OPTIONS.iter().any(|option| argument == OsStr::new(option));
        if !is_value {
            kept.push(argument);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_leave_the_command_line_in_both_spellings() {
        let given = ["runner", "--key", "K", "--name=a=b", "--secret=S", "--once"].map(OsString::from);
        assert_eq!(without_credentials(given.into_iter()), ["runner", "--name=a=b", "--once"]);
    }

    #[test]
    fn credentials_are_read_as_they_are_printed() {
        let read = parse("MUSTER_KEY=abc\nMUSTER_SECRET=d=e\n").unwrap();
        assert_eq!(read, ("abc".to_owned(), "d=e".to_owned()));
        assert!(parse("MUSTER_KEY=abc\nMUSTER_SECRET=\n").is_err() && parse("").is_err());
    }
}
