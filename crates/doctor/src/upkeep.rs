//! What is found of a service that has run for a while: migrations, work that waits, backups, mail.

use std::{
    net::{TcpStream, ToSocketAddrs as _},
    path::Path,
    time::Duration,
};

use base::{duration, timestamp::Timestamp};
use db::{DatabaseUrl, Db, DueRows, Migrations, Options};

use crate::report::{Report, Severity};

/// Work that has waited for longer than this is stuck.
const STUCK_SECONDS: f64 = 900.0;

/// How many waits are told of: the longest.
const WAITS: usize = 10;

/// A backup is late after so many of its periods, or, where nobody says how often one is made, after a day.
const LATE_PERIODS: i64 = 3;
const DAY_MS: i64 = 86_400_000;

/// The name of a backup is of the next second, and clocks of machines differ a little.
const AHEAD_MS: i64 = 5_000;

/// How long a mail server may take to answer.
const CONNECT: Duration = Duration::from_secs(5);

impl Report {
    /// Has every migration run?
    pub fn migrations(&mut self, url: &DatabaseUrl, migrations: &[Migrations]) {
        const WHAT: &str = "migrations";
        match db::migration_state(url, migrations) {
            Ok(state) if state.pending.is_empty() => self.good(WHAT, format!("{} have run", state.applied.len())),
            Ok(state) => {
                let pending = state.pending.len();
                self.warning(WHAT, format!("{pending} are to run, and the next start does: muster migrate --plan"));
            }
            Err(error) => self.fault(WHAT, error.to_string().trim()),
        }
    }

    /// Does work wait for the workers in the background, which take these rows? What waits for less than a minute is
    /// well.
    pub fn queues(&mut self, url: &DatabaseUrl, rows: &[(&'static str, DueRows)], now: Timestamp) {
        const WHAT: &str = "queues";
        let measured = Db::open(url, Options { connections: 1, ..Options::default() }).and_then(|db| {
            rows.iter().for_each(|(worker, rows)| db.watch_due(worker, *rows));
            db.measure_waiting(now.millis())?;
            Ok(db.families())
        });
        let families = match measured {
            Ok(families) => families,
            Err(error) => return self.warning(WHAT, format!("they cannot be looked at: {}", error.to_string().trim())),
        };
        let mut waits: Vec<(f64, String)> = families
            .iter()
            .filter(|family| family.name == "background_waiting_seconds")
            .flat_map(|family| &family.values)
            .map(|(labels, seconds)| {
                let words: Vec<&str> = labels.iter().map(|(_, value)| &**value).collect();
                (*seconds, words.join(" of "))
            })
            .collect();
        waits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        if waits.is_empty() {
            self.good(WHAT, "nothing has waited for longer than a minute");
        }
        for (seconds, what) in waits.into_iter().take(WAITS) {
            let severity = if seconds > STUCK_SECONDS { Severity::Fault } else { Severity::Warning };
            self.add(severity, WHAT, format!("{what} has waited for {seconds:.0} seconds"));
        }
    }

    /// Is the directory of backups there? Says so where it is not.
    pub fn has_backup_directory(&mut self, directory: &Path) -> bool {
        let is_missing = matches!(directory.try_exists(), Ok(false));
        if is_missing {
            let shown = directory.display();
            self.warning("backup", format!("{shown} is not there: muster serve will make it at its next start"));
        }
        !is_missing
    }

    /// Is there a backup that is new enough? `newest` is when one was made, and its file; `every` how often one is to
    /// be.
    pub fn backup(&mut self, newest: Option<(Timestamp, &str)>, every: Option<Duration>, now: Timestamp) {
        const WHAT: &str = "backup";
        let Some((taken, file)) = newest else {
            return self.warning(WHAT, "none is known: muster serve --backup-to, or muster backup");
        };
        let period = every.and_then(|every| i64::try_from(every.as_millis()).ok());
        let age = (now.millis() - taken.millis()).max(0);
        let text = format!("the last is of {taken}: {file}");
        if taken.millis() > now.millis().saturating_add(AHEAD_MS) {
            let why = "which is to come: the clock was or is wrong, and no backup of now is the newest until then";
            self.warning(WHAT, format!("{text}, {why}"));
        } else if age > period.map_or(DAY_MS, |period| (period * LATE_PERIODS).max(60_000)) {
            let usual = period.map_or("a day".to_owned(), |period| format!("each {}", duration::text(period)));
            self.warning(WHAT, format!("{text}, and {usual} was to be expected"));
        } else if !Path::new(file).exists() {
            self.warning(WHAT, format!("{text}, which is not there any more"));
        } else {
            self.good(WHAT, text);
        }
    }

    /// Does a mail server answer there? `None` where none is set.
    pub fn mail(&mut self, server: Option<(&str, u16)>) {
        const WHAT: &str = "mail";
        let Some((host, port)) = server else { return self.good(WHAT, "no server is set") };
        let addresses = match (host, port).to_socket_addrs() {
            Ok(addresses) => addresses,
            Err(error) => return self.fault(WHAT, format!("{host} has no address: {error}")),
        };
        let mut last = "it has no address".to_owned();
        for address in addresses {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(_) => return self.good(WHAT, format!("{host}:{port} answers at {address}")),
                Err(error) => last = format!("{address}: {error}"),
            }
        }
        self.fault(WHAT, format!("{host}:{port} does not answer: {last}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_late_after_three_periods() {
        let now = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        let before = |minutes: i64| Timestamp::from_millis(now.millis() - minutes * 60_000);
        let worst = |newest: Option<(Timestamp, &str)>, every| {
            let mut report = Report::default();
            report.backup(newest, every, now);
            report.worst()
        };
        let quarter = Some(Duration::from_secs(900));
        assert_eq!(worst(Some((before(40), "/")), quarter), Severity::Good);
        assert_eq!(worst(Some((before(50), "/")), quarter), Severity::Warning);
        assert_eq!(worst(Some((before(50), "/")), None), Severity::Good);
        assert_eq!(worst(Some((before(50), "/nowhere/at/all")), None), Severity::Warning);
        assert_eq!(worst(Some((before(-1), "/")), quarter), Severity::Warning, "it is of a time to come");
        assert_eq!(worst(None, None), Severity::Warning);
    }
}
