//! The way back: a copy in the place of the database.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, ErrorKind},
    os::unix::fs::{MetadataExt as _, fchown},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use base::timestamp::Timestamp;
use db::{Migrations, Origin, SQLITE_ENDINGS, beside};
use tempfile::NamedTempFile;

use crate::folder::{Copy, Folder};

/// What a restoration did.
pub struct Restored {
    /// The copy that the database is now.
    pub copy: Copy,
    /// Where the former database is, if there was one.
    pub former: Option<PathBuf>,
    /// Newer copies that were passed over, since they are of other databases.
    pub passed_over: usize,
    /// Copies of a time that is yet to come, which are taken only when that is asked for.
    pub ahead: usize,
    /// The Postgres to which the data of the former database had moved, without a password.
    pub moved_to: Option<String>,
}

impl Restored {
    /// What the person at the terminal is told, with `database` as the file that was restored.
    #[must_use]
    pub fn text(&self, database: &Path) -> String {
        let mut lines = vec![format!("{} is now the backup of {}", database.display(), self.copy.taken)];
        if self.passed_over > 0 {
            lines.push(format!("newer backups there that are of another database: {}", self.passed_over));
        }
        if self.ahead > 0 {
            let count = self.ahead;
            lines.push(format!("backups of a time that is yet to come, which --at takes when it names it: {count}"));
        }
        if let Some(url) = &self.moved_to {
            lines.push(format!(
                "the data of the former database had moved to {url}: this backup lacks what was written there since, \
                 and a service that starts on it is a second one beside the gateways there"
            ));
        }
        lines.extend(self.former.as_ref().map(|former| format!("the former database is {}", former.display())));
        lines.join("\n")
    }
}

/// Puts the newest copy of `folder` that was taken by `until`, or by `now`, in the place of the SQLite file `database`,
/// which no service may have open. The former file is kept beside it, with what belongs to it, under a name that
/// nothing has. `domains` are those of the service that is to start on it.
///
/// # Errors
/// When there is no such copy, when it is not good or this program would not start on it, when it may be of another
/// database, or when a file cannot be written: the database is as before then. An older copy is never taken instead of
/// one that is not good, since it lacks what was written between the two: the error names it.
pub fn restore(
    folder: &Folder,
    until: Option<Timestamp>,
    database: &Path,
    domains: &[Migrations],
    now: Timestamp,
) -> anyhow::Result<Restored> {
    let copies = candidates(folder, until.unwrap_or(latest(now)))?;
    let ahead = folder.copies()?.iter().filter(|copy| until.is_none() && copy.taken > latest(now)).count();
    let own = db::copy_origin(database);
    let taken = choose(&copies, own, database)?;
    let (passed_over, older) = (taken, copies.get(taken + 1..).unwrap_or_default());
    let Some(copy) = copies.get(taken) else { bail!("{} holds no backup", folder.path().display()) };
    let writing = || format!("nothing was changed: writing {}", database.display());
    let directory = database.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = NamedTempFile::with_prefix_in(".muster-restore-", directory).with_context(writing)?;
    let mut source =
        File::open(&copy.path).with_context(|| format!("nothing was changed: reading {}", copy.path.display()))?;
    io::copy(&mut source, new.as_file_mut()).with_context(writing)?;
    new.as_file().sync_all().with_context(writing)?;
    if let Err(wrong) = db::check_restorable(new.path(), domains) {
        let own = own.or_else(|| db::copy_origin(&copy.path));
        let advice = match older.iter().find(|older| is_good(older, own, domains)) {
            Some(older) => format!("the newest one before it that is good is of {0}: say --at {0} for it", older.taken),
            None => "none before it is good".to_owned(),
        };
        bail!("the backup {} is not good: {wrong}. Nothing was changed; {advice}", copy.path.display());
    }
    match fs::metadata(database) {
        Ok(former) => keep_owner(new.as_file(), &former).with_context(writing)?,
        Err(_) => db::give_to_owner_of_folder(new.as_file(), database).with_context(writing)?,
    }
    let moved_to = db::moved_to(database);
    let former = free_name(database, now);
    let had_one = database.exists();
    // The log goes with the file that it belongs to: the copy has none.
    for ending in SQLITE_ENDINGS {
        let from = beside(database, ending);
        if is_there(&from) {
            fs::rename(&from, beside(&former, ending)).with_context(|| format!("moving {}", from.display()))?;
        }
    }
    let placing = || format!("writing {}; the former database is {}", database.display(), former.display());
    new.persist(database).with_context(placing)?;
    File::open(directory).and_then(|directory| directory.sync_all()).with_context(placing)?;
    Ok(Restored { copy: copy.clone(), former: had_one.then_some(former), passed_over, ahead, moved_to })
}

/// The time in the name of a copy that is taken now: it is rounded up to the second.
#[must_use]
pub fn latest(now: Timestamp) -> Timestamp {
    Timestamp::from_millis(now.millis().saturating_add(1_000))
}

/// The copies that were taken by then, newest first; at least one.
fn candidates(folder: &Folder, until: Timestamp) -> anyhow::Result<Vec<Copy>> {
    let shown = folder.path().display();
    if matches!(folder.path().try_exists(), Ok(false)) {
        bail!("there is no directory {shown}: name that of the backups with --backup-to");
    }
    let mut copies = folder.copies()?;
    let Some(oldest) = copies.first().map(|oldest| oldest.taken) else {
        bail!("{} holds no backup", folder.path().display());
    };
    copies.retain(|copy| copy.taken <= until);
    if copies.is_empty() {
        bail!("the oldest backup is of {oldest}: name that time or a later one with --at");
    }
    copies.reverse();
    Ok(copies)
}

/// The place of the newest copy that is of this database, or does not tell whose it is. Where the database does not
/// tell itself, since it is missing or damaged, the copies have to be of one database.
fn choose(copies: &[Copy], own: Option<Origin>, database: &Path) -> anyhow::Result<usize> {
    let origins: Vec<Option<Origin>> = copies.iter().map(|copy| db::copy_origin(&copy.path)).collect();
    let Some(own) = own else {
        let mut newest_of = BTreeMap::new();
        for (copy, origin) in copies.iter().zip(&origins).filter_map(|(copy, origin)| Some((copy, (*origin)?))) {
            newest_of.entry(origin).or_insert(copy);
        }
        if newest_of.len() > 1 {
            let files: Vec<String> = newest_of.values().map(|copy| copy.path.display().to_string()).collect();
            bail!(
                "the directory has backups of {} databases, and {} does not tell which is meant. The newest of each: \
                 {}. Copy those of one into another directory, and name that",
                files.len(),
                database.display(),
                files.join(", ")
            );
        }
        return Ok(0);
    };
    origins.iter().position(|origin| origin.is_none_or(|origin| origin == own)).with_context(|| {
        format!(
            "the directory has backups of another database than {0} alone: name the directory of its own, or, to have \
             that other database here, move {0} away first",
            database.display()
        )
    })
}

/// Is it a copy that this program starts on, and not of another database than this one, as far as both tell?
fn is_good(copy: &Copy, own: Option<Origin>, domains: &[Migrations]) -> bool {
    let is_other = own.is_some_and(|own| db::copy_origin(&copy.path).is_some_and(|origin| origin != own));
    !is_other && db::check_restorable(&copy.path, domains).is_ok()
}

/// The name of the former database: `muster.sqlite.before-20261127T204500`, with a number behind it where that, or a
/// file that would belong to it, is there already.
fn free_name(database: &Path, now: Timestamp) -> PathBuf {
    let stamp = now.to_string().replace(['-', ':'], "");
    let stamp = stamp.split('+').next().unwrap_or_default();
    let is_free = |name: &PathBuf| SQLITE_ENDINGS.iter().all(|ending| !is_there(&beside(name, ending)));
    let numbered = (2..u64::MAX).map(|number| beside(database, &format!(".before-{stamp}-{number}")));
    let first = beside(database, &format!(".before-{stamp}"));
    let mut names = std::iter::once(first.clone()).chain(numbered);
    names.find(is_free).unwrap_or(first)
}

/// Is something there under this name, be it a link that leads nowhere?
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Gives the file to whom the former one belongs: root restores what the service opens.
fn keep_owner(new: &File, former: &fs::Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) == (former.uid(), former.gid()) {
        return Ok(());
    }
    match fchown(new, Some(former.uid()), Some(former.gid())) {
        // Its group reads nothing anyway.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && own.uid() == former.uid() => Ok(()),
        Err(error) => {
            let text = format!("it belongs to the user {}, as whom, or as root, this has to run", former.uid());
            Err(io::Error::new(error.kind(), text))
        }
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_time_that_is_yet_to_come_are_left() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path()).unwrap();
        let (late, early) = ("muster-20990101T000000Z.sqlite", "muster-20261127T204500Z.sqlite");
        fs::write(directory.path().join(late), "").unwrap();
        let now = Timestamp::parse("2026-11-27T20:44:59Z").unwrap();
        let wrong = candidates(&folder, latest(now)).unwrap_err().to_string();
        assert!(wrong.contains("2099-01-01") && wrong.contains("--at"), "{wrong}");
        fs::write(directory.path().join(early), "").unwrap();
        let found = candidates(&folder, latest(now)).unwrap();
        assert_eq!(found.iter().map(|copy| copy.path.clone()).collect::<Vec<_>>(), [directory.path().join(early)]);
        assert_eq!(candidates(&folder, Timestamp::from_millis(i64::MAX)).unwrap().len(), 2, "when it is asked for");
    }

    #[test]
    fn a_name_that_is_taken_is_not_given_again() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("muster.sqlite");
        let now = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        let name = |ending: &str| folder.path().join(format!("muster.sqlite.before-20261127T204500{ending}"));
        assert_eq!(free_name(&database, now), name(""));
        fs::write(name("-wal"), "of a former one").unwrap();
        assert_eq!(free_name(&database, now), name("-2"), "a log alone takes the name, too");
        fs::write(name(""), "").unwrap();
        fs::write(name("-2"), "").unwrap();
        assert_eq!(free_name(&database, now), name("-3"));
    }
}
