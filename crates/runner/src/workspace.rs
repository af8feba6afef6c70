//! Where scripts have their files: a directory of the runner, and in it one for each script.
//!
//! The runner may be root and the scripts are somebody else's, so no path is followed that a script can change. The
//! directory of the runner is its own; what it makes in there it makes and gives away through open descriptors, the
//! directory of a script last, when all is in it. Names of those directories cannot be guessed, and only the runner can
//! list them; an isolated script does not see them at all. What a script leaves is removed through descriptors too, and
//! no link is followed.

use std::{
    ffi::CString,
    fs::File,
    io::Write as _,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::MetadataExt as _,
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use rustix::{
    fs::{
        AtFlags, Dir, FlockOperation, Gid, Mode, OFlags, Uid, chmodat, fchmod, fchown, flock, fstat, mkdirat, openat,
        renameat, unlinkat,
    },
    io::Errno,
};
use tempfile::TempDir;

use crate::user::User;

/// How long the runner waits for the files of one script to be removed; what is left then is removed beside other work.
const REMOVAL_TIME: Duration = Duration::from_secs(10);

/// How many names of a directory are held at once.
const NAMES_AT_ONCE: usize = 1_000;

/// What the directories of runners are called, before what tells them apart.
const PREFIX: &str = "muster-runner-";

/// What a script is called in its directory.
pub const SCRIPT: &str = "script";

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The directory of a runner; gone when dropped.
pub struct Workspace {
    handle: Arc<OwnedFd>,
    directory: TempDir,
    work: PathBuf,
    user: Option<User>,
}

/// The directory of one script; gone when dropped.
pub struct Directory {
    parent: Arc<OwnedFd>,
    handle: OwnedFd,
    name: String,
    path: PathBuf,
    work: PathBuf,
}

impl Workspace {
    /// Makes one below `work`, for scripts of `user`.
    ///
    /// # Errors
    /// When others may rename what is in there.
    pub fn new(work: &Path, user: Option<User>) -> anyhow::Result<Self> {
        let work = work.canonicalize().with_context(|| format!("looking for {}", work.display()))?;
        let metadata = std::fs::metadata(&work)?;
        let shared = metadata.mode() & 0o022 != 0;
        let sticky = metadata.mode() & 0o1000 != 0;
        let mine = [0, rustix::process::geteuid().as_raw()].contains(&metadata.uid());
        ensure!(
            mine && (sticky || !shared),
            "{} belongs to somebody else, or others may rename what is in it: name another directory with --work-dir",
            work.display()
        );
        if let Err(error) = remove_leftovers(&work) {
            tracing::warn!(%error, work = %work.display(), "what runners left that were killed stays");
        }
        let (directory, handle) = make_locked(&work)?;
        ensure!(is_own(&handle)?, "somebody else made the directory");
        if user.is_some() {
            // They may pass, not look around.
            fchmod(&handle, Mode::from_raw_mode(0o711))?;
        }
        Ok(Self { handle: Arc::new(handle), directory, work, user })
    }

    /// A directory with a script in it, which belongs to the user that it is for.
    ///
    /// # Errors
    /// When it cannot be made, because a disk is full.
    pub fn script(&self, content: &str) -> std::io::Result<Directory> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        mkdirat(&self.handle, &name, Mode::RWXU)?;
        let handle = openat(&self.handle, &name, DIRECTORY, Mode::empty())?;
        let path = self.directory.path().join(&name);
        let work = self.work.clone();
        let script_directory = Directory { parent: Arc::clone(&self.handle), handle, name, path, work };
        let create = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&script_directory.handle, SCRIPT, create, Mode::RWXU)?);
        file.write_all(content.as_bytes())?;
        if let Some(User { uid, gid }) = self.user {
            let uid = Some(Uid::from_raw(uid));
            let gid = Some(Gid::from_raw(gid));
            fchown(&file, uid, gid)?;
            fchown(&script_directory.handle, uid, gid)?;
        }
        Ok(script_directory)
    }
}

impl Directory {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory in which runners have theirs.
    pub fn work(&self) -> &Path {
        &self.work
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let result = match remove(&self.parent, &self.handle, &self.name, Some(Instant::now() + REMOVAL_TIME)) {
            Err(Errno::TIMEDOUT) => self.remove_later(),
            result => result.map_err(Into::into),
        };
        if let Err(error) = result {
            tracing::warn!(%error, directory = %self.path.display(), "files of a script stay until this ends");
        }
    }
}

impl Directory {
    fn remove_later(&self) -> std::io::Result<()> {
        let parent = Arc::clone(&self.parent);
        let handle = self.handle.try_clone()?;
        let name = self.name.clone();
        let work = move || {
            if let Err(error) = remove(&parent, &handle, &name, None) {
                tracing::warn!(%error, name, "files of a script stay until this ends");
            }
        };
        std::thread::Builder::new().name("removing".to_owned()).spawn(work).map(drop)
    }
}

/// Makes the directory of a runner, locked for as long as the runner lives: others know by that that it is in use.
fn make_locked(work: &Path) -> anyhow::Result<(TempDir, OwnedFd)> {
    loop {
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(work);
        let directory = directory.with_context(|| format!("making a directory in {}", work.display()))?;
        // One that begins meanwhile may take what is not locked yet for a left-over.
        let handle = match rustix::fs::open(directory.path(), DIRECTORY, Mode::empty()) {
            Err(Errno::NOENT) => continue,
            handle => handle?,
        };
        match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => continue,
            Err(error) => tracing::warn!(%error, "if this runner is killed, its files stay: they cannot be locked"),
            Ok(()) => {}
        }
        match std::fs::symlink_metadata(directory.path()) {
            Ok(found) if found.ino() == fstat(&handle)?.st_ino => return Ok((directory, handle)),
            _ => {}
        }
    }
}

/// Removes the directories of runners of this user that were killed: those that nobody has locked.
fn remove_leftovers(work: &Path) -> rustix::io::Result<()> {
    let parent = rustix::fs::open(work, DIRECTORY, Mode::empty())?;
    let until = Instant::now() + REMOVAL_TIME;
    for entry in Dir::read_from(&parent)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().ok().filter(|name| name.starts_with(PREFIX)) else { continue };
        // A link, or somebody else's.
        let Ok(handle) = openat(&parent, name, DIRECTORY, Mode::empty()) else { continue };
        if !is_own(&handle)? || flock(&handle, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        match remove(&parent, &handle, name, Some(until)) {
            Ok(()) => tracing::info!(name, "removed what a runner left that was killed"),
            Err(error) => tracing::warn!(%error, name, "what a runner left that was killed stays"),
        }
    }
    Ok(())
}

fn is_own(handle: &OwnedFd) -> rustix::io::Result<bool> {
    Ok(fstat(handle)?.st_uid == rustix::process::geteuid().as_raw())
}

/// Removes a directory with all that is in it.
fn remove(parent: &OwnedFd, handle: &OwnedFd, name: &str, until: Option<Instant>) -> rustix::io::Result<()> {
    // The script may have closed it.
    fchmod(handle, Mode::RWXU)?;
    remove_contents(handle.as_fd(), until)?;
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Removes what is in a directory. What lies deeper is moved up before it is removed, so that no depth needs more than
/// two descriptors.
fn remove_contents(top: BorrowedFd<'_>, until: Option<Instant>) -> rustix::io::Result<()> {
    let mut moved = 0_u64;
    loop {
        let entries = names(top)?;
        if entries.is_empty() {
            return Ok(());
        }
        for name in entries {
            if remove_file(top, &name, until)? {
                continue;
            }
            let below = open_directory(top, &name)?;
            loop {
                let inner = names(below.as_fd())?;
                if inner.is_empty() {
                    break;
                }
                for inner in inner {
                    if !remove_file(below.as_fd(), &inner, until)? {
                        move_up(below.as_fd(), &inner, top, &mut moved)?;
                    }
                }
            }
            unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Some of the names in a directory.
fn names(directory: BorrowedFd<'_>) -> rustix::io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_owned();
        if ![c".", c".."].contains(&name.as_c_str()) {
            names.push(name);
        }
        if names.len() >= NAMES_AT_ONCE {
            break;
        }
    }
    Ok(names)
}

/// Removes what is not a directory; false when it is one.
fn remove_file(directory: BorrowedFd<'_>, name: &CString, until: Option<Instant>) -> rustix::io::Result<bool> {
    if until.is_some_and(|until| Instant::now() >= until) {
        return Err(Errno::TIMEDOUT);
    }
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // Systems differ in what they say of a directory.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a directory that its owner may have closed to itself.
fn open_directory(parent: BorrowedFd<'_>, name: &CString) -> rustix::io::Result<OwnedFd> {
    // Root is kept out of nothing, and must not change the mode of what a name may have come to mean.
    if !rustix::process::geteuid().is_root() {
        let _ = chmodat(parent, name, Mode::RWXU, AtFlags::empty());
    }
    openat(parent, name, DIRECTORY, Mode::empty())
}

fn move_up(from: BorrowedFd<'_>, name: &CString, top: BorrowedFd<'_>, moved: &mut u64) -> rustix::io::Result<()> {
    // What is moved has another `..` afterwards, so it must be open to its owner.
    drop(open_directory(from, name)?);
    loop {
        *moved += 1;
        match renameat(from, name, top, format!("moved-{moved}")) {
            // The script had a file of that name.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests;
