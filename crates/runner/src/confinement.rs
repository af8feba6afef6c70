//! How scripts are confined: as whom they run, within which bounds, and what their end says.

use std::{
    ffi::OsString,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{options::Launch, user::User, workspace::Directory};

/// Where programs are looked for.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Where an isolated script finds its own directory.
pub const SCRIPT_DIRECTORY: &str = "/tmp";

/// What is the same for all scripts of a runner.
#[derive(Clone, Copy, Debug)]
pub struct Confinement {
    /// Whom to become; `None` for who the runner is.
    pub user: Option<User>,
    /// In namespaces of its own, without sight of other processes and of their temporary files?
    pub isolated: bool,
    /// How many processes and threads the user of the script may have at once.
    pub processes: u64,
}

/// The program that runs, whatever has become of its file since.
///
/// # Errors
/// When the system does not tell.
pub fn own_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}

impl Confinement {
    /// Where a script finds its directory.
    pub fn directory_path<'d>(&self, directory: &'d Directory) -> &'d Path {
        if self.isolated { Path::new(SCRIPT_DIRECTORY) } else { directory.path() }
    }

    /// A command that runs a program so, in the directory of a script; it still needs its streams. Standard input is
    /// the control of an isolated one: a byte asks the script to end, and its end kills all that there is of it.
    ///
    /// # Errors
    /// When the path of this program is not known.
    pub fn command(&self, program: &str, arguments: &[OsString], directory: &Directory) -> std::io::Result<Command> {
        let mut command = Command::new(own_program()?);
        command.arg0("muster").arg("launch").arg(format!("--processes={}", self.processes));
        if let Some(User { uid, gid }) = self.user {
            command.arg(format!("--uid={uid}")).arg(format!("--gid={gid}"));
        }
        if self.isolated {
            command.arg("--isolated").arg("--hide").arg(directory.work());
        }
        command.arg("--").arg(program).args(arguments);
        let place = self.directory_path(directory);
        command.env_clear().env("PATH", PATH).env("LANG", "C.UTF-8").env("HOME", place).env("TMPDIR", place);
        command.current_dir(directory.path());
        Ok(command)
    }
}

/// The script itself, as whom it is to run.
pub fn script_command(arguments: &Launch) -> anyhow::Result<Command> {
    let Some((program, rest)) = arguments.command.split_first() else { anyhow::bail!("no program was named") };
    let mut command = Command::new(program);
    command.args(rest);
    if let (Some(uid), Some(gid)) = (arguments.uid, arguments.gid) {
        // The standard library leaves all other groups of root behind before it changes the user.
        command.gid(gid).uid(uid);
    }
    Ok(command)
}

/// Bounds how many processes the user may have from here on; a lower limit that there is stays.
pub fn limit_processes(processes: u64) {
    let current_limits = getrlimit(Resource::Nproc);
    let most = |limit: Option<u64>| Some(limit.map_or(processes, |limit| limit.min(processes)));
    let limits = Rlimit { current: most(current_limits.current), maximum: most(current_limits.maximum) };
    if let Err(error) = setrlimit(Resource::Nproc, limits) {
        tracing::warn!(%error, "the number of processes stays unbounded");
    }
}

/// What a shell would say of a status: the exit code, or 128 and the signal.
pub fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// The same, for a process to end with.
pub fn as_exit_code(status: ExitStatus) -> u8 {
    u8::try_from(exit_code(status)).unwrap_or(u8::MAX)
}
