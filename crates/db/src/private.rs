//! Files that only their owner reads.

use std::{
    fs::{self, File, Metadata, Permissions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
};

use rustix::process::{getegid, geteuid, getgroups};
use tempfile::NamedTempFile;

use crate::owner::give_to_owner_of_folder;

/// Writes a file that only its owner reads, or replaces one, all at once. The one that is there keeps its owner and its
/// mode, and stays where it is when the path is a link: root may write what a service reads.
///
/// # Errors
/// Also when its owner cannot be kept; the file is as it was then.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let new = write_beside(&path, text)?;
    match fs::metadata(&path) {
        Ok(former) => keep_owner(new.as_file(), &former)?,
        Err(_) => give_to_owner_of_folder(new.as_file(), &path)?,
    }
    new.persist(&path).map_err(|error| error.error)?;
    sync_folder(&path);
    Ok(())
}

/// As [`write_private`], unless a file is there already; says whether it wrote.
///
/// # Errors
/// When the file cannot be written.
pub fn create_private(path: &Path, text: &str) -> io::Result<bool> {
    let new = write_beside(path, text)?;
    give_to_owner_of_folder(new.as_file(), path)?;
    match new.persist_noclobber(path) {
        Ok(_) => {
            sync_folder(path);
            Ok(true)
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// A file of another name in the same folder, on the disk, for its owner alone.
fn write_beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut new = NamedTempFile::with_prefix_in(".muster-", folder(path))?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// Is a file that holds secrets closed to others than this process? Its mode is 0600 or less. Where it belongs to
/// somebody else, as a file of a Kubernetes Secret belongs to root, a group of this process may read it, too: 0440.
#[must_use]
pub fn is_private(found: &Metadata) -> bool {
    let groups = getgroups().unwrap_or_default();
    let is_own_group = found.gid() == getegid().as_raw() || groups.iter().any(|group| group.as_raw() == found.gid());
    is_closed(found.mode(), found.uid() == geteuid().as_raw(), is_own_group)
}

fn is_closed(mode: u32, is_own: bool, is_own_group: bool) -> bool {
    let allowed = if is_own_group && !is_own { 0o740 } else { 0o700 };
    mode & 0o777 & !allowed == 0
}

fn keep_owner(new: &File, former: &Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    let (user, group) = (former.uid(), former.gid());
    if (own.uid(), own.gid()) != (user, group) {
        match fchown(new, Some(user), Some(group)) {
            // Its group reads nothing anyway.
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied
                    && own.uid() == user
                    && former.mode() & 0o070 == 0 => {}
            Err(error) => return Err(io::Error::new(error.kind(), not_kept(own.uid(), user, group))),
            Ok(()) => {}
        }
    }
    new.set_permissions(Permissions::from_mode(former.mode() & 0o7777))
}

/// Why a file cannot keep the user and the group that it belongs to, where `own` is who replaces it.
fn not_kept(own: u32, user: u32, group: u32) -> String {
    if own == user {
        format!("its group is {group}, of which the user {own} is not a member: change its group, or run this as root")
    } else {
        format!(
            "it belongs to the user {user} and the group {group}, and this runs as the user {own}: run it as {user}"
        )
    }
}

fn folder(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// The new name is to survive a power cut; where that is not possible it is as durable as the file system makes it.
fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_may_be_read_by_the_own_group() {
        for mode in [0o600, 0o400, 0o700, 0o000] {
            assert!(is_closed(mode, true, true) && is_closed(mode, false, false), "{mode:o}");
        }
        assert!(is_closed(0o440, false, true) && is_closed(0o640, false, true));
        assert!(!is_closed(0o440, true, true), "its owner can close it");
        assert!(!is_closed(0o440, false, false), "another group reads it");
        for mode in [0o444, 0o460, 0o660, 0o450, 0o404, 0o602, 0o601] {
            assert!(!is_closed(mode, false, true) && !is_closed(mode, true, true), "{mode:o}");
        }
    }

    #[test]
    fn a_group_that_cannot_be_kept_is_told_as_one() {
        assert!(not_kept(101, 101, 0).starts_with("its group is 0, of which the user 101 is not a member"));
        assert!(not_kept(101, 0, 0).starts_with("it belongs to the user 0 and the group 0, and this runs as"));
    }

    #[test]
    fn what_is_replaced_keeps_its_mode_and_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        let link = directory.path().join("link");
        let mode = || fs::metadata(&file).unwrap().mode() & 0o777;
        write_private(&file, "one").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_private(&link, "two").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), mode()), ("two", 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!create_private(&file, "three").unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "nothing is left");
    }
}
