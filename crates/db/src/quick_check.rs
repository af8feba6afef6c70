//! The check of a SQLite file, table by table, within a time.

use std::{
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::backup::{Access, IntegrityCheck, open_read_only};

/// The tables that have pages of their own, and that of the schema.
const TABLES: &str = "SELECT 'sqlite_schema' AS name, 1 AS rootpage UNION ALL \
    SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage";

/// How much of a file was checked and found sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedTables {
    /// Tables that were read, with their indexes.
    pub checked: usize,
    /// Tables that there are.
    pub all: usize,
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    #[expect(dead_code, reason = "the order of the union")]
    rootpage: i64,
}

enum Step {
    Tables(usize),
    Sound,
    Damaged(String),
}

/// Checks a database that a service may write to meanwhile, for at most this long. It reads one table after the other,
/// so that no snapshot holds up the service's log for the whole time, and writes nothing.
///
/// # Errors
/// What is wrong with it.
pub fn quick_check(file: &Path, longest: Duration) -> Result<CheckedTables, String> {
    within(file, Access::BesideWriters, longest)
}

/// As [`quick_check`], of a file that nobody writes, which has to be a database of this program.
///
/// # Errors
/// What is wrong with it.
pub fn quick_check_copy(copy: &Path, longest: Duration) -> Result<CheckedTables, String> {
    crate::backup::check_identity(copy)?;
    within(copy, Access::Alone, longest)
}

/// The thread that reads is left to itself when the time is over: it ends with the command.
fn within(file: &Path, access: Access, longest: Duration) -> Result<CheckedTables, String> {
    let (sender, steps) = channel();
    let file = file.to_owned();
    let check = move || {
        if let Err(wrong) = check_tables(&file, access, &sender) {
            let _ = sender.send(Step::Damaged(wrong));
        }
    };
    thread::Builder::new().name("quick check".to_owned()).spawn(check).map_err(|error| error.to_string())?;
    collect(&steps, Instant::now() + longest)
}

fn collect(steps: &Receiver<Step>, deadline: Instant) -> Result<CheckedTables, String> {
    let mut found = CheckedTables { checked: 0, all: 0 };
    loop {
        match steps.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Step::Tables(all)) => found.all = all,
            Ok(Step::Sound) => found.checked += 1,
            Ok(Step::Damaged(wrong)) => return Err(wrong),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(found),
        }
    }
}

fn check_tables(file: &Path, access: Access, steps: &Sender<Step>) -> Result<(), String> {
    let told = |error: diesel::result::Error| error.to_string();
    let mut conn = open_read_only(file, access).map_err(|error| error.to_string())?;
    let tables: Vec<Table> = sql_query(TABLES).load(&mut conn).map_err(told)?;
    let _ = steps.send(Step::Tables(tables.len()));
    for Table { name, .. } in tables {
        let text = format!("PRAGMA quick_check('{}')", name.replace('\'', "''"));
        let rows: Vec<IntegrityCheck> = sql_query(text).load(&mut conn).map_err(|error| format!("{name}: {error}"))?;
        match rows.as_slice() {
            [IntegrityCheck { quick_check }] if quick_check == "ok" => {}
            // A migration has removed it meanwhile.
            [] => {}
            [IntegrityCheck { quick_check }, ..] => return Err(format!("{name}: {quick_check}")),
        }
        if steps.send(Step::Sound).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs::OpenOptions, os::unix::fs::FileExt as _};

    use diesel::{Connection as _, SqliteConnection, connection::SimpleConnection as _};

    use super::*;

    fn file(directory: &Path) -> std::path::PathBuf {
        let file = directory.join("test.sqlite");
        let mut conn = SqliteConnection::establish(&file.to_string_lossy()).unwrap();
        conn.batch_execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE small (id INTEGER PRIMARY KEY); \
             CREATE TABLE \"it's\" (id INTEGER PRIMARY KEY, text TEXT); \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) \
             INSERT INTO \"it's\" SELECT i, hex(randomblob(64)) FROM n",
        )
        .unwrap();
        file
    }

    #[test]
    fn a_file_that_is_overwritten_in_the_middle_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let file = file(directory.path());
        let long = Duration::from_secs(60);
        assert_eq!(quick_check(&file, long), Ok(CheckedTables { checked: 3, all: 3 }));
        let middle = file.metadata().unwrap().len() / 2;
        OpenOptions::new().write(true).open(&file).unwrap().write_all_at(&[0x5a; 40_000], middle).unwrap();
        let wrong = quick_check(&file, long).unwrap_err();
        assert!(wrong.starts_with("it's: "), "{wrong}");
    }

    #[test]
    fn a_check_that_does_not_end_in_time_says_how_far_it_is() {
        let (sender, steps) = channel();
        sender.send(Step::Tables(3)).unwrap();
        sender.send(Step::Sound).unwrap();
        let deadline = Instant::now() + Duration::from_millis(20);
        assert_eq!(collect(&steps, deadline), Ok(CheckedTables { checked: 1, all: 3 }));
    }
}
