//! Memory that the process has and does not need goes back to the system.

use std::{env, fs, io, time::Duration};

use db::Db;
use outbox::Background;
use tikv_jemalloc_ctl::background_thread;
use tikv_jemallocator::Jemalloc;

/// Where all memory comes from, that of SQLite and libpq too.
#[global_allocator]
static MEMORY: Jemalloc = Jemalloc;

/// Has a thread give back what is free, since otherwise only who asks for memory does, and an idle service asks for
/// none. Not for other commands: the launcher of jobs enters namespaces, which a process can do that has one thread.
pub fn return_free_memory() {
    if let Err(error) = background_thread::write(true) {
        tracing::debug!(%error, "memory is given back later");
    }
}

/// How soon after the start memory is given back, and how soon again: behind the first rounds of the work that goes on
/// by itself, of which each touches parts of the program that are not used again for long.
const EARLY: [Duration; 3] = [Duration::from_millis(200), Duration::from_millis(500), Duration::from_secs(2)];
/// How often it is looked at from then on.
const AGAIN: Duration = Duration::from_secs(5);

/// Memory that has grown by less than this is let be: it costs milliseconds to give back.
const GROWN_KIB: u64 = 8 << 10;

/// Gives memory back once the service has started, and whenever much has been used since and is free again. Making the
/// OpenAPI document and the routes touches most of the program; and connections keep pages of the database until they
/// are asked.
///
/// # Errors
/// When the system has no thread for it.
pub fn watch(db: Db) -> io::Result<Background> {
    let mut rounds = 0;
    let mut low = None;
    Background::start("memory", move || {
        let round = rounds;
        rounds += 1;
        if round > 0 {
            let Some(now) = resident_kib() else { return Duration::from_secs(3600) };
            let has_grown = low.is_some_and(|low| now > low + GROWN_KIB);
            if round <= EARLY.len() || has_grown {
                db.shrink();
                forget_program();
                // What is in use comes back until the next look.
                low = None;
            } else {
                low = Some(low.map_or(now, |low: u64| low.min(now)));
            }
        }
        EARLY.get(round).copied().unwrap_or(AGAIN)
    })
}

/// What is resident of this process.
fn resident_kib() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * (rustix::param::page_size() as u64 >> 10))
}

/// Takes the pages of the program itself, its code and its constants, out of the process: those that are used again
/// come back from the cache of the system, and what was used for the start only does not.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice about memory that holds nothing but the file that it is mapped from")]
fn forget_program() {
    let Ok(program) = env::current_exe() else { return };
    let Ok(maps) = fs::read_to_string("/proc/self/smaps") else { return };
    let program = program.to_string_lossy();
    let mut last = None;
    for line in maps.lines() {
        if line.ends_with(&*program) {
            last = unwritable(line);
            continue;
        }
        let Some(own) = line.strip_prefix("Anonymous:") else { continue };
        // Constants with addresses in them were written when the program was loaded, and are its own since.
        let (Some((start, end)), "0 kB") = (last.take(), own.trim()) else { continue };
        // SAFETY: a private mapping that nobody may write, and nobody has written, has the bytes of its file, before
        // and after.
        let done = unsafe {
            rustix::mm::madvise(start as *mut _, end.saturating_sub(start), rustix::mm::Advice::LinuxDontNeed)
        };
        if let Err(error) = done {
            tracing::debug!(%error, "the program stays in memory");
        }
    }
}

/// Where a mapping begins and ends that nobody may write, by its line in the list of the system, such as
/// `5612…-5614… r-xp 00f3e000 fe:00 1234   /usr/bin/muster`.
#[cfg(target_os = "linux")]
fn unwritable(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    if fields.next()?.contains('w') { None } else { Some((number(start)?, number(end)?)) }
}

#[cfg(not(target_os = "linux"))]
const fn forget_program() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_free_goes_back() {
        return_free_memory();
        // Small pieces, and some between them that stay.
        let mut pieces: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![1; 1 << 10]).collect();
        let before = resident_kib().unwrap();
        pieces.truncate(1 << 10);
        let begun = std::time::Instant::now();
        while resident_kib().unwrap() + (32 << 10) > before {
            assert!(begun.elapsed() < Duration::from_secs(20), "{before} KiB, then {}", resident_kib().unwrap());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_was_forgotten_runs_on() {
        forget_program();
        assert!(resident_kib().unwrap() > 0);
    }
}
