//! The texts of migrations: what each backend runs of them, and what they say of themselves.

use crate::MigrationTexts;

/// What on Postgres follows a column of text that is compared or sorted; on SQLite every column is compared so.
const COLLATION: &str = " COLLATE \"C\"";

/// What makes and drops an index on Postgres while others write to its table.
const CONCURRENTLY: &str = " CONCURRENTLY";

/// The line of a text each of whose statements is a transaction of its own, on a Postgres that gateways write to.
const STEPWISE: &str = "-- statement by statement";

/// Before the oldest program that may run beside a migration.
const CONTRACT: &str = "-- contract:";

/// Before the name of a backfill that has to be finished before a migration.
const BACKFILL: &str = "-- backfill:";

impl MigrationTexts {
    /// What the database notes of it: its name up to the first `_`.
    pub(crate) fn version(&self) -> &'static str {
        self.name.split('_').next().unwrap_or(self.name)
    }

    /// The oldest program that may run beside it; empty for any. A migration that takes something away from older
    /// programs says so in a line of its text: `-- contract: 0.2.0`.
    pub(crate) fn oldest_program(&self) -> &'static str {
        self.postgres.lines().find_map(|line| line.strip_prefix(CONTRACT)).map_or("", str::trim)
    }

    /// The backfills that have to be finished before it. Each has a line of its text:
    /// `-- backfill: alerts-acknowledged`.
    pub(crate) fn backfills(&self) -> impl Iterator<Item = &'static str> {
        self.postgres.lines().filter_map(|line| line.strip_prefix(BACKFILL)).map(str::trim)
    }

    /// Does it make an index beside writers, on Postgres? Then it is not in a transaction.
    pub(crate) fn is_concurrent(&self) -> bool {
        statements(self.postgres).iter().any(|statement| statement.contains(CONCURRENTLY))
    }

    /// Is each of its statements a transaction of its own, beside writers? A line says so: `-- statement by statement`.
    pub(crate) fn is_stepwise(&self) -> bool {
        self.postgres.lines().any(|line| line == STEPWISE)
    }
}

/// The statements of a text that has no functions.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    code.join("\n").split(';').filter(|one| !one.trim().is_empty()).map(str::to_owned).collect()
}

/// A text that both backends share, as SQLite gets it.
pub(crate) fn on_sqlite(text: &str) -> String {
    text.replace(COLLATION, "").replace(CONCURRENTLY, "")
}

/// A text as Postgres gets it in a transaction, in which no index is made beside writers.
pub(crate) fn in_transaction(text: &str) -> String {
    text.replace(CONCURRENTLY, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::is_older;

    #[test]
    fn a_text_says_what_it_takes_away_and_how_it_runs() {
        const ADDS: &str = "-- A column; indexed.\nALTER TABLE t ADD COLUMN a TEXT;\n";
        const TAKES: &str = "-- Not used since 0.1.0.\n-- contract: 0.1.0\nALTER TABLE t DROP COLUMN a;";
        const INDEX: &str =
            "-- An index; by a.\nDROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE INDEX CONCURRENTLY i ON t (a);";
        let of = |text| MigrationTexts { name: "things0001_a", sqlite: text, postgres: text };
        assert_eq!([ADDS, TAKES, INDEX].map(|text| of(text).oldest_program()), ["", "0.1.0", ""]);
        assert_eq!([ADDS, TAKES, INDEX].map(|text| of(text).is_concurrent()), [false, false, true]);
        assert_eq!(statements(INDEX).len(), 2);
        assert!(of("-- statement by statement\nSELECT f();").is_stepwise() && !of(INDEX).is_stepwise());
        assert!(!on_sqlite(INDEX).contains("CONCURRENTLY") && !in_transaction(INDEX).contains("CONCURRENTLY"));
        assert!(is_older("0.1.9", "0.2.0") && !is_older("0.10.0", "0.9.0") && !is_older("0.1.0", ""));
    }

    #[test]
    fn sqlite_gets_a_shared_text_without_collations() {
        let text = "CREATE TABLE t (a TEXT COLLATE \"C\" NOT NULL, b TEXT COLLATE \"C\");";
        assert_eq!(on_sqlite(text), "CREATE TABLE t (a TEXT NOT NULL, b TEXT);");
    }
}
