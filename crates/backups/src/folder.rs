//! The folder of copies, and which of them are kept.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use base::timestamp::{DAY_MS, HOUR_MS, Timestamp};
use db::{DatabaseUrl, Origin};

/// The newest copies, which are all kept.
const NEWEST: usize = 24;
/// For so long the last copy of each hour is kept, and for so long that of each day.
const HOURLY_MS: i64 = DAY_MS;
const DAILY_MS: i64 = 30 * DAY_MS;

/// What an unfinished copy is called.
const UNFINISHED: &str = ".muster-backup-";

/// A folder of copies.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// A copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Its file.
    pub path: PathBuf,
    /// It has what was committed at this time.
    pub taken: Timestamp,
}

impl Folder {
    /// The folder at this path, which is made when it is missing.
    ///
    /// # Errors
    /// When it cannot be made or read.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).with_context(|| format!("creating {}", path.display()))?;
        let folder = Self(path.to_owned());
        folder.copies()?;
        Ok(folder)
    }

    /// The folder at this path, as it is.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// All copies, oldest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn copies(&self) -> anyhow::Result<Vec<Copy>> {
        let entries = fs::read_dir(&self.0).with_context(|| format!("reading {}", self.0.display()))?;
        let mut copies: Vec<Copy> = entries
            .flatten()
            .filter(|entry| !entry.path().is_dir())
            .filter_map(|entry| Some(Copy { taken: time_of(entry.file_name().to_str()?)?, path: entry.path() }))
            .collect();
        copies.sort_by_key(|copy| copy.taken.millis());
        Ok(copies)
    }

    /// Refuses a folder that has copies of another database than the one with this origin, or, with none, of any: those
    /// of two databases would push each other out, and a restoration would take one for the other.
    ///
    /// # Errors
    /// When there is such a copy, or the folder cannot be read.
    pub fn check_owner(&self, own: Option<Origin>) -> anyhow::Result<()> {
        refuse_others(self.copies()?, own)
    }

    /// Adds a copy of a SQLite database, opens and checks it, and removes those that are not kept any more, as far as
    /// it can. `now` is when it begins. `None` when there is one of this second already, and when the data has moved to
    /// another database.
    ///
    /// # Errors
    /// When the copy is not made, or is damaged: no file is left of it then.
    pub fn add(&self, database: &DatabaseUrl, now: Timestamp) -> anyhow::Result<Option<Copy>> {
        // Rounded up: the name is never earlier than what the copy has.
        let taken = Timestamp::from_millis(now.millis().saturating_add(999).div_euclid(1_000) * 1_000);
        let path = self.0.join(name_of(taken));
        if path.exists() {
            return Ok(None);
        }
        // Another service may have begun to use the folder since.
        refuse_others(self.newest(taken)?, db::database_origin(database)?)?;
        if matches!(database, DatabaseUrl::Sqlite(file) if db::moved_to(file).is_some()) {
            // No service starts on it, and it would push out those that one starts on.
            return Ok(None);
        }
        db::back_up(database, &path).with_context(|| format!("backing up to {}", path.display()))?;
        self.prune(taken, |path| fs::remove_file(path));
        Ok(Some(Copy { path, taken }))
    }

    /// The newest copy of this time or an earlier one.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn newest(&self, until: Timestamp) -> anyhow::Result<Option<Copy>> {
        Ok(self.copies()?.into_iter().rfind(|copy| copy.taken <= until))
    }

    /// Removes what a copy that was cut off left.
    pub(crate) fn remove_unfinished(&self) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let unfinished = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(UNFINISHED));
        for entry in unfinished {
            if let Err(error) = fs::remove_file(entry.path()) {
                tracing::warn!(file = %entry.path().display(), %error, "an unfinished backup stays");
            }
        }
    }

    /// One that cannot be removed keeps no other, and the new copy is made all the same.
    fn prune(&self, now: Timestamp, remove: impl Fn(&Path) -> io::Result<()>) {
        let copies = self.copies().unwrap_or_else(|error| {
            tracing::warn!(error = format!("{error:#}"), "former backups stay");
            Vec::new()
        });
        let times: Vec<i64> = copies.iter().map(|copy| copy.taken.millis()).collect();
        for (copy, _) in copies.iter().zip(kept(&times, now.millis())).filter(|(_, kept)| !kept) {
            match remove(&copy.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(file = %copy.path.display(), %error, "a former backup cannot be removed, and stays");
                }
                _ => {}
            }
        }
    }
}

/// Refuses copies that are of another database. One that does not tell whose it is passes.
fn refuse_others(copies: impl IntoIterator<Item = Copy>, own: Option<Origin>) -> anyhow::Result<()> {
    let is_other = |copy: &Copy| db::copy_origin(&copy.path).is_some_and(|origin| Some(origin) != own);
    match copies.into_iter().find(is_other) {
        Some(copy) => bail!(
            "{} is a backup of another database: a directory of backups is for one database alone. Name another \
             directory for this one (to go on with the database of those backups, use muster restore first)",
            copy.path.display()
        ),
        None => Ok(()),
    }
}

/// Which of the copies of these times, oldest first, are kept: the newest ones, of the last day the last of each hour,
/// and of the last thirty days the last of each day.
fn kept(times: &[i64], now: i64) -> Vec<bool> {
    let mut hours = BTreeSet::new();
    let mut days = BTreeSet::new();
    let kept = times.iter().rev().enumerate().map(|(place, time)| {
        let age = now - time;
        // Each is noted, whatever else keeps it.
        let of_hour = hours.insert(time.div_euclid(HOUR_MS)) && age <= HOURLY_MS;
        let of_day = days.insert(time.div_euclid(DAY_MS)) && age <= DAILY_MS;
        place < NEWEST || of_hour || of_day
    });
    let mut kept: Vec<bool> = kept.collect();
    kept.reverse();
    kept
}

/// `muster-20261127T204500Z.sqlite`
fn name_of(taken: Timestamp) -> String {
    let text = taken.to_string().replace(['-', ':'], "");
    format!("muster-{}Z.sqlite", text.split('+').next().unwrap_or_default())
}

fn time_of(name: &str) -> Option<Timestamp> {
    let digits = name.strip_prefix("muster-")?.strip_suffix("Z.sqlite")?;
    let part = |from, to| digits.get(from..to);
    let date = format!("{}-{}-{}", part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let text = format!("{date}T{}:{}:{}Z", part(9, 11)?, part(11, 13)?, part(13, 15)?);
    Timestamp::parse(&text).filter(|taken| name_of(*taken) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_when() {
        let taken = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        assert_eq!(name_of(taken), "muster-20261127T204500Z.sqlite");
        assert_eq!(time_of("muster-20261127T204500Z.sqlite"), Some(taken));
        for other in ["muster.sqlite", "muster-20261127.sqlite", "muster-20261327T204500Z.sqlite", "muster-äöZ.sqlite"]
        {
            assert_eq!(time_of(other), None, "{other}");
        }
    }

    #[test]
    fn what_cannot_be_removed_keeps_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(&directory.path().join("copies")).unwrap();
        let now = 400 * DAY_MS;
        let path = |ago: i64| folder.path().join(name_of(Timestamp::from_millis(now - ago)));
        let many = i64::try_from(NEWEST).unwrap() + 10;
        (0..many).for_each(|number| fs::write(path(number * 1_000), "").unwrap());
        let oldest = path((many - 1) * 1_000);
        folder.prune(Timestamp::from_millis(now), |path| match path == oldest {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => fs::remove_file(path),
        });
        assert!(oldest.exists());
        assert_eq!(folder.copies().unwrap().len(), NEWEST + 1, "the newest, and that one");
        fs::create_dir(folder.path().join(name_of(Timestamp::from_millis(now + 1_000)))).unwrap();
        assert_eq!(
            folder.newest(Timestamp::from_millis(now + 2_000)).unwrap().unwrap().path,
            path(0),
            "a directory is not a copy"
        );
    }

    #[test]
    fn many_copies_become_few() {
        let now = 400 * DAY_MS + HOUR_MS / 2;
        let every = |step: i64, count: i64| (0..count).map(|number| now - number * step).rev().collect::<Vec<_>>();
        // Each second for two hours.
        let times = every(1_000, 7_200);
        let left = kept(&times, now).into_iter().filter(|kept| *kept).count();
        assert_eq!(left, NEWEST + 2, "the newest, and the last of each of the two hours before");
        // Each quarter of an hour for sixty days.
        let times = every(900_000, 96 * 60);
        let kept = kept(&times, now);
        let left: Vec<i64> = times.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(time, _)| *time).collect();
        assert!(left.len() < 24 + 24 + 31, "{}", left.len());
        assert!(left.first().is_some_and(|oldest| (now - oldest) / DAY_MS >= 29));
        let gap = left.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert_eq!(gap, Some(DAY_MS));
    }
}
