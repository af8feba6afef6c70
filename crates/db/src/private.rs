//! Files that only their owner reads.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
};

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

fn keep_owner(new: &File, former: &fs::Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (former.uid(), former.gid()) {
        fchown(new, Some(former.uid()), Some(former.gid())).map_err(|error| {
            let user = former.uid();
            let group = former.gid();
            let text = format!(
                "it belongs to the user {user} and the group {group}, as one of whom, or as root, this has to run"
            );
            io::Error::new(error.kind(), text)
        })?;
    }
    new.set_permissions(Permissions::from_mode(former.mode() & 0o7777))
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
