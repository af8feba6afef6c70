//! Locks between the processes that work on a SQLite file.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::owner::give_to_owner_of_folder;

/// Between two looks whether another process has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Who may have a file locked at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLock {
    /// Nobody else.
    Alone,
    /// Others that share it.
    Shared,
}

/// Locks a file, which is made when it is missing, until the answer is dropped or the process ends, however it ends;
/// waits for others as long as `patience` says. `None` when they still have it then.
///
/// # Errors
/// When the file cannot be opened or locked.
pub fn lock_file(path: &Path, how: FileLock, patience: Duration) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    give_to_owner_of_folder(&file, path)?;
    let operation = match how {
        FileLock::Alone => FlockOperation::NonBlockingLockExclusive,
        FileLock::Shared => FlockOperation::NonBlockingLockShared,
    };
    let begun = Instant::now();
    loop {
        match flock(&file, operation) {
            Ok(()) => return Ok(Some(file)),
            Err(Errno::WOULDBLOCK) if begun.elapsed() < patience => sleep(LOOK_AGAIN),
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_waits_for_those_that_share() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let lock = |how| lock_file(&path, how, Duration::ZERO).unwrap();
        let one = lock(FileLock::Shared).unwrap();
        let other = lock(FileLock::Shared).unwrap();
        assert!(lock(FileLock::Alone).is_none());
        drop(one);
        assert!(lock(FileLock::Alone).is_none());
        drop(other);
        let alone = lock(FileLock::Alone).unwrap();
        assert!(lock(FileLock::Shared).is_none() && lock(FileLock::Alone).is_none());
        drop(alone);
        assert!(lock(FileLock::Shared).is_some());
    }
}
