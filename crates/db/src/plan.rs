//! What migrations would do to a database, before they run.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display, Formatter},
};

use diesel::{RunQueryDsl, sql_query};

use crate::{
    Backfill, BackfillProgress, Conn, DatabaseUrl, Migrations, Result, backend, backfill, contract, foreign, inspect,
    migrate::{self, Count, MigrationTexts, has_table},
    migration_text::on_sqlite,
    presence::{self, Gateway},
    tls,
};

/// The migrations of a database.
#[derive(Clone, Debug)]
pub struct MigrationState {
    /// Those that ran: the version, and the program that ran it where that is noted.
    pub applied: Vec<(String, Option<String>)>,
    /// Those that the next start would run, in their order.
    pub pending: Vec<PendingMigration>,
    /// Why this program cannot run on the database: a newer one has migrated it, or it is another program's.
    pub newer: Option<String>,
    /// What is filled in the background.
    pub backfills: Vec<BackfillState>,
    /// The gateways that run on a Postgres.
    pub gateways: Vec<Gateway>,
    /// How many migrations this program knows.
    pub known: i64,
}

/// A backfill of a database.
#[derive(Clone, Debug)]
pub struct BackfillState {
    /// [`Backfill::name`](crate::Backfill::name).
    pub name: &'static str,
    /// How far it is.
    pub progress: BackfillProgress,
    /// How many rows are left, as counted; `None` where they cannot be counted before the migrations have run.
    pub left: Option<i64>,
}

impl BackfillState {
    /// Counts what is left, also before the migration that makes the table of backfills.
    pub(crate) fn read(conn: &mut Conn, backfill: &Backfill) -> Result<Self> {
        let progress = backfill::progress_anywhere(conn, backfill.name)?;
        let left = match progress.finished_ms {
            Some(_) => Some(0),
            None => (backfill.left)(conn, &progress.cursor).ok(),
        };
        Ok(Self { name: backfill.name, progress, left })
    }
}

/// A migration that has not run.
#[derive(Clone, Debug)]
pub struct PendingMigration {
    /// The version, `_`, and what it is about.
    pub name: &'static str,
    /// What it does to tables, each once, in its order.
    pub steps: Vec<Step>,
    /// What keeps it from running now, on a Postgres in use.
    pub obstacle: Option<String>,
    /// The backfills that are done to their end before it, where nobody else writes.
    pub fills: Vec<BackfillState>,
}

/// What a migration does to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The table.
    pub table: String,
    /// What is done to it.
    pub kind: StepKind,
    /// How many rows the table has now; none where it is not there yet.
    pub rows: Option<i64>,
}

/// What is done to a table, and what that locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A new table.
    Create,
    /// Its columns change.
    Alter,
    /// A new index reads all of it.
    Index,
    /// A new index reads all of it while others write, on Postgres.
    IndexBesideWriters,
    /// Rows of it change, are added or removed.
    Rows,
    /// Its rows are read to see whether they keep to a rule.
    Check,
    /// It becomes the first of its partitions.
    Partition,
    /// Its rows are copied into another table.
    Copy,
    /// It is dropped.
    Drop,
}

impl StepKind {
    /// What waits meanwhile on Postgres. On SQLite every writer waits, whatever is done.
    pub fn lock(self) -> &'static str {
        match self {
            Self::Create => "locks nothing",
            Self::Alter | Self::Drop | Self::Partition => "reads and writes of it wait (ACCESS EXCLUSIVE)",
            Self::Index => "writes to it wait (SHARE)",
            Self::Rows => "writes to the same rows wait (ROW EXCLUSIVE)",
            Self::Copy | Self::Check | Self::IndexBesideWriters => "locks nothing that reads or writes rows",
        }
    }

    /// For how many seconds that may be, with so many rows: some figure for a small server, for comparison.
    pub fn seconds(self, rows: i64) -> i64 {
        match self {
            Self::Create | Self::Alter | Self::Drop | Self::Partition => 0,
            Self::Index | Self::IndexBesideWriters => rows / 300_000,
            Self::Check => rows / 1_000_000,
            Self::Copy => rows / 50_000,
            Self::Rows => rows / 20_000,
        }
    }
}

impl Display for StepKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "is made",
            Self::Alter => "is altered",
            Self::Index => "gets an index",
            Self::IndexBesideWriters => "gets an index beside writers",
            Self::Rows => "has rows changed",
            Self::Check => "has rows checked",
            Self::Partition => "is partitioned",
            Self::Copy => "is copied",
            Self::Drop => "is dropped",
        })
    }
}

/// Which migrations ran, and what those that did not would do; changes nothing. A SQLite file that is not there is an
/// empty database.
///
/// # Errors
/// When the database cannot be read.
pub fn migration_state(url: &DatabaseUrl, domains: &[Migrations]) -> Result<MigrationState> {
    let all = migrate::with_own(domains);
    let missing = matches!(url, DatabaseUrl::Sqlite(path) if !path.exists());
    if missing {
        let pending = all.iter().flat_map(|domain| domain.all);
        let pending = pending.map(|one| PendingMigration {
            name: one.name,
            steps: steps(&on_sqlite(one.sqlite)),
            obstacle: None,
            fills: Vec::new(),
        });
        let none = MigrationState {
            applied: Vec::new(),
            pending: pending.collect(),
            newer: None,
            backfills: Vec::new(),
            gateways: Vec::new(),
            known: presence::known(&all),
        };
        return Ok(none);
    }
    let (url, _tunnel) = tls::through(url)?;
    let mut conn = backend::connect(&url.without_sessions())?;
    let applied = migrate::applied_versions(&mut conn)?;
    let known: BTreeSet<&str> = applied.iter().map(|(version, _)| version.as_str()).collect();
    let left = all.iter().flat_map(|domain| domain.all).filter(|one| !known.contains(one.version()));
    let is_in_use = matches!(conn, Conn::Postgres(_)) && !applied.is_empty();
    let mut counted = BTreeMap::new();
    let mut pending = Vec::new();
    for one in left {
        let mut steps = steps(&text(one, &conn));
        for step in &mut steps {
            step.rows = match counted.get(&step.table) {
                Some(rows) => *rows,
                None => {
                    let rows = rows(&mut conn, &step.table)?;
                    counted.insert(step.table.clone(), rows);
                    rows
                }
            };
        }
        let (obstacle, fills) = match (is_in_use, applied.is_empty()) {
            (true, _) => (contract::obstacle(&mut conn, one, &all)?, Vec::new()),
            (false, true) => (None, Vec::new()),
            (false, false) => (None, contract::unfinished_backfills(&mut conn, one, &all)?),
        };
        pending.push(PendingMigration { name: one.name, steps, obstacle, fills });
    }
    let newer = match migrate::newer(&mut conn, &all)? {
        None if applied.is_empty() => {
            let tables = foreign::tables(&mut conn)?;
            let found = inspect::look(&mut conn, &url, 0)?.faults.into_iter().chain(foreign::fault(&tables, &all));
            Some(found.collect::<Vec<_>>().join("; ")).filter(|faults| !faults.is_empty())
        }
        newer => newer,
    };
    let backfills = all.iter().flat_map(|domain| domain.backfills);
    let backfills = match applied.is_empty() {
        true => Vec::new(),
        false => backfills.map(|backfill| BackfillState::read(&mut conn, backfill)).collect::<Result<_>>()?,
    };
    let gateways = presence::gateways(&mut conn)?;
    Ok(MigrationState { applied, pending, newer, backfills, gateways, known: presence::known(&all) })
}

fn text(migration: &MigrationTexts, conn: &Conn) -> String {
    match conn {
        Conn::Sqlite(_) => on_sqlite(migration.sqlite),
        Conn::Postgres(_) => migration.postgres.to_owned(),
    }
}

/// How many rows a table has, if it is there. Its name is a word of a migration.
fn rows(conn: &mut Conn, table: &str) -> Result<Option<i64>> {
    if !has_table(conn, table)? {
        return Ok(None);
    }
    Ok(Some(sql_query(format!("SELECT count(*) AS count FROM {table}")).get_result::<Count>(conn)?.count))
}

/// What the statements of a migration do to tables, each once.
fn steps(text: &str) -> Vec<Step> {
    let text: String =
        text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut found: Vec<Step> = Vec::new();
    let mut inside = false;
    for statement in text.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let upper: Vec<String> = words.iter().take(8).map(|word| word.to_ascii_uppercase()).collect();
        let heads: Vec<&str> = upper.iter().map(String::as_str).collect();
        // What a trigger or a function does, it does later.
        if inside {
            inside = !(heads.first() == Some(&"END") || statement.contains("$$"));
            continue;
        }
        let has_body = words.iter().any(|word| word.eq_ignore_ascii_case("BEGIN"));
        if heads.first() == Some(&"CREATE") && heads.contains(&"TRIGGER") && has_body
            || statement.matches("$$").count() == 1
        {
            inside = true;
            continue;
        }
        for (kind, table) in changes(&heads, &words) {
            let step = Step { table: table.to_owned(), kind, rows: None };
            if !found.contains(&step) {
                found.push(step);
            }
        }
    }
    found
}

/// What one statement does.
fn changes<'w>(heads: &[&str], words: &[&'w str]) -> Vec<(StepKind, &'w str)> {
    let behind = |word: &str| {
        let place = words.iter().position(|one| one.eq_ignore_ascii_case(word))? + 1;
        let rest = words.get(place..)?;
        let name = rest.iter().find(|one| !["IF", "NOT", "EXISTS"].contains(&one.to_ascii_uppercase().as_str()))?;
        let name = name.split(['(', ',', ')']).next()?.trim_matches('"');
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        plain.then_some(name)
    };
    let one = |kind, word: &str| behind(word).map(|table| (kind, table)).into_iter().collect();
    match heads {
        ["CREATE", "UNIQUE", "INDEX", "CONCURRENTLY", ..] | ["CREATE", "INDEX", "CONCURRENTLY", ..] => {
            one(StepKind::IndexBesideWriters, "ON")
        }
        // The functions of db0008_partitions.
        ["SELECT", call, ..] => {
            let kind = match call.split('(').next().unwrap_or_default() {
                "LIMIT_TO_FIRST_PARTITION" => StepKind::Alter,
                "CHECK_FIRST_PARTITION" | "CHECK_REFERENCES" => StepKind::Check,
                "PARTITION_BY_MONTH" => StepKind::Partition,
                _ => return Vec::new(),
            };
            words.iter().find_map(|word| word.split('\'').nth(1)).map(|table| (kind, table)).into_iter().collect()
        }
        ["CREATE", "TABLE", ..] => one(StepKind::Create, "TABLE"),
        ["CREATE", "UNIQUE", "INDEX", ..] | ["CREATE", "INDEX", ..] => one(StepKind::Index, "ON"),
        ["ALTER", "TABLE", ..] => one(StepKind::Alter, "TABLE"),
        ["DROP", "TABLE", ..] => one(StepKind::Drop, "TABLE"),
        ["UPDATE", ..] => one(StepKind::Rows, "UPDATE"),
        ["DELETE", "FROM", ..] => one(StepKind::Rows, "FROM"),
        ["INSERT", "INTO", ..] => {
            let into = behind("INTO").map(|table| (StepKind::Rows, table));
            into.into_iter().chain(behind("FROM").map(|table| (StepKind::Copy, table))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Db, Options};

    use super::*;

    #[test]
    fn what_a_migration_does_is_read_off_its_text() {
        let text = "-- Smaller rows; \nALTER TABLE log RENAME TO log_former;\nCREATE TABLE log (a TEXT);\n\
                    INSERT INTO log SELECT a FROM log_former;\nDROP TABLE log_former;\n\
                    CREATE UNIQUE INDEX IF NOT EXISTS log_a ON log (a);\nUPDATE users SET a = 1;\n\
                    CREATE TRIGGER t AFTER INSERT ON log BEGIN UPDATE other SET a = 1; DELETE FROM other; END;\n\
                    DELETE FROM \"old\" WHERE a = 1;\nSELECT check_first_partition('log');\n\
                    SELECT partition_by_month('log', 'at_ms', '');";
        let found: Vec<(String, StepKind)> = steps(text).into_iter().map(|step| (step.table, step.kind)).collect();
        let expected = [
            ("log", StepKind::Alter),
            ("log", StepKind::Create),
            ("log", StepKind::Rows),
            ("log_former", StepKind::Copy),
            ("log_former", StepKind::Drop),
            ("log", StepKind::Index),
            ("users", StepKind::Rows),
            ("old", StepKind::Rows),
            ("log", StepKind::Check),
            ("log", StepKind::Partition),
        ];
        assert_eq!(found, expected.map(|(table, kind)| (table.to_owned(), kind)));
    }

    #[test]
    fn what_is_pending_is_told_and_nothing_is_changed() {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("t.sqlite"));
        let before = migration_state(&url, &[]).unwrap();
        assert!(before.applied.is_empty() && !before.pending.is_empty());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        Db::open(&url, Options::default()).unwrap().migrate(&[]).unwrap();
        let after = migration_state(&url, &[]).unwrap();
        assert_eq!((after.applied.len(), after.pending.len()), (before.pending.len(), 0));
    }
}
