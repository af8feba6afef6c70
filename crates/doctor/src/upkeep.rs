//! What is found of a service that has run for a while: migrations, work that waits, mail.

use std::fmt::Display;

use base::timestamp::Timestamp;
use db::{DatabaseUrl, Db, DueRows, Migrations, Options};

use crate::report::{Report, Severity};

/// Work that has waited for longer than this is stuck.
const STUCK_SECONDS: f64 = 900.0;

/// How many waits are told of: the longest.
const WAITS: usize = 10;

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

    /// Does the mail server, such as `mail.example.net:587`, greet as one, with TLS where that is to be?
    pub fn mail(&mut self, server: &str, greeted: Result<&str, impl Display>) {
        const WHAT: &str = "mail";
        match greeted {
            Ok(privacy) => self.good(WHAT, format!("{server} greets as a mail server does, {privacy}")),
            Err(error) => self.fault(WHAT, format!("{server}: {error}")),
        }
    }
}
