//! What the operating system lets this process have.

use std::{env, os::unix::process::CommandExt as _, path::Path, process::Command};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Asks for as many open files as the system allows without privileges; answers how many that is. A connection of a
/// client is one, and the usual limit of 1024 is for programs that are no servers.
pub fn raise_open_files() -> Option<u64> {
    let found = getrlimit(Resource::Nofile);
    if found.current < found.maximum || found.maximum.is_none() {
        // macOS refuses more than this.
        let wanted = found.maximum.unwrap_or(10_240);
        let raised = Rlimit { current: Some(wanted), maximum: found.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::debug!(%error, wanted, "the limit on open files stays");
        }
    }
    getrlimit(Resource::Nofile).current
}

/// What the C library reads when a process starts, and not later: few arenas, of which each keeps what its threads gave
/// back, and large pieces that go back to the system at once. Without it some memory stays with the process for each of
/// its threads, for good: after the same load 188 MiB, and 126 with it.
const MEMORY: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_TRIM_THRESHOLD_", "1048576"), ("MALLOC_MMAP_THRESHOLD_", "131072")];

/// Starts this program over, in its own place, so that it gives back memory that it does not need; to be called before it
/// does anything else. Does nothing where that is decided already: by whoever started it, or by this.
pub fn give_memory_back() {
    let decided = MEMORY.iter().any(|(name, _)| env::var_os(name).is_some());
    if decided || !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    let mut arguments = env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    // It answers only when the system refuses.
    let error = again.args(arguments).envs(MEMORY).exec();
    tracing::debug!(%error, "memory is given back later");
}

/// Bytes that may still be written where this path is.
pub fn free_bytes(path: &Path) -> std::io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
