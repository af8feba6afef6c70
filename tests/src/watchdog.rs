//! Leaves nothing behind, however the test process ends.
//!
//! Statics are never dropped and a killed process runs no code at all. So a small `sh` outside the
//! process group waits on a pipe whose other end only this process holds: when the process ends, the
//! kernel closes the pipe, and the script cleans up.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A shell script that runs when this process ends or the value is dropped.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Starts `script`, which has to read its standard input to the end before it acts.
    pub(crate) fn start(script: &str, arguments: &[&str]) -> Self {
        let child = Command::new("sh")
            .arg("-c")
            .arg(format!("trap '' INT TERM HUP; {script}"))
            .arg("watchdog")
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("sh starts");
        Self(child)
    }

    /// Removes `directory`, after killing with `signal` the process that [`Self::watch`] named last.
    pub(crate) fn over(directory: &Path, signal: &str) -> Self {
        const SCRIPT: &str = r#"
            pid=none
            while read -r line; do pid=$line; done
            if [ "$pid" != none ]; then
                kill -s "$2" "$pid"
                for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                    kill -0 "$pid" || break
                    sleep 0.1
                done
                kill -9 "$pid"
            fi
            rm -rf "$1" || { sleep 1; rm -rf "$1"; }
        "#;
        Self::start(SCRIPT, &[&directory.to_string_lossy(), signal])
    }

    /// From now on it is `process` that must not outlive this process.
    pub(crate) fn watch(&mut self, process: &Child) {
        self.tell(&process.id().to_string());
    }

    /// The process ended, and its id may be another's soon.
    pub(crate) fn unwatch(&mut self) {
        self.tell("none");
    }

    /// Hands the script one line of input.
    pub(crate) fn tell(&mut self, line: &str) {
        let stdin = self.0.stdin.as_mut().expect("the pipe is open");
        writeln!(stdin, "{line}").expect("the watchdog reads");
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
