//! Positions in the log of Postgres: where the last write of a caller stands, and how far a replica has replayed.

use std::{
    fmt::{self, Display, Formatter},
    str::FromStr,
    thread,
    time::{Duration, Instant},
};

use diesel::{
    QueryableByName, RunQueryDsl as _, sql_query,
    sql_types::{BigInt, Bool, Text},
};

use crate::{Conn, Error, Result};

/// A note of a write is removed after this time: no replica is used that is so far behind.
const KEPT_MS: i64 = 3_600_000;

/// The first and the longest pause between two looks at how far a replica has replayed.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// A position in the log of a Postgres, which is written as Postgres writes it: `16/B374D848`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WritePosition(u64);

impl Display for WritePosition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

impl FromStr for WritePosition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let half = |text: &str| {
            let is_hex = (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| u64::from_str_radix(text, 16).ok()).flatten().ok_or(())
        };
        let (high, low) = text.split_once('/').ok_or(())?;
        Ok(Self(half(high)? << 32 | half(low)?))
    }
}

impl WritePosition {
    /// How many bytes of the log are between an earlier position and this one.
    pub fn bytes_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A caller, as a note of its last write names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerKey {
    /// The tenant that it belongs to.
    pub tenant: String,
    /// Its API key or session.
    pub key: String,
}

#[derive(QueryableByName)]
struct Position {
    #[diesel(sql_type = BigInt)]
    position: i64,
}

impl Position {
    fn read(&self) -> WritePosition {
        WritePosition(u64::try_from(self.position).unwrap_or_default())
    }
}

/// What stands in SQL for a position as a number.
macro_rules! number {
    ($position:literal) => {
        concat!("(", $position, " - '0/0'::pg_lsn)::bigint")
    };
}

/// The end of the log that is on the disk of a primary: all that was committed before is below it.
pub(crate) fn of_primary(conn: &mut Conn) -> Result<WritePosition> {
    let text = concat!("SELECT ", number!("pg_current_wal_flush_lsn()"), " AS position");
    Ok(sql_query(text).get_result::<Position>(conn)?.read())
}

/// Notes that a caller has written, after the commit, and says where that stands. Of two notes of one caller the later
/// one looks when it has the row to itself, so that none goes back.
pub(crate) fn note(conn: &mut Conn, caller: &CallerKey) -> Result<WritePosition> {
    let text = concat!(
        "INSERT INTO write_positions AS noted (tenant_id, caller, position, noted_ms) VALUES ($1, $2, ",
        number!("pg_current_wal_flush_lsn()"),
        ", (extract(epoch FROM clock_timestamp()) * 1000)::bigint) ON CONFLICT (tenant_id, caller) DO UPDATE SET \
         position = ",
        number!("pg_current_wal_flush_lsn()"),
        ", noted_ms = excluded.noted_ms RETURNING position"
    );
    let query = sql_query(text).bind::<Text, _>(&caller.tenant).bind::<Text, _>(&caller.key);
    Ok(query.get_result::<Position>(conn)?.read())
}

/// Notes for all callers that they have written, since the write of one of them could not be noted. That note is below
/// a tenant with an empty name, which none has.
pub(crate) fn raise_floor(conn: &mut Conn) -> Result<()> {
    note(conn, &CallerKey { tenant: String::new(), key: String::new() }).map(drop)
}

/// As [`raise_floor`], where that note is not there: the table is empty after a crash and at another primary.
pub(crate) fn lay_floor(conn: &mut Conn) -> Result<()> {
    let text = concat!(
        "INSERT INTO write_positions (tenant_id, caller, position, noted_ms) VALUES ('', '', ",
        number!("pg_current_wal_flush_lsn()"),
        ", (extract(epoch FROM clock_timestamp()) * 1000)::bigint) ON CONFLICT DO NOTHING"
    );
    sql_query(text).execute(conn)?;
    Ok(())
}

#[derive(QueryableByName)]
struct Note {
    #[diesel(sql_type = Bool)]
    is_floor: bool,
    #[diesel(sql_type = BigInt)]
    position: i64,
}

/// What a caller has to see of its own writes: where the last one stands, that any gateway has noted. [`None`] when
/// notes were lost.
pub(crate) fn noted(conn: &mut Conn, caller: &CallerKey) -> Result<Option<WritePosition>> {
    let text = "SELECT tenant_id = '' AS is_floor, position FROM write_positions \
                WHERE (tenant_id, caller) IN (($1, $2), ('', ''))";
    let query = sql_query(text).bind::<Text, _>(&caller.tenant).bind::<Text, _>(&caller.key);
    let notes: Vec<Note> = query.load(conn)?;
    let last = notes.iter().map(|note| note.position).max().filter(|_| notes.iter().any(|note| note.is_floor));
    Ok(last.map(|position| Position { position }.read()))
}

/// Removes the notes of callers that mean nothing any more.
pub(crate) fn sweep(conn: &mut Conn) -> Result<()> {
    let text = "DELETE FROM write_positions WHERE tenant_id <> '' \
                AND noted_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1";
    sql_query(text).bind::<BigInt, _>(KEPT_MS).execute(conn)?;
    Ok(())
}

#[derive(QueryableByName)]
struct Replayed {
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = BigInt)]
    position: i64,
}

/// How far a standby has replayed.
///
/// # Errors
/// Unavailable when it is not a standby any more: somebody may have promoted it, beside a primary that goes on.
pub(crate) fn replayed(conn: &mut Conn) -> Result<WritePosition> {
    let text = concat!(
        "SELECT pg_is_in_recovery() AS is_standby, coalesce(",
        number!("pg_last_wal_replay_lsn()"),
        ", 0) AS position"
    );
    let Replayed { is_standby, position } = sql_query(text).get_result(conn)?;
    if !is_standby {
        return Err(Error::Unavailable("it is not a standby any more".to_owned()));
    }
    Ok(Position { position }.read())
}

#[derive(QueryableByName)]
struct Age {
    #[diesel(sql_type = BigInt)]
    milliseconds: i64,
}

/// As [`replayed`], with how long ago the last transaction was committed that the standby has replayed.
pub(crate) fn replayed_with_age(conn: &mut Conn) -> Result<(WritePosition, Duration)> {
    let position = replayed(conn)?;
    let text = "SELECT coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 0) \
                ::bigint AS milliseconds";
    let age: Age = sql_query(text).get_result(conn)?;
    Ok((position, Duration::from_millis(u64::try_from(age.milliseconds).unwrap_or_default())))
}

/// Waits until a standby has replayed so far, on the connection that is read by then; `false` when the patience is at
/// its end.
pub(crate) fn wait_for_replay(conn: &mut Conn, least: WritePosition, patience: Duration) -> Result<bool> {
    let begun = Instant::now();
    let mut pause = FIRST_PAUSE;
    while replayed(conn)? < least {
        if begun.elapsed() + pause > patience {
            return Ok(false);
        }
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_position_is_read_as_it_is_written(number: u64, other: u64) {
            let position = WritePosition(number);
            prop_assert_eq!(position.to_string().parse(), Ok(position));
            prop_assert_eq!(position < WritePosition(other), number < other);
        }
    }

    #[test]
    fn what_is_not_a_position_is_refused() {
        for text in ["", "/", "1", "1/", "/1", "1/2/3", "-1/2", "+1/2", "123456789/0", "0/123456789", "g/0", "0/ 1"] {
            assert_eq!(text.parse::<WritePosition>(), Err(()), "{text}");
        }
        assert_eq!("16/B374D848".parse(), Ok(WritePosition(0x16_B374_D848)));
    }
}
