//! What a migration may do (ARCHITECTURE.md, "An upgrade"): the version before it runs beside it, and whoever writes
//! meanwhile does not wait for long. Read off the texts of the migrations.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::{files, read};

/// The last migration of each domain from before these rules. A domain that is not named here keeps to them from its
/// first one on.
const BASELINE: [(&str, u32); 12] = [
    ("access", 17),
    ("changes", 1),
    ("db", 5),
    ("incidents", 14),
    ("integrations", 5),
    ("inventory", 8),
    ("jobs", 6),
    ("kb", 6),
    ("maintenance", 3),
    ("outbox", 9),
    ("paging", 10),
    ("rosters", 10),
];

/// The tables that Postgres keeps in partitions by month, and the column that says which.
fn partitioned() -> Vec<(String, String)> {
    let texts = files("crates", "/up.sql").into_iter().filter(|path| path.contains("/migrations/postgres/"));
    let calls = texts.flat_map(|path| statements(&read(&path)));
    let names = calls.filter_map(|call| {
        let mut quoted = call.strip_prefix("SELECT partition_by_month(")?.split('\'').skip(1).step_by(2);
        Some((quoted.next()?.to_owned(), quoted.next()?.to_owned()))
    });
    names.collect()
}

/// Begins the line by which a migration says which version the last program needs that may run beside it.
const CONTRACT: &str = "-- contract: ";

/// Begins a line by which such a migration names a backfill that has to be finished before it.
const BACKFILL: &str = "-- backfill: ";

/// A statement that breaks programs of the version before, or makes them wait, and why. `made` are the tables that its
/// own migration makes: nobody has rows in those.
fn fault(statement: &str, made: &BTreeSet<String>) -> Option<(Kind, String)> {
    let upper = statement.to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let behind = |word: &str| {
        let place = words.iter().position(|one| *one == word)?;
        let rest = words.iter().skip(place + 1).find(|one| !["IF", "NOT", "EXISTS", "ONLY"].contains(*one))?;
        Some(rest.split('(').next().unwrap_or_default().to_ascii_lowercase())
    };
    let is_new = |table: Option<String>| table.is_some_and(|table| made.contains(&table));
    let has = |text: &str| upper.contains(text);
    let breaks = |why: &str| Some((Kind::Contract, why.to_owned()));
    let waits = |why: &str| Some((Kind::Always, why.to_owned()));
    match words.as_slice() {
        ["DROP", "TABLE", ..] => breaks("the version before reads or writes that table"),
        ["DROP", "INDEX", ..] if !has("CONCURRENTLY") => waits("DROP INDEX CONCURRENTLY lets others write"),
        ["ALTER", "TABLE", ..] if is_new(behind("TABLE")) => None,
        ["ALTER", "TABLE", ..] if has(" DROP CONSTRAINT ") || has(" DROP NOT NULL") => None,
        ["ALTER", "TABLE", ..] if has(" DROP ") => breaks("the version before uses that column"),
        ["ALTER", "TABLE", ..] if has(" RENAME ") => breaks("the version before knows the former name"),
        ["ALTER", "TABLE", ..] if has(" TYPE ") => {
            breaks("it rewrites all rows, and the version before knows the former type")
        }
        ["ALTER", "TABLE", ..] if has(" SET NOT NULL") => breaks("the version before may leave that column out"),
        ["ALTER", "TABLE", ..] if has(" ADD CONSTRAINT ") || has(" UNIQUE") || has(" CHECK") => {
            breaks("rows of the version before may not keep to a constraint")
        }
        ["ALTER", "TABLE", ..] if has(" NOT NULL") && !has(" DEFAULT ") => breaks("the version before leaves it out"),
        ["ALTER", "TABLE", ..] if default_of(&upper).is_some_and(|default| default.contains('(')) => {
            waits("a default that is computed is written into all rows at once")
        }
        ["CREATE", "UNIQUE", "INDEX", ..] if has(" ON ") && !has_key_of_partitions(&upper, behind("ON")) => {
            waits("an index of a table in partitions is unique with the column of the partitions alone")
        }
        // What begins with the primary key is unique with it.
        ["CREATE", "UNIQUE", "INDEX", "CONCURRENTLY", ..] if has("(TENANT_ID, ID, ") => None,
        ["CREATE", "UNIQUE", "INDEX", ..] if !is_new(behind("ON")) => breaks("rows that are there may not be unique"),
        ["CREATE", "INDEX", ..] if !has("CONCURRENTLY") && !is_new(behind("ON")) => {
            waits("CREATE INDEX CONCURRENTLY lets others write")
        }
        ["UPDATE", ..] => waits("rows that are there are filled by a backfill, in small steps"),
        ["DELETE", ..] => waits("rows that are there are removed in small steps, by a retention or a backfill"),
        ["INSERT", ..] if has(" SELECT ") => waits("rows that are there are copied by a backfill, in small steps"),
        _ => None,
    }
}

/// What helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Another version, by which nobody needs any more what is taken away.
    Contract,
    /// Another statement.
    Always,
}

/// Has a unique index the column by which its table is in partitions, where it is?
fn has_key_of_partitions(upper: &str, table: Option<String>) -> bool {
    let columns = upper.split_once('(').map(|(_, columns)| columns.to_ascii_lowercase()).unwrap_or_default();
    let named = |column: &str| columns.split(|one: char| !one.is_alphanumeric() && one != '_').any(|one| one == column);
    partitioned().iter().all(|(name, column)| Some(name) != table.as_ref() || named(column))
}

fn default_of(upper: &str) -> Option<&str> {
    Some(upper.split_once(" DEFAULT ")?.1.split(',').next().unwrap_or_default())
}

/// The statements of a text without those within functions and triggers, which run later.
fn statements(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    // What stands between two $$ is the body of a function.
    let outside: String = code.split("$$").step_by(2).collect::<Vec<_>>().join(" ");
    let mut is_trigger = false;
    for statement in outside.split(';').map(str::trim).filter(|one| !one.is_empty()) {
        let upper = statement.to_ascii_uppercase();
        if is_trigger {
            is_trigger = !upper.starts_with("END");
            continue;
        }
        is_trigger = upper.starts_with("CREATE TRIGGER") && upper.contains("BEGIN");
        if !is_trigger {
            found.push(statement.to_owned());
        }
    }
    found
}

/// What is wrong with the text of a migration.
fn faults(text: &str) -> Vec<String> {
    let statements = statements(text);
    let made: BTreeSet<String> = statements
        .iter()
        .filter_map(|one| one.strip_prefix("CREATE TABLE "))
        .map(|rest| rest.split(['(', ' ', '\n']).next().unwrap_or_default().to_owned())
        .collect();
    let contract = text.lines().find_map(|line| line.strip_prefix(CONTRACT));
    let mut found = Vec::new();
    if contract.is_some_and(|version| version.split('.').count() != 3 || version.parse::<f64>().is_ok()) {
        found.push(format!("{CONTRACT}is followed by a version such as 0.2.0"));
    }
    if contract.is_none() && text.lines().any(|line| line.starts_with(BACKFILL)) {
        found.push(format!("{BACKFILL}is of a migration that has a line {CONTRACT}"));
    }
    for statement in &statements {
        match fault(statement, &made) {
            Some((Kind::Contract, _)) if contract.is_some() => {}
            Some((Kind::Contract, why)) => found.push(format!("{statement}: {why}: do it a version later")),
            Some((Kind::Always, why)) => found.push(format!("{statement}: {why}")),
            None => {}
        }
    }
    found
}

#[test]
fn migrations_let_the_version_before_run_beside_them() {
    let baseline: BTreeMap<&str, u32> = BASELINE.into_iter().collect();
    let mut wrong = Vec::new();
    for path in files("crates", "/up.sql").into_iter().filter(|path| !path.contains("/migrations/sqlite/")) {
        let name = path.rsplit('/').nth(1).unwrap_or_default();
        let version = name.split('_').next().unwrap_or_default();
        let domain = version.trim_end_matches(|last: char| last.is_ascii_digit());
        let number: u32 = version.strip_prefix(domain).and_then(|number| number.parse().ok()).expect("a number");
        if number > baseline.get(domain).copied().unwrap_or(0) {
            wrong.extend(faults(&read(&path)).into_iter().map(|fault| format!("{path}: {fault}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_breaks_the_version_before_is_found() {
    let waits = [
        "CREATE INDEX a ON alerts (x)",
        "DROP INDEX a",
        "UPDATE alerts SET x = 1",
        "DELETE FROM alerts",
        "INSERT INTO a SELECT 1 FROM alerts",
        "ALTER TABLE alerts ADD COLUMN x BIGINT NOT NULL DEFAULT (random())",
        "CREATE UNIQUE INDEX a ON alerts (x)",
    ];
    let breaks = [
        "DROP TABLE alerts",
        "ALTER TABLE alerts DROP COLUMN x",
        "ALTER TABLE alerts RENAME COLUMN x TO y",
        "ALTER TABLE alerts RENAME TO others",
        "ALTER TABLE alerts ALTER COLUMN x TYPE TEXT",
        "ALTER TABLE alerts ALTER COLUMN x SET NOT NULL",
        "ALTER TABLE alerts ADD COLUMN x TEXT NOT NULL",
        "ALTER TABLE alerts ADD CONSTRAINT c CHECK (x > 1)",
        "CREATE UNIQUE INDEX a ON incidents (x)",
        "CREATE UNIQUE INDEX a ON alerts (x, id)",
    ];
    let fine = [
        "CREATE TABLE t (\n    x TEXT NOT NULL\n); CREATE INDEX a ON t (x); ALTER TABLE t DROP COLUMN x",
        "ALTER TABLE alerts ADD COLUMN x TEXT",
        "ALTER TABLE alerts ADD COLUMN x TEXT COLLATE \"C\" NOT NULL DEFAULT ''",
        "CREATE INDEX CONCURRENTLY a ON alerts (x)",
        "CREATE UNIQUE INDEX CONCURRENTLY a ON alerts (tenant_id, id, x)",
        "-- DROP TABLE alerts;",
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; UPDATE c SET x = 1; END",
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM b; RETURN NULL; END $$",
        "INSERT INTO a (x) VALUES (1)",
    ];
    for text in waits.iter().chain(&breaks) {
        assert_eq!(faults(text).len(), 1, "{text}");
    }
    for text in fine {
        assert_eq!(faults(text), Vec::<String>::new(), "{text}");
    }
    let contract = |text: &str| faults(&format!("{CONTRACT}0.2.0\n{text};")).len();
    assert!(waits.iter().all(|text| contract(text) == 1) && breaks.iter().all(|text| contract(text) == 0));
    assert_eq!(faults("-- contract: soon\nDROP TABLE alerts").len(), 1);
    assert_eq!(faults("-- backfill: alerts-acknowledged\nALTER TABLE alerts ADD COLUMN x TEXT").len(), 1);
    assert_eq!(contract("-- backfill: alerts-acknowledged\nALTER TABLE alerts DROP COLUMN x"), 0);
}
