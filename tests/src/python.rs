//! Libraries in Python that others use, to check what the service makes against them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::skipped;

/// What is installed, each in the version that the tests were written for.
const LIBRARIES: [&str; 4] =
    ["icalendar==7.3.0", "standardwebhooks==1.1.0", "python-opsramp==3.5.0", "aiosmtpd==1.4.6"];

/// A Python with these libraries, in a directory of its own beside what cargo builds; made by the first test that asks.
/// `None`, and a line on the terminal that says so, where there is no Python or no registry to get them from; where
/// `CI` is `true` that is a failure, since the tests would pass without having looked.
pub fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let made = make();
        if made.is_none() {
            let libraries = LIBRARIES.join(", ");
            skipped(&format!("no Python with {libraries} here, nor could one be made"));
        }
        made
    });
    python.as_deref()
}

fn make() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().nth(3)?;
    let directory = target.join(format!("python-{}", LIBRARIES.join("-").replace('=', "")));
    let python = |directory: &Path| directory.join("bin/python3");
    if works(&python(&directory)) {
        return Some(python(&directory));
    }
    // Made under another name, so that what is there is whole.
    let new = target.join(format!("python-new-{}", std::process::id()));
    let venv = run(Command::new("python3").args(["-m", "venv"]).arg(&new));
    let installed = venv && run(Command::new(python(&new)).args(["-m", "pip", "install", "--quiet"]).args(LIBRARIES));
    if installed {
        // Another process may have been faster.
        let _ = std::fs::rename(&new, &directory);
    }
    let _ = std::fs::remove_dir_all(&new);
    works(&python(&directory)).then(|| python(&directory))
}

fn works(python: &Path) -> bool {
    run(Command::new(python).args(["-c", "import icalendar, standardwebhooks, opsramp.binding, aiosmtpd.controller"]))
}

fn run(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
