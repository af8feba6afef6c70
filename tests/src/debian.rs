//! Programs of Debian that others use, to check that they and the service understand each other.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::skipped;

/// The directory of the programs of Debian packages, unpacked beside what cargo builds and not installed, so nothing of
/// them starts by itself. `None`, and a line on the terminal that says so, where that cannot be done; where `CI` is
/// `true` that is a failure, since the tests would pass without having looked.
pub fn debian_programs(packages: &[&str]) -> Option<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let unpacked = unpack(packages);
    if unpacked.is_none() {
        skipped(&format!("no Debian packages {} here, nor could they be fetched", packages.join(", ")));
    }
    unpacked
}

fn unpack(packages: &[&str]) -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().nth(3)?;
    let directory = target.join(format!("debian-{}", packages.join("-")));
    let programs = || ["usr/bin", "usr/sbin"].map(|below| directory.join(below)).into_iter().find(|one| one.is_dir());
    if let Some(programs) = programs() {
        return Some(programs);
    }
    // Made under another name, so that what is there is whole.
    let new = target.join(format!("debian-new-{}", std::process::id()));
    std::fs::create_dir_all(&new).ok()?;
    let fetch = || run(&new, Command::new("apt-get").arg("download").args(packages));
    let fetched = fetch() || run(&new, Command::new("apt-get").arg("update")) && fetch();
    if fetched {
        let files = std::fs::read_dir(&new).ok()?.flatten().map(|entry| entry.path());
        let archives: Vec<_> = files.filter(|path| path.extension().is_some_and(|kind| kind == "deb")).collect();
        let whole = archives.iter().all(|archive| run(&new, Command::new("dpkg-deb").arg("-x").arg(archive).arg(".")));
        if whole {
            // Another process may have been faster.
            let _ = std::fs::rename(&new, &directory);
        }
    }
    let _ = std::fs::remove_dir_all(&new);
    programs()
}

fn run(directory: &Path, command: &mut Command) -> bool {
    let quiet = command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
