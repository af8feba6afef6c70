//! What a script leaves behind. A process that leaves the process group of its script (`setsid`, a daemon) loses its
//! parent sooner or later, and on Linux a process that asked for it becomes the new one. So a runner that has no
//! children has nothing left of any script.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait},
};

/// How long what was killed is waited for, since the last of it died: a process that hangs in the kernel dies when it
/// comes back.
const KILL_WAIT: Duration = Duration::from_secs(10);
/// How long it is waited for in all, which the lease of a run outlasts. On a busy machine each of a thousand processes
/// takes some milliseconds to die.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How long what was killed is given before anybody looks again: a chain of processes, each the parent of the next, is
/// killed one by one.
const POLL_INTERVAL: Duration = Duration::from_micros(100);

/// Proof that all children of this process belong to the script that is under way. Anyone who has it may end and reap
/// them.
#[derive(Clone, Debug)]
pub struct Orphans {
    /// Those that were killed and waited for in vain: nobody waits for them again.
    stuck: Arc<Mutex<Vec<Pid>>>,
}

impl Orphans {
    /// Makes this process the parent of what its scripts leave behind; `None` where the system has no such thing.
    ///
    /// # Errors
    /// When it has children already, which are none of a script.
    pub fn adopt() -> anyhow::Result<Option<Self>> {
        #[cfg(target_os = "linux")]
        {
            anyhow::ensure!(
                wait(WaitOptions::NOHANG).is_err(),
                "this process had children before it was the runner, and would take them for those of a script"
            );
            rustix::process::set_child_subreaper(Some(rustix::process::getpid())).context("adopting orphans")?;
            Ok(Some(Self { stuck: Arc::default() }))
        }
        #[cfg(not(target_os = "linux"))]
        Ok(None)
    }

    /// Takes note of one child that is over; `Ok(None)` when those that there are go on.
    ///
    /// # Errors
    /// `CHILD` when there is none.
    pub fn reap_next(&self) -> rustix::io::Result<Option<(Pid, WaitStatus)>> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Err(Errno::INTR) => {}
                result => return result,
            }
        }
    }

    /// Kills all children; those that they had are children afterwards. Says whether that is all that can be done,
    /// since only those are left that became somebody else, or were killed before.
    pub fn kill(&self) -> bool {
        let stuck = base::lock(&self.stuck);
        let mut killed = false;
        let mut left = false;
        for child in children() {
            // Gone already is as good. Only this process frees the number, so that it is nobody else's.
            match kill_process(child, Signal::KILL) {
                Err(Errno::PERM) => left = true,
                _ if stuck.contains(&child) => left = true,
                _ => killed = true,
            }
        }
        left && !killed
    }

    /// Kills children until there are none; says whether that went well. What does not die in time is told once, and
    /// keeps no later script waiting.
    pub fn end(&self) -> bool {
        let last = Instant::now() + LONGEST_WAIT;
        let mut until = Instant::now() + KILL_WAIT;
        loop {
            match self.reap_next() {
                Ok(Some((over, _))) => {
                    until = last.min(Instant::now() + KILL_WAIT);
                    base::lock(&self.stuck).retain(|pid| *pid != over);
                }
                Ok(None) if Instant::now() >= until => {
                    *base::lock(&self.stuck) = children();
                    return false;
                }
                Ok(None) if self.kill() => return false,
                Ok(None) => std::thread::sleep(POLL_INTERVAL),
                Err(_) => return true,
            }
        }
    }
}

/// The children of this process, dead ones that nobody asked for among them.
fn children() -> Vec<Pid> {
    list_children().unwrap_or_else(search_children)
}

/// As the kernel lists them for each thread; `None` when it was built without that.
fn list_children() -> Option<Vec<Pid>> {
    let mut found = Vec::new();
    for thread in fs::read_dir("/proc/self/task").ok()? {
        // A thread that has just ended has given its children to another.
        let Ok(list) = fs::read_to_string(thread.ok()?.path().join("children")) else { continue };
        found.extend(list.split_whitespace().filter_map(|number| number.parse().ok().and_then(Pid::from_raw)));
    }
    fs::exists("/proc/thread-self/children").is_ok_and(|is_there| is_there).then_some(found)
}

/// As all processes of the machine say whose they are.
fn search_children() -> Vec<Pid> {
    let me = rustix::process::getpid();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
    numbers.filter(|pid| parent(*pid) == Some(me)).collect()
}

fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name may hold anything, brackets and spaces too; what follows it does not.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok().and_then(Pid::from_raw)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_found_whatever_a_process_is_called() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("a) S 1 (b");
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let mut child = std::process::Command::new(&program).arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let found =
            (parent(pid), search_children().contains(&pid), list_children().is_none_or(|pids| pids.contains(&pid)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, (Some(rustix::process::getpid()), true, true));
    }
}
