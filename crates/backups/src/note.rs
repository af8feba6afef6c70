//! The note of the last backup in the data directory, which `muster doctor` reads.

use std::{fs, path::Path};

use base::timestamp::Timestamp;

const FILE: &str = "last-backup";

/// Notes a backup. A disk that does not take the note stops nothing.
pub fn note(data_dir: &Path, copy: &Path, taken: Timestamp) {
    let path = data_dir.join(FILE);
    let copy = fs::canonicalize(copy).unwrap_or_else(|_| copy.to_owned());
    if data_dir.is_dir()
        && let Err(error) = db::write_private(&path, &format!("{taken} {}\n", copy.display()))
    {
        tracing::warn!(file = %path.display(), "cannot note the backup: {error}");
    }
}

/// When the last backup was made, and its file.
#[must_use]
pub fn noted(data_dir: &Path) -> Option<(Timestamp, String)> {
    let text = fs::read_to_string(data_dir.join(FILE)).ok()?;
    let (taken, path) = text.trim_end().split_once(' ')?;
    Some((Timestamp::parse(taken)?, path.to_owned()))
}
