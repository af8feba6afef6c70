//! The owner of files that the service creates.

use std::{fs::File, io, os::unix::fs::MetadataExt as _, path::Path};

/// Gives a file to whom the folder of its path belongs: what root makes by hand is for the service that runs as
/// somebody else. Root alone can do so. Anybody else keeps what they made, as before.
pub fn give_to_owner_of_folder(file: &File, path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.metadata()?;
    let made = file.metadata()?;
    if folder.uid() != made.uid() {
        match std::os::unix::fs::fchown(file, Some(folder.uid()), Some(folder.gid())) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
