//! Backfills: what migrations added is filled in the background, in small steps, while gateways work.
//!
//! A domain declares a [`Backfill`] beside its migrations. How far it is stands in the table `backfills`, and moves on
//! in the transaction of each step: one that was cut off goes on where it was. It goes over all rows while no gateway
//! is there that stores rows without what is new. When one comes in the midst of it, or after its end, the database
//! lets it begin again (`presence`), so that it is finished only by a pass after the last of them.

use std::time::{Duration, Instant};

use diesel::{prelude::*, sql_query, sql_types::Text};

use crate::{
    Backend, Conn, Db, Lock, Presence, Result,
    migrate::{Count, has_table},
    presence,
};

diesel::table! {
    backfills (name) {
        name -> Text,
        cursor -> Text,
        done -> BigInt,
        started_ms -> BigInt,
        finished_ms -> Nullable<BigInt>,
        known -> BigInt,
    }
}

/// Held during a step, so that one gateway at a time does them.
static LOCK: Lock = Lock::only("backfills");

/// How many rows a step does where nobody waits for it.
const AT_ONCE: usize = 1_000;

/// What fills rows that were there before a migration. It stays declared as long as a migration names it that takes
/// away what it reads, and then reads and writes the tables as they were before that migration.
#[derive(Clone, Copy)]
pub struct Backfill {
    /// In the table, in metrics and for people, such as `alerts-acknowledged`. It must never change.
    pub name: &'static str,
    /// How many rows are behind a cursor; an empty one is before the first row.
    pub left: fn(&mut Conn, cursor: &str) -> Result<i64>,
    /// Takes the locks that a step behind a cursor needs. How long it waits for them is not a part of the step.
    pub lock: fn(&mut Conn, cursor: &str) -> Result<()>,
    /// Does so many rows behind a cursor at most. It has to do no harm to rows that are filled already.
    pub step: fn(&mut Conn, cursor: &str, most: usize) -> Result<BackfillStep>,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackfillStep {
    /// How many rows it looked at.
    pub rows: usize,
    /// Behind which row to go on; `None` when there was none any more.
    pub cursor: Option<String>,
}

/// How far a backfill is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Queryable)]
pub struct BackfillProgress {
    /// Behind which row it goes on.
    pub cursor: String,
    /// How many rows it has looked at.
    pub done: i64,
    /// When it began, in milliseconds since 1970; 0 before that.
    pub started_ms: i64,
    /// When it came to its end.
    pub finished_ms: Option<i64>,
}

impl Db {
    /// Does a step of a backfill that is as far as `expected`. Answers how far it is then, and for how long the step
    /// held its locks before the commit; `None` when it is elsewhere, since another gateway is at it or an older one
    /// came, and when an older one is there.
    pub fn step_backfill(
        &self,
        presence: &Presence,
        backfill: &Backfill,
        expected: &BackfillProgress,
        most: usize,
        now_ms: i64,
    ) -> Result<Option<(BackfillProgress, Duration)>> {
        let (backfill, expected, known) = (*backfill, expected.clone(), presence.known());
        self.write_here(move |conn| {
            if !LOCK.try_take(conn)? {
                return Ok(None);
            }
            lock_progress(conn, backfill.name)?;
            if presence::is_older_there(conn, known)? || progress(conn, backfill.name)? != expected {
                return Ok(None);
            }
            (backfill.lock)(conn, &expected.cursor)?;
            let begun = Instant::now();
            Ok(Some((step(conn, &backfill, expected, known, most, now_ms)?, begun.elapsed())))
        })
    }

    /// How far a backfill is.
    pub fn backfill_progress(&self, name: &'static str) -> Result<BackfillProgress> {
        self.read_here(|conn| progress(conn, name))
    }
}

/// Does a backfill to its end, within the transaction that is under way.
pub(crate) fn finish(conn: &mut Conn, backfill: &Backfill) -> Result<()> {
    let now = format!("SELECT {} AS count", presence::now(Backend::of(conn)));
    let now_ms = sql_query(now).get_result::<Count>(conn)?.count;
    let mut at = progress(conn, backfill.name)?;
    while at.finished_ms.is_none() {
        (backfill.lock)(conn, &at.cursor)?;
        at = step(conn, backfill, at, 0, AT_ONCE, now_ms)?;
    }
    Ok(())
}

/// Keeps a backfill from beginning again.
pub(crate) fn close(conn: &mut Conn, name: &str) -> Result<()> {
    diesel::update(backfills::table.find(name)).set(backfills::known.eq(0)).execute(conn)?;
    Ok(())
}

/// A gateway that comes meanwhile lets the backfill begin again once the transaction is over. SQLite has one writer.
fn lock_progress(conn: &mut Conn, name: &str) -> Result<()> {
    if Backend::of(conn) == Backend::Postgres {
        sql_query("SELECT name FROM backfills WHERE name = $1 FOR UPDATE").bind::<Text, _>(name).execute(conn)?;
    }
    Ok(())
}

fn step(
    conn: &mut Conn,
    backfill: &Backfill,
    before: BackfillProgress,
    known: i64,
    most: usize,
    now_ms: i64,
) -> Result<BackfillProgress> {
    if before.finished_ms.is_some() {
        return Ok(before);
    }
    if before.started_ms == 0 {
        let row = (
            backfills::name.eq(backfill.name),
            backfills::cursor.eq(""),
            backfills::done.eq(0),
            backfills::started_ms.eq(now_ms),
            backfills::known.eq(known),
        );
        diesel::insert_into(backfills::table).values(row).execute(conn)?;
    }
    let BackfillStep { rows, cursor } = (backfill.step)(conn, &before.cursor, most)?;
    let is_finished = cursor.is_none();
    let after = BackfillProgress {
        cursor: cursor.unwrap_or(before.cursor),
        done: before.done.saturating_add(i64::try_from(rows).unwrap_or(i64::MAX)),
        started_ms: if before.started_ms == 0 { now_ms } else { before.started_ms },
        finished_ms: is_finished.then_some(now_ms),
    };
    diesel::update(backfills::table.find(backfill.name))
        .set((
            backfills::cursor.eq(&after.cursor),
            backfills::done.eq(after.done),
            backfills::finished_ms.eq(after.finished_ms),
        ))
        .execute(conn)?;
    Ok(after)
}

/// How far a backfill is; it has not begun in a database without the table.
pub(crate) fn progress_anywhere(conn: &mut Conn, name: &str) -> Result<BackfillProgress> {
    if has_table(conn, "backfills")? { progress(conn, name) } else { Ok(BackfillProgress::default()) }
}

/// How far a backfill is, in a database that has the table.
fn progress(conn: &mut Conn, name: &str) -> Result<BackfillProgress> {
    let row = backfills::table.find(name).select((
        backfills::cursor,
        backfills::done,
        backfills::started_ms,
        backfills::finished_ms,
    ));
    Ok(row.first(conn).optional()?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use diesel::{RunQueryDsl as _, sql_query};

    use super::*;
    use crate::{DatabaseUrl, Error, Options};

    /// Counts the ten rows of the counters that are called by a letter.
    const COUNTERS: Backfill = Backfill {
        name: "counters",
        left: |_, cursor| Ok(10 - cursor.parse::<i64>().unwrap_or(0)),
        lock: |_, _| Ok(()),
        step: |conn, cursor, most| {
            let from: usize = cursor.parse().unwrap_or(0);
            let to = (from + most).min(10);
            for number in from..to {
                sql_query(format!("INSERT INTO counters (name, value) VALUES ('row {number}', 1)")).execute(conn)?;
            }
            let is_broken = crate::kept_number(conn, "broken")?.is_some();
            if is_broken {
                return Err(Error::Fault("it was cut off".to_owned()));
            }
            Ok(BackfillStep { rows: to - from, cursor: (to < 10).then(|| to.to_string()) })
        },
    };

    #[test]
    fn a_backfill_goes_on_where_it_was_and_ends_once() {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
        let open = || Db::open(&url, Options::default()).unwrap();
        let db = open();
        db.migrate(&[]).unwrap();
        let presence = |db: &Db| Presence::new(db.clone(), "a".to_owned(), &[]);
        let step = |db: &Db, most, now_ms| {
            let expected = db.backfill_progress("counters").unwrap();
            db.step_backfill(&presence(db), &COUNTERS, &expected, most, now_ms).map(|done| done.unwrap().0)
        };
        assert_eq!(db.backfill_progress("counters").unwrap(), BackfillProgress::default());
        let first = step(&db, 4, 1_000).unwrap();
        assert_eq!((first.done, first.started_ms, first.finished_ms), (4, 1_000, None));
        let other = db.step_backfill(&presence(&db), &COUNTERS, &BackfillProgress::default(), 4, 1_500).unwrap();
        assert_eq!(other, None, "another gateway has done something since");
        // A step that fails leaves nothing.
        db.write_here(|conn| crate::keep_number(conn, "broken", 1)).unwrap();
        step(&db, 4, 2_000).unwrap_err();
        assert_eq!(db.backfill_progress("counters").unwrap(), first);
        let remove = "DELETE FROM counters WHERE name = 'broken'";
        db.write_here(move |conn| Ok(sql_query(remove).execute(conn)?)).unwrap();
        // Another process goes on: a row that it inserted twice would be refused.
        db.close();
        let db = open();
        assert_eq!(step(&db, 4, 3_000).unwrap().cursor, "8");
        let last = step(&db, 4, 4_000).unwrap();
        assert_eq!((last.done, last.started_ms, last.finished_ms), (10, 1_000, Some(4_000)));
        assert_eq!(step(&db, 4, 5_000).unwrap(), last, "it is over");
        assert_eq!((COUNTERS.left)(&mut crate::backend::connect(&url).unwrap(), "8").unwrap(), 2);
    }
}
