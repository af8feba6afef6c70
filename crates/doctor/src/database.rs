//! What is found of the database.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::PermissionsExt as _,
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{CheckedTables, DatabaseUrl, Inspection, Migrations};

use crate::report::Report;

const WHAT: &str = "database";

/// A clock that differs more than this from that of the database misleads the reader of any log.
const SKEW: i64 = 5_000;

/// How long the pages of a SQLite file are read to see whether they are sound.
const LONGEST_CHECK: Duration = Duration::from_secs(10);

impl Report {
    /// Does the database answer, would it keep what is acknowledged, and does this program know its tables? Gives what
    /// was found where it can be worked on.
    pub fn database(
        &mut self,
        url: &DatabaseUrl,
        connections: u32,
        migrations: &[Migrations],
        now: Timestamp,
    ) -> Option<Inspection> {
        let shown = url.without_password();
        if let DatabaseUrl::Sqlite(path) = url {
            match path.try_exists() {
                Ok(true) => {}
                Ok(false) => {
                    self.good(WHAT, format!("{shown} will be made"));
                    return None;
                }
                Err(error) => {
                    self.fault(WHAT, format!("{shown} cannot be read: {error}"));
                    return None;
                }
            }
            if let Err(error) = OpenOptions::new().append(true).open(path) {
                self.fault(WHAT, format!("{shown} cannot be written: {error}"));
                return None;
            }
            let mode = fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o777);
            if mode & 0o077 != 0 {
                self.warning(WHAT, format!("others may read {}, mode {mode:04o}: chmod 600", path.display()));
            }
        }
        let found = match db::inspect(url, connections, migrations) {
            Ok(found) => found,
            Err(error) => {
                self.fault(WHAT, format!("{shown}: {}", error.to_string().trim()));
                return None;
            }
        };
        for fault in &found.faults {
            self.fault(WHAT, format!("{shown}: {fault}"));
        }
        if found.faults.is_empty() {
            self.good(WHAT, format!("{shown} ({}); what is acknowledged is durable", found.server));
        }
        for warning in &found.warnings {
            self.warning(WHAT, format!("{shown}: {warning}"));
        }
        if found.is_empty {
            let why = match url {
                DatabaseUrl::Sqlite(_) => "the next start makes it anew, or it was copied without its -wal",
                DatabaseUrl::Postgres(_) => "the next start of muster serve makes its tables, or its name is mistyped",
            };
            self.warning(WHAT, format!("{shown} is empty: {why}"));
        }
        let skew = found.clock.map_or(0, |clock| (clock - now.millis()).abs());
        if skew > SKEW {
            self.warning(
                "clock",
                format!("that of the database, by which gateways go, differs by {} seconds", skew / 1000),
            );
        }
        (found.faults.is_empty() && !found.is_empty).then_some(found)
    }

    /// Are the pages of a SQLite file sound? They are read beside a service that runs, for ten seconds at most.
    pub fn pages(&mut self, url: &DatabaseUrl) {
        const WHAT: &str = "pages";
        let DatabaseUrl::Sqlite(path) = url else { return };
        let shown = path.display();
        match db::quick_check(path, LONGEST_CHECK) {
            Ok(CheckedTables { checked, all }) if checked < all => {
                let seconds = LONGEST_CHECK.as_secs();
                self.good(WHAT, format!("{checked} of {all} tables were read in {seconds} seconds, and are sound"));
            }
            Ok(CheckedTables { all, .. }) => self.good(WHAT, format!("all {all} tables are sound")),
            Err(wrong) => {
                self.fault(WHAT, format!("{shown} is damaged: {wrong}: keep a copy of it, and restore a backup"));
            }
        }
    }

    /// What is in the log beside a SQLite file is not in the file, which matters to who copies that.
    pub fn write_ahead_log(&mut self, url: &DatabaseUrl) {
        let DatabaseUrl::Sqlite(path) = url else { return };
        let log = db::beside(path, "-wal");
        let bytes = fs::metadata(&log).map_or(0, |found| found.len());
        if bytes > 0 {
            let log = log.display();
            let kib = bytes.div_ceil(1024);
            let text = format!(
                "a part of it is in {log} ({kib} KiB), while the service runs or after it was killed: a copy of the \
                 file alone lacks that; muster backup copies all"
            );
            self.warning(WHAT, text);
        }
    }
}
