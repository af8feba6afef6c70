//! The way back: a copy in the place of the database.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use base::timestamp::Timestamp;
use tempfile::NamedTempFile;

use crate::folder::{Copy, Folder};

/// What a restoration did.
pub struct Restored {
    /// The copy that the database is now.
    pub copy: Copy,
    /// Where the former database is, if there was one.
    pub former: Option<PathBuf>,
}

/// Puts the newest copy of `folder` that was taken by `until` in the place of the SQLite file `database`, which no
/// service may have open. The former file is kept beside it, with what belongs to it.
///
/// # Errors
/// When there is no such copy, when it is damaged, or when a file cannot be written: the database is as before then.
pub fn restore(folder: &Folder, until: Option<Timestamp>, database: &Path, now: Timestamp) -> anyhow::Result<Restored> {
    let Some(copy) = folder.newest(until)? else {
        let oldest = folder.copies()?.into_iter().next();
        match oldest {
            Some(oldest) => bail!("the oldest backup is of {}: name that time or a later one", oldest.taken),
            None => bail!("{} holds no backup", folder.path().display()),
        }
    };
    let writing = || format!("writing {}", database.display());
    let directory = database.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = NamedTempFile::with_prefix_in(".muster-restore-", directory).with_context(writing)?;
    let mut source = File::open(&copy.path).with_context(|| format!("reading {}", copy.path.display()))?;
    io::copy(&mut source, new.as_file_mut()).with_context(writing)?;
    new.as_file().sync_all().with_context(writing)?;
    db::check_file(new.path()).with_context(|| format!("checking {}", copy.path.display()))?;
    db::give_to_owner_of_folder(new.as_file(), database).with_context(writing)?;
    let stamp = now.to_string().replace(['-', ':'], "");
    let former = beside(database, &format!(".before-{}", stamp.split('+').next().unwrap_or_default()));
    let had_one = database.exists();
    // The log goes with the file that it belongs to: the copy has none.
    for ending in ["", "-wal", "-shm"] {
        let from = beside(database, ending);
        if from.exists() {
            fs::rename(&from, beside(&former, ending)).with_context(|| format!("moving {}", from.display()))?;
        }
    }
    new.persist(database).with_context(writing)?;
    File::open(directory).and_then(|directory| directory.sync_all()).with_context(writing)?;
    Ok(Restored { copy, former: had_one.then_some(former) })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
