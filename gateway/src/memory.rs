//! Memory that the process has and does not need goes back to the system.

use tikv_jemalloc_ctl::background_thread;
use tikv_jemallocator::Jemalloc;

/// Where all memory comes from, that of SQLite and libpq too.
#[global_allocator]
static MEMORY: Jemalloc = Jemalloc;

/// Has a thread give back what is free, since otherwise only who asks for memory does, and an idle service asks for
/// none. Not for other commands: the launcher of jobs enters namespaces, which a process can do that has one thread.
pub fn settle() {
    if let Err(error) = background_thread::write(true) {
        tracing::debug!(%error, "memory is given back later");
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn resident_kib() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
        pages * (rustix::param::page_size() as u64 >> 10)
    }

    #[test]
    fn what_is_free_goes_back() {
        settle();
        // Small pieces, and some between them that stay.
        let mut pieces: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![1; 1 << 10]).collect();
        let before = resident_kib();
        pieces.truncate(1 << 10);
        let begun = std::time::Instant::now();
        while resident_kib() + (32 << 10) > before {
            assert!(begun.elapsed() < Duration::from_secs(20), "{before} KiB, then {}", resident_kib());
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
