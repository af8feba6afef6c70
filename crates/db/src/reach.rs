//! Waits for a database that is not there yet.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::Bool};

use crate::{Conn, Error, Result, backend, tls, url::DatabaseUrl};

/// Between two attempts, and between two lines of the log that say so.
const AGAIN: Duration = Duration::from_millis(500);
const TELL_AGAIN: Duration = Duration::from_secs(10);

/// Waits until a Postgres answers that takes writes: it may start at the same time as this, or be a standby that is
/// about to take the place of another. A file is there or is not.
///
/// # Errors
/// What was wrong the last time, when the patience is at its end, or when waiting does not help ([`Error::may_pass`]).
pub fn wait_until_it_answers(url: &DatabaseUrl, patience: Duration) -> Result<()> {
    let DatabaseUrl::Postgres(_) = url else { return Ok(()) };
    let (reached, _tunnel) = tls::through(url)?;
    wait(patience, || refuse_standby(&mut backend::connect(&reached.without_sessions())?))
}

fn refuse_standby(conn: &mut Conn) -> Result<()> {
    let found: Role = sql_query("SELECT pg_is_in_recovery() AS standby").get_result(conn)?;
    if found.standby { Err(Error::Unavailable("it is a standby, which takes no writes".to_owned())) } else { Ok(()) }
}

#[derive(QueryableByName)]
struct Role {
    #[diesel(sql_type = Bool)]
    standby: bool,
}

fn wait(patience: Duration, mut connect: impl FnMut() -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let mut told: Option<Instant> = None;
    loop {
        let Err(error) = connect() else { return Ok(()) };
        let left = patience.saturating_sub(begun.elapsed());
        if left.is_zero() || !error.may_pass() {
            return Err(error);
        }
        if told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
            told = Some(Instant::now());
            tracing::warn!(%error, seconds_left = left.as_secs(), "waiting for the database");
        }
        thread::sleep(AGAIN.min(left));
    }
}

#[cfg(test)]
mod tests {
    use crate::Error;

    use super::*;

    fn away(text: &str) -> Error {
        Error::Unavailable(text.to_owned())
    }

    #[test]
    fn a_database_that_starts_is_waited_for_and_a_refusal_is_not() {
        let mut attempts = 0;
        let mut third = || {
            attempts += 1;
            if attempts < 3 { Err(away("FATAL: the database system is starting up")) } else { Ok(()) }
        };
        wait(Duration::from_secs(60), &mut third).unwrap();
        assert_eq!(attempts, 3);
        let begun = Instant::now();
        for text in ["FATAL: password authentication failed for user \"u\"", "FATAL: database \"d\" does not exist"] {
            assert!(wait(Duration::from_secs(60), || Err(away(text))).is_err());
        }
        assert!(wait(Duration::ZERO, || Err(away("connection refused"))).is_err());
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
