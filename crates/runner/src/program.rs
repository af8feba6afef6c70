//! One script, as a process of its own: an empty environment, a directory of its own, and nothing of it that stays when
//! its time is over or when it ends. In a namespace the kernel sees to the last; without one, its process group is
//! killed, and what left the group becomes a child of the runner and is killed too.

use std::{
    ffi::OsString,
    io::Write as _,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, ChildStdin, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use crate::{
    confinement::{Confinement, PATH},
    orphans::Orphans,
    output::Output,
    workspace::{Directory, SCRIPT, Workspace},
};

/// How long a script has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long the output of a script that is over is waited for: something that it left behind may hold it open.
const DRAIN: Duration = Duration::from_secs(2);

/// What to run.
#[derive(Debug)]
pub struct Script<'s> {
    /// The program that reads it.
    pub interpreter: &'s str,
    /// Its text.
    pub content: &'s str,
    /// What it finds in its environment, beside `PATH`, `HOME`, `TMPDIR` and `LANG`.
    pub environment: &'s [(&'static str, String)],
    /// How long it may take.
    pub limit: Duration,
}

/// A script under way; killed when dropped.
pub struct Program {
    processes: Arc<Processes>,
    output: Arc<Output>,
    readers: Vec<JoinHandle<()>>,
    timed_out: Arc<AtomicBool>,
    watch_end: Option<Sender<()>>,
    _directory: Directory,
}

/// The processes of a script.
struct Processes {
    /// What was started: the script itself, or what ends when an isolated script has. It is also the number of its
    /// process group.
    script: Pid,
    /// Of an isolated script: a byte asks it to end, and without it nothing of it stays.
    control: Mutex<Option<ChildStdin>>,
    orphans: Option<Orphans>,
    /// How the script ended. As long as this is not known its number is nobody else's, so the lock is held to signal.
    ended: Mutex<Option<ExitStatus>>,
    _child: Child,
}

impl Processes {
    fn lock(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        base::lock(&self.ended)
    }

    /// Asks the process group to end.
    fn request_end(&self) {
        if self.lock().is_some() {
            return;
        }
        match &mut *base::lock(&self.control) {
            Some(control) => drop(control.write_all(b"t")),
            None => drop(kill_process_group(self.script, Signal::TERM)),
        }
    }

    /// Kills the process group, and what has left it and lost its parent.
    fn kill(&self) {
        drop(base::lock(&self.control).take());
        let ended = self.lock();
        if ended.is_none() {
            // Gone already is as good. The script itself may have moved to another group.
            let _ = kill_process_group(self.script, Signal::KILL);
            let _ = kill_process(self.script, Signal::KILL);
        }
        if let Some(orphans) = &self.orphans {
            orphans.kill();
        }
    }

    /// How the script ended; `None` while it runs. Asks for the status of orphans too, which would stay as zombies.
    fn poll(&self) -> rustix::io::Result<Option<ExitStatus>> {
        let mut ended = self.lock();
        while ended.is_none() {
            let reaped = match &self.orphans {
                Some(orphans) => orphans.reap_next(),
                None => waitpid(Some(self.script), WaitOptions::NOHANG),
            };
            match reaped? {
                Some((pid, status)) if pid == self.script => {
                    // At once, while the number of the group cannot be another's yet.
                    let _ = kill_process_group(self.script, Signal::KILL);
                    *ended = Some(ExitStatus::from_raw(status.as_raw()));
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(*ended)
    }

    /// Ends what the script left behind, when it is over.
    fn kill_leftovers(&self) {
        let _ended = self.lock();
        if let Some(orphans) = &self.orphans
            && !orphans.end()
        {
            tracing::warn!("a process that a script left behind does not end");
        }
    }
}

impl Program {
    /// Starts a script, in a new directory of the workspace. With `orphans`, one at a time.
    ///
    /// # Errors
    /// When its files cannot be made, or its interpreter is not there.
    pub fn start(
        script: &Script<'_>,
        workspace: &Workspace,
        confinement: Confinement,
        orphans: Option<Orphans>,
    ) -> anyhow::Result<Self> {
        let there = PATH.split(':').any(|folder| Path::new(folder).join(script.interpreter).is_file());
        anyhow::ensure!(there, "there is no {} in {PATH}", script.interpreter);
        let directory = workspace.script(script.content).context("making its files")?;
        let mut arguments: Vec<OsString> = Vec::new();
        if script.interpreter == "pwsh" {
            arguments.extend(["-NoProfile", "-File"].map(OsString::from));
        }
        arguments.push(confinement.directory_path(&directory).join(SCRIPT).into_os_string());
        let mut command = confinement.command(script.interpreter, &arguments, &directory)?;
        command.envs(script.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(if confinement.isolated { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("starting {}", script.interpreter))?;
        let output = Arc::new(Output::default());
        let mut readers = Vec::new();
        if let Some(stream) = child.stdout.take() {
            let output = Arc::clone(&output);
            readers.push(std::thread::spawn(move || output.read(stream)));
        }
        if let Some(stream) = child.stderr.take() {
            let output = Arc::clone(&output);
            readers.push(std::thread::spawn(move || output.read(stream)));
        }
        let control = Mutex::new(child.stdin.take());
        let pid = Pid::from_child(&child);
        let processes = Processes { script: pid, control, orphans, ended: Mutex::new(None), _child: child };
        let processes = Arc::new(processes);
        let timed_out = Arc::new(AtomicBool::new(false));
        let watch_end = Some(watch(Arc::clone(&processes), script.limit, Arc::clone(&timed_out)));
        Ok(Self { processes, output, readers, timed_out, watch_end, _directory: directory })
    }

    /// What it printed since this was asked last.
    pub fn lines(&self) -> Vec<String> {
        self.output.take()
    }

    /// How it ended; `None` while it runs. When it has, nothing of it is left.
    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        let Some(status) = self.processes.poll()? else { return Ok(None) };
        self.stop_watch();
        self.processes.kill_leftovers();
        let until = Instant::now() + DRAIN;
        while self.readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Some(status))
    }

    /// Was it killed because its time was over?
    pub fn timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }

    /// Ends it at once, and all that it started.
    pub fn kill(&mut self) {
        self.stop_watch();
        self.processes.kill();
    }

    fn stop_watch(&mut self) {
        if let Some(watch_end) = self.watch_end.take() {
            let _ = watch_end.send(());
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        let until = Instant::now() + GRACE;
        while matches!(self.processes.poll(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.processes.kill_leftovers();
    }
}

/// Ends a script when its time is over, whatever the rest of this program is waiting for.
fn watch(processes: Arc<Processes>, limit: Duration, timed_out: Arc<AtomicBool>) -> Sender<()> {
    let (watch_end, wait) = channel();
    std::thread::spawn(move || {
        if wait.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        timed_out.store(true, Ordering::Relaxed);
        processes.request_end();
        if wait.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            processes.kill();
        }
    });
    watch_end
}
