//! What the operating system lets this process have.

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
