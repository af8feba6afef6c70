//! The program under test as a command line: run to its end, or held and killed.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::watchdog::Watchdog;

const LIMIT: Duration = Duration::from_secs(20);

/// How a program that was run to its end ended.
pub struct Exit {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors and logs.
    pub stderr: String,
}

/// A running program that is killed when this is dropped, or when this process ends.
pub struct Guard {
    process: Child,
    watchdog: Watchdog,
}

impl Guard {
    /// The program itself.
    pub fn process(&mut self) -> &mut Child {
        &mut self.process
    }

    /// The highest resident memory that it ever had, in KiB, while it runs (Linux only).
    pub fn peak_kib(&self) -> Option<u64> {
        memory_kib(self.process.id()).map(|(_, highest)| highest)
    }

    /// Starts `command`.
    pub fn spawn(command: &mut Command) -> Self {
        let mut watchdog = Watchdog::over(Path::new(""), "KILL");
        let process = command.spawn().expect("the program starts");
        watchdog.watch(&process);
        Self { process, watchdog }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.watchdog.unwatch();
    }
}

/// Keeps from a command that calls Cargo what Cargo says to this program: build scripts that look at it would run
/// again, and all that is behind them would be compiled again, here and once more by the next Cargo outside.
pub fn without_variables_of_cargo(command: &mut Command) -> &mut Command {
    let own = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "CARGO_TARGET_TMPDIR"];
    for (name, _) in std::env::vars_os() {
        if own.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

/// Which program a server is.
#[derive(Clone)]
pub(crate) enum Program {
    /// [`muster`].
    Built,
    /// [`muster_obeying_modes`].
    ObeyingModes,
    /// Another one.
    At(PathBuf),
}

impl Program {
    pub(crate) fn command(&self) -> Command {
        match self {
            Self::Built => muster(),
            Self::ObeyingModes => muster_obeying_modes(),
            Self::At(path) => program_at(path),
        }
    }
}

/// The program under test, with nothing of this process's own configuration.
pub fn muster() -> Command {
    program_at(program())
}

/// As [`muster`], of another program.
pub fn program_at(path: &Path) -> Command {
    clean(Command::new(path))
}

/// As [`muster`], without the privilege of root to write any file.
pub fn muster_obeying_modes() -> Command {
    if !rustix::process::geteuid().is_root() {
        return muster();
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--"]).arg(program());
    clean(command)
}

fn clean(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("MUSTER_") || name.starts_with("PG") || name == "DATABASE_URL" {
            command.env_remove(name.as_ref());
        }
    }
    command.stdin(Stdio::null());
    command
}

/// `MUSTER_BIN`, or what is built beside this program.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| std::env::var_os("MUSTER_BIN").map_or_else(|| built("muster"), PathBuf::from))
}

/// A program of this workspace in the folder of this one (`target/<profile>`), or in the one above (of a test in
/// `target/<profile>/deps`). It must not be older than its sources, or tests would pass on what is no longer there.
pub fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the test program has a path");
    let path = own.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| path.is_file());
    let path = path.unwrap_or_else(|| {
        panic!("{name} is not built beside this program: `make test` or `cargo build --workspace` builds it")
    });
    if let Some(source) = newer_source(&path) {
        let program = path.display();
        let source = source.display();
        panic!("{program} is older than {source}: `cargo build --workspace --bin {name}` builds it anew");
    }
    path
}

/// A source of a program that was changed after the program was built, by the list of sources that Cargo leaves beside
/// it (`muster.d`). Without that list, or where a source is gone, nothing is said: Cargo notices by the files that name
/// it.
pub fn newer_source(program: &Path) -> Option<PathBuf> {
    let built = program.metadata().ok()?.modified().ok()?;
    let list = std::fs::read_to_string(program.with_extension("d")).ok()?;
    // As in a makefile: the program, a colon, the sources; a blank within a name follows a backslash.
    let (_, sources) = list.lines().next()?.split_once(": ")?;
    let sources = sources.replace("\\ ", "\0");
    let mut sources = sources.split(' ').map(|source| PathBuf::from(source.replace('\0', " ")));
    sources.find(|source| source.metadata().and_then(|found| found.modified()).is_ok_and(|changed| changed > built))
}

impl Exit {
    /// Runs `command` until it ends by itself; after 20 s it is killed and the test fails.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        Self::within(LIMIT, command)
    }

    /// The same with another limit.
    #[track_caller]
    pub fn within(limit: Duration, command: &mut Command) -> Self {
        let mut guard = Guard::spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let process = &mut guard.process;
        let mut stdout = process.stdout.take().expect("piped");
        let mut stderr = process.stderr.take().expect("piped");
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stdout.read_to_string(&mut text);
            text
        });
        let error_reader = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        let status = wait(process, limit);
        if status.is_none() {
            let _ = process.kill();
            let _ = process.wait();
        }
        let stdout = reader.join().unwrap_or_default();
        let stderr = error_reader.join().unwrap_or_default();
        match status {
            Some(status) => Self { status, stdout, stderr },
            None => panic!("still running after {limit:?}\n{stdout}\n{stderr}"),
        }
    }
}

/// Resident memory of a running process in KiB: now, and the highest it ever was (Linux only).
pub(crate) fn memory_kib(id: u32) -> Option<(u64, u64)> {
    Some((status_kib(id, "VmRSS:")?, status_kib(id, "VmHWM:")?))
}

/// As [`memory_kib`], now, without the pages of files: those of the program itself come and go.
pub fn own_memory_kib(id: u32) -> Option<u64> {
    Some(status_kib(id, "VmRSS:")? - status_kib(id, "RssFile:")?)
}

fn status_kib(id: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Waits for the end of `process`, but no longer than `limit`.
pub(crate) fn wait(process: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Ok(Some(status)) = process.try_wait() {
            return Some(status);
        }
        sleep(Duration::from_millis(10));
    }
    None
}
