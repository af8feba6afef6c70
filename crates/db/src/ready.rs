//! Waits for a database on which a service may start.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{DatabaseUrl, Error, Result, backend, moved, reach, tls};

/// Between two looks whether a move has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Waits until a Postgres answers and takes writes, and until a move into it has ended.
///
/// # Errors
/// What was wrong the last time, when the patience is at its end, or when waiting does not help ([`Error::may_pass`]).
pub fn wait_until_it_answers(url: &DatabaseUrl, patience: Duration) -> Result<()> {
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        let left = patience.saturating_sub(begun.elapsed());
        reach::wait_until_it_answers(url, left)?;
        let DatabaseUrl::Postgres(_) = url else { return Ok(()) };
        let Some(unfinished) = unfinished_move(url)? else { return Ok(()) };
        if left.is_zero() {
            return Err(Error::Unavailable(unfinished));
        }
        if !is_told {
            tracing::warn!(error = unfinished, seconds_left = left.as_secs(), "waiting for the database");
            is_told = true;
        }
        thread::sleep(LOOK_AGAIN.min(left));
    }
}

fn unfinished_move(url: &DatabaseUrl) -> Result<Option<String>> {
    let (url, _tunnel) = tls::through(url)?;
    moved::fault(&mut backend::connect(&url.without_sessions())?)
}
