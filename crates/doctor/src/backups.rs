//! What is found of the backups of a SQLite database.

use std::{path::Path, time::Duration};

use backups::{Copy, Folder};
use base::{
    duration,
    timestamp::{DAY_MS, Timestamp},
};
use db::{CheckedTables, DatabaseUrl};

use crate::report::{Report, Severity};

const WHAT: &str = "backup";

/// A backup is late after so many of its periods, or, where nobody says how often one is made, after a day.
const LATE_PERIODS: i64 = 3;

/// The name of a backup is of the next second, and clocks of machines differ a little.
const AHEAD_MS: i64 = 5_000;

/// How long the newest backup is read to see whether it is good.
const LONGEST_CHECK: Duration = Duration::from_secs(10);

impl Report {
    /// Is there a backup that is new enough, and good? `folder` is where the service keeps them, and `every` how often
    /// it makes one; without a folder the note of the last `muster backup` says where that is.
    ///
    /// # Errors
    /// When the disk of the folder cannot be looked at.
    pub fn backups(
        &mut self,
        url: &DatabaseUrl,
        data_dir: &Path,
        folder: Option<(&Path, Duration)>,
        now: Timestamp,
    ) -> std::io::Result<()> {
        let database = match (url, folder) {
            (DatabaseUrl::Sqlite(database), _) => database,
            (DatabaseUrl::Postgres(_), Some(_)) => {
                let text = "--backup-to copies a SQLite file, and muster serve does not start with it on Postgres, \
                            which has programs of its own";
                self.fault(WHAT, text);
                return Ok(());
            }
            (DatabaseUrl::Postgres(_), None) => {
                self.good(WHAT, "Postgres has programs of its own, which are not asked");
                return Ok(());
            }
        };
        let Some((folder, every)) = folder else {
            match backups::noted(data_dir) {
                Some((taken, file)) => self.newest_backup(taken, Path::new(&file), None, database, now),
                None => self.warning(WHAT, "none is known: muster serve --backup-to, or muster backup"),
            }
            return Ok(());
        };
        let shown = folder.display();
        self.disk("disk of backups", folder)?;
        if matches!(folder.try_exists(), Ok(false)) {
            self.warning(WHAT, format!("{shown} is not there: muster serve will make it at its next start"));
            return Ok(());
        }
        if let Err(error) = tempfile::tempfile_in(folder) {
            self.fault(WHAT, format!("{shown} cannot be written: {error}"));
        }
        match Folder::at(folder).copies() {
            Err(error) => self.fault(WHAT, format!("{error:#}")),
            Ok(copies) => {
                let ahead = copies.iter().filter(|copy| is_ahead(copy.taken, now)).count();
                if ahead > 0 {
                    let text = format!("{ahead} in {shown} of a time that is yet to come: the clock was or is wrong");
                    self.warning(WHAT, format!("{text}, and muster restore takes one only where --at names its time"));
                }
                // The one that a restoration takes.
                match copies.into_iter().rfind(|copy| copy.taken <= backups::latest(now)) {
                    Some(Copy { path, taken }) => self.newest_backup(taken, &path, Some(every), database, now),
                    None if ahead > 0 => self.warning(WHAT, format!("{shown} holds no other backup")),
                    None => self.warning(WHAT, format!("{shown} holds no backup")),
                }
            }
        }
        Ok(())
    }

    /// Is the newest backup, of this time, late, gone, of another database, or damaged?
    fn newest_backup(
        &mut self,
        taken: Timestamp,
        file: &Path,
        every: Option<Duration>,
        database: &Path,
        now: Timestamp,
    ) {
        let shown = file.display();
        let text = format!("the last is of {taken}: {shown}");
        if !file.exists() {
            return self.warning(WHAT, format!("{text}, which is not there any more"));
        }
        let origins = (db::copy_origin(file), db::database_origin(&DatabaseUrl::Sqlite(database.to_owned())));
        if let (Some(one), Ok(Some(other))) = origins
            && one != other
        {
            return self.fault(WHAT, format!("{text}, which is of another database than {}", database.display()));
        }
        let text = match db::quick_check_copy(file, LONGEST_CHECK) {
            Err(wrong) => return self.fault(WHAT, format!("{text}, which is not good: {wrong}")),
            Ok(CheckedTables { checked, all }) if checked < all => {
                let seconds = LONGEST_CHECK.as_secs();
                format!("{text}; of it {checked} of {all} tables were checked in {seconds} seconds")
            }
            Ok(_) => text,
        };
        match lateness(taken, every, now) {
            Some(why) => self.warning(WHAT, format!("{text}, {why}")),
            None => self.add(Severity::Good, WHAT, text),
        }
    }
}

/// Is a backup of a time that is yet to come?
fn is_ahead(taken: Timestamp, now: Timestamp) -> bool {
    taken.millis() > now.millis().saturating_add(AHEAD_MS)
}

/// What is wrong with the time of the newest backup.
fn lateness(taken: Timestamp, every: Option<Duration>, now: Timestamp) -> Option<String> {
    let period = every.and_then(|every| i64::try_from(every.as_millis()).ok());
    if is_ahead(taken, now) {
        return Some("which is to come: the clock was or is wrong".to_owned());
    }
    let age = (now.millis() - taken.millis()).max(0);
    (age > period.map_or(DAY_MS, |period| (period * LATE_PERIODS).max(60_000))).then(|| {
        let usual = period.map_or("a day".to_owned(), |period| format!("each {}", duration::text(period)));
        format!("and {usual} was to be expected")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_late_after_three_periods() {
        let now = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        let before = |minutes: i64| Timestamp::from_millis(now.millis() - minutes * 60_000);
        let is_late = |minutes, every| lateness(before(minutes), every, now).is_some();
        let quarter = Some(Duration::from_secs(900));
        assert!(!is_late(40, quarter) && is_late(50, quarter));
        assert!(!is_late(50, None) && is_late(25 * 60, None));
        assert!(is_late(-1, quarter), "it is of a time to come");
    }

    #[test]
    fn the_backup_that_is_looked_at_is_the_one_that_would_be_restored() {
        let directory = tempfile::tempdir().unwrap();
        let now = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        let lines = || {
            let mut report = Report::default();
            let database = DatabaseUrl::Sqlite(directory.path().join("muster.sqlite"));
            let folder = Some((directory.path(), Duration::from_secs(900)));
            report.backups(&database, directory.path(), folder, now).unwrap();
            report.lines()
        };
        let add = |name: &str| std::fs::write(directory.path().join(name), "").unwrap();
        add("muster-20990101T000000Z.sqlite");
        let alone = lines();
        assert!(alone.contains("1 in ") && alone.contains("holds no other backup"), "{alone}");
        add("muster-20260101T000000Z.sqlite");
        let both = lines();
        assert!(both.contains("1 in ") && both.contains("the last is of 2026-01-01"), "{both}");
        add("muster-20261127T204501Z.sqlite");
        let fresh = lines();
        assert!(fresh.contains("the last is of 2026-11-27"), "{fresh}");
    }
}
