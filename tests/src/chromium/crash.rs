//! A browser that dies: what it said, how the machine was, and one more time for the test in which it did.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// How many lines of what a browser said are kept.
const LINES: usize = 60;

/// What the browser always says of a machine without a desktop.
const NOISE: [&str; 3] = ["dbus/", "scaling_cur_freq", "scaling_max_freq"];

/// What the driver says when the browser, or the tab that is looked at, is gone.
const GONE: [&str; 7] = [
    "tab crashed",
    "page crash",
    "browser has closed the connection",
    "chrome not reachable",
    "chrome failed to start: crashed",
    "chrome instance exited",
    "invalid session id",
];

/// Less than this, in MiB, and shared memory goes to where temporary files are.
const LITTLE: u64 = 512;

/// What a test ends with under which the browser died: the test itself found nothing.
#[derive(Debug)]
pub struct Crash(pub String);

/// Does what a test does. Where the browser itself dies meanwhile, it says so on the terminal and does all of it once
/// more; every other failure is one.
///
/// # Panics
/// When the test fails, or the browser dies twice.
pub fn once_more_after_a_crash(test: impl Fn()) {
    let Err(end) = catch_unwind(AssertUnwindSafe(&test)) else { return };
    if !end.is::<Crash>() {
        resume_unwind(end);
    }
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    tell(&format!("THE BROWSER DIED in {name}, which begins anew, this once"));
    test();
}

/// Ends the test, having told on the terminal what died and how the machine was.
pub(super) fn died(what: &str, said: &BrowserLog) -> ! {
    // Its last words may be on their way.
    sleep(Duration::from_millis(300));
    let told = format!("the browser died: {what}\n{}\nIt said:\n{}", machine(), said.text());
    tell(&told);
    panic_any(Crash(told))
}

/// Whether an answer of the driver means that the browser is gone.
pub(super) fn is_gone(answer: &str) -> bool {
    let answer = answer.to_ascii_lowercase();
    GONE.iter().any(|words| answer.contains(words))
}

/// What a browser says on its standard error: the last lines of it.
#[derive(Clone, Default)]
pub(super) struct BrowserLog(Arc<Mutex<VecDeque<String>>>);

impl BrowserLog {
    /// Reads it to the end, so that it never waits for a reader.
    pub fn listen(&self, from: impl Read + Send + 'static) {
        let kept = Arc::clone(&self.0);
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if NOISE.iter().any(|words| line.contains(words)) {
                    continue;
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_back(line);
                if kept.len() > LINES {
                    kept.pop_front();
                }
            }
        });
    }

    fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|line| format!("  {line}\n")).collect()
    }
}

/// Whether shared memory has to be kept among temporary files, on a disk: where that is full, the browser dies.
/// Containers often have 64 MiB of the other.
pub(super) fn lacks_shared_memory() -> bool {
    room("/dev/shm").is_none_or(|room| room < LITTLE)
}

/// What a browser dies of that is not its own fault: memory, and room for files that it shares between its processes.
fn machine() -> String {
    let line = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let found = text.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        if found.is_empty() { format!("{name} unknown") } else { found }
    };
    let temporary = std::env::temp_dir();
    let room = |directory: &str| room(directory).map_or("unknown".to_owned(), |room| format!("{room} MiB"));
    format!(
        "room in /dev/shm: {}, for temporary files: {}; {}; {} \
         (processes killed for want of memory since this machine started)",
        room("/dev/shm"),
        room(&temporary.to_string_lossy()),
        line("/proc/meminfo", "MemAvailable"),
        line("/proc/vmstat", "oom_kill"),
    )
}

/// What is free on the disk of a directory, in MiB.
fn room(directory: &str) -> Option<u64> {
    let answer = Command::new("df").args(["-Pk", directory]).output().ok()?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let free: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(free / 1024)
}

/// On the terminal, past the capture of the test program.
fn tell(told: &str) {
    let _ = writeln!(std::io::stderr(), "{told}");
}
