//! One script, as a process of its own: an empty environment, a directory of its own, a process group that is killed
//! when its time is over or when it ends, together with what left the group, and what it prints, within bounds.

use std::{
    fs,
    io::Read,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::{CommandExt as _, ExitStatusExt as _},
    },
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use tempfile::TempDir;

use super::{orphans::Orphans, user::User};

/// What is kept of the output: a little more than the service keeps, so that it can tell that there was more.
const MOST_OUTPUT: usize = (1 << 20) + (64 << 10);

/// A line is cut into pieces of this size.
const LONGEST_LINE: usize = 64 << 10;

/// How long a script has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long the output of a script that is over is waited for: something that it left behind may hold it open.
const DRAIN: Duration = Duration::from_secs(2);

/// Where programs are looked for.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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
    over: Option<Sender<()>>,
    _directory: TempDir,
}

/// The processes of a script.
struct Processes {
    /// The script itself, which is also the number of its process group.
    script: Pid,
    orphans: Option<Orphans>,
    /// How the script ended. As long as this is not known its number is nobody else's, so the lock is held to signal.
    ended: Mutex<Option<ExitStatus>>,
    _child: Child,
}

impl Processes {
    fn lock(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the process group to end.
    fn ask(&self) {
        if self.lock().is_none() {
            let _ = kill_process_group(self.script, Signal::TERM);
        }
    }

    /// Kills the process group, and what has left it and lost its parent.
    fn kill(&self) {
        let ended = self.lock();
        if ended.is_none() {
            // Gone already is as good. The script itself may have moved to another group.
            let _ = kill_process_group(self.script, Signal::KILL);
            let _ = kill_process(self.script, Signal::KILL);
        }
        if let Some(orphans) = self.orphans {
            orphans.kill();
        }
    }

    /// How the script ended; `None` while it runs. Asks for the status of orphans too, which would stay as zombies.
    fn poll(&self) -> rustix::io::Result<Option<ExitStatus>> {
        let mut ended = self.lock();
        while ended.is_none() {
            let over = match self.orphans {
                Some(orphans) => orphans.next_over(),
                None => waitpid(Some(self.script), WaitOptions::NOHANG),
            };
            match over? {
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
    fn sweep(&self) {
        let _ended = self.lock();
        if let Some(orphans) = self.orphans
            && !orphans.end()
        {
            tracing::warn!("a process that a script left behind does not end");
        }
    }
}

/// Lines that were printed and not taken yet.
#[derive(Default)]
struct Output {
    lines: Mutex<(Vec<String>, usize)>,
}

impl Output {
    fn push(&self, line: &[u8]) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // What does not fit is read all the same, so that the script does not wait, and dropped.
        if lines.1 + line.len() <= MOST_OUTPUT {
            lines.1 += line.len() + 1;
            // No text of the service has a NUL.
            lines.0.push(String::from_utf8_lossy(line).replace('\0', "\u{FFFD}"));
        }
    }

    fn read(&self, mut stream: impl Read) {
        let (mut piece, mut line) = ([0; 8 << 10], Vec::new());
        while let Ok(length @ 1..) = stream.read(&mut piece) {
            for byte in piece.iter().take(length) {
                if *byte == b'\n' || line.len() >= LONGEST_LINE {
                    self.push(&line);
                    line.clear();
                }
                if *byte != b'\n' {
                    line.push(*byte);
                }
            }
        }
        if !line.is_empty() {
            self.push(&line);
        }
    }
}

impl Program {
    /// Starts a script, in a new directory below `work`, as `user`. With `orphans`, one at a time.
    pub fn start(
        script: &Script<'_>,
        work: &Path,
        user: Option<User>,
        orphans: Option<Orphans>,
    ) -> anyhow::Result<Self> {
        let directory =
            tempfile::Builder::new().prefix("muster-run-").tempdir_in(work).context("making a directory")?;
        let file = directory.path().join("script");
        fs::write(&file, script.content).context("writing the script")?;
        for path in [directory.path(), &file] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
            if let Some(User { uid, gid }) = user {
                chown(path, Some(uid), Some(gid))?;
            }
        }
        let mut command = Command::new(script.interpreter);
        if script.interpreter == "pwsh" {
            command.args(["-NoProfile", "-File"]);
        }
        command.arg(&file).env_clear().env("PATH", PATH).env("LANG", "C.UTF-8");
        command.env("HOME", directory.path()).env("TMPDIR", directory.path());
        command.envs(script.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(directory.path()).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(User { uid, gid }) = user {
            // The standard library leaves all other groups of root behind before it changes the user.
            command.gid(gid).uid(uid);
        }
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
        let script_pid = Pid::from_child(&child);
        let processes = Processes { script: script_pid, orphans, ended: Mutex::new(None), _child: child };
        let (processes, timed_out) = (Arc::new(processes), Arc::new(AtomicBool::new(false)));
        let over = Some(watch(Arc::clone(&processes), script.limit, Arc::clone(&timed_out)));
        Ok(Self { processes, output, readers, timed_out, over, _directory: directory })
    }

    /// What it printed since this was asked last.
    pub fn lines(&self) -> Vec<String> {
        std::mem::take(&mut self.output.lines.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    /// How it ended; `None` while it runs. When it has, nothing of it is left.
    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        let Some(status) = self.processes.poll()? else { return Ok(None) };
        self.not_watched();
        self.processes.sweep();
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
        self.not_watched();
        self.processes.kill();
    }

    fn not_watched(&mut self) {
        if let Some(over) = self.over.take() {
            let _ = over.send(());
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
        self.processes.sweep();
    }
}

/// Ends a script when its time is over, whatever the rest of this program is waiting for.
fn watch(processes: Arc<Processes>, limit: Duration, timed_out: Arc<AtomicBool>) -> Sender<()> {
    let (over, wait) = channel();
    std::thread::spawn(move || {
        if wait.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        timed_out.store(true, Ordering::Relaxed);
        processes.ask();
        if wait.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            processes.kill();
        }
    });
    over
}

/// What a shell would say of a status: the exit code, or 128 and the signal.
pub fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exit code, whether it was too slow, and what was printed.
    fn run(content: &str, limit: Duration) -> (i32, bool, Vec<String>) {
        let work = tempfile::tempdir().unwrap();
        let environment = [("MUSTER_RUN_ID", "RUN-1".to_owned())];
        let script = Script { interpreter: "sh", content, environment: &environment, limit };
        let mut program = Program::start(&script, work.path(), None, None).unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        let mut lines = Vec::new();
        while Instant::now() < until {
            let ended = program.ended().unwrap();
            lines.extend(program.lines());
            if let Some(status) = ended {
                let told = (exit_code(status), program.timed_out(), lines);
                drop(program);
                assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0, "its directory is gone");
                return told;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it did not end");
    }

    #[test]
    fn it_has_an_environment_and_a_directory_of_its_own() {
        let (code, slow, lines) = run("echo \"$MUSTER_RUN_ID\"; env | wc -l; [ \"$PWD\" = \"$HOME\" ]; exit 3", LONG);
        assert_eq!((code, slow, lines[0].as_str()), (3, false, "RUN-1"));
        // What the shell adds by itself (PWD, OLDPWD, SHLVL, _) is all that may come along.
        assert!(lines[1].trim().parse::<usize>().unwrap() <= 9, "{lines:?}");
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn its_time_is_limited_and_nothing_of_it_stays() {
        let begun = Instant::now();
        let (code, slow, lines) = run("sleep 600 & echo $!; sleep 600", Duration::from_millis(300));
        assert!(slow && code > 128 && begun.elapsed() < Duration::from_secs(20), "{code}");
        let left = Pid::from_raw(lines[0].parse().unwrap()).unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        while rustix::process::test_kill_process(left).is_ok() && !zombie(left) {
            assert!(Instant::now() < until, "what it started still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Dead, but nobody has asked for its status yet.
    fn zombie(pid: Pid) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        let (code, _, lines) = run(r"printf 'a\000b\n\377c\n'", LONG);
        assert_eq!((code, lines), (0, vec!["a\u{FFFD}b".to_owned(), "\u{FFFD}c".to_owned()]));
    }

    #[test]
    fn its_output_is_bounded_and_it_does_not_wait_for_anybody() {
        let (code, _, lines) = run("yes 0123456789abcdef | head -c 8000000; echo done >&2", LONG);
        let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
        assert_eq!(code, 0);
        assert!((1 << 20..=MOST_OUTPUT + LONGEST_LINE).contains(&bytes), "{bytes}");
    }
}
