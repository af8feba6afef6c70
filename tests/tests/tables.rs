//! The tables (ARCHITECTURE.md), read off the migrations: what they are keyed by, and that both databases have the
//! same.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::{TEMPLATE, files, read};

/// Tables whose key does not start with the tenant. This list may only shrink, but for tables of the database itself.
const KEYED_OTHERWISE: [(&str, &str); 6] = [
    ("backfills", "a row is the progress of a change of the whole database"),
    ("gateways", "a row is a process"),
    ("counters", "a row is a sequence of the whole database"),
    ("outbox_events", "SQLite counts a key of one column only; on Postgres it starts with the tenant"),
    ("tenants", "its id is the tenant"),
    ("tokens", "looked up by hash before the tenant is known"),
];

#[test]
fn every_primary_key_starts_with_the_tenant() {
    let mut all = BTreeSet::new();
    let mut otherwise = BTreeSet::new();
    for (_, sql) in migrations() {
        for table in tables(&sql) {
            if !table.lines.iter().any(|line| line.starts_with("PRIMARY KEY (tenant_id")) {
                otherwise.insert(table.name.clone());
            }
            all.insert(table.name);
        }
    }
    let excepted: BTreeSet<String> = KEYED_OTHERWISE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let wrong: Vec<_> = otherwise.difference(&excepted).collect();
    assert!(wrong.is_empty(), "the primary keys of {wrong:?} do not start with tenant_id");
    let stale: Vec<_> = excepted.intersection(&all).filter(|name| !otherwise.contains(*name)).collect();
    assert!(stale.is_empty(), "{stale:?} need no exception any more");
}

#[test]
fn both_backends_have_the_same_tables() {
    let mut backends: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for (path, sql) in migrations() {
        for backend in ["sqlite", "postgres"] {
            if ["both", backend].iter().any(|folder| path.contains(&format!("/migrations/{folder}/"))) {
                let known = backends.entry(backend).or_default();
                known.extend(tables(&sql).into_iter().map(|table| (table.name.clone(), table.columns())));
            }
        }
    }
    let sqlite = &backends["sqlite"];
    let postgres = &backends["postgres"];
    for (name, columns) in sqlite {
        assert_eq!(Some(columns), postgres.get(name), "{name}: SQLite on the left, Postgres on the right");
    }
    assert_eq!(sqlite.len(), postgres.len());
}

/// One that its crate does not name would never run; one text is enough where the backends differ in collations alone.
#[test]
fn migrations_are_named_by_their_crates_and_written_once() {
    for (path, sql) in migrations() {
        let mut pieces = path.rsplit('/').skip(1);
        let name = pieces.next().unwrap_or_default();
        let folder = pieces.next().unwrap_or_default();
        let (home, _) = path.split_once("/migrations/").unwrap_or_default();
        let of = if folder == "both" { "both" } else { "each" };
        let named = files(&format!("{home}/src"), ".rs")
            .iter()
            .any(|file| read(file).split("migrations!(").skip(1).any(|list| list.contains(&format!("{of} {name}"))));
        assert!(named, "{path}: {home} does not name `{of} {name}` in its `db::migrations!`");
        if folder == "postgres" {
            let back = path.replace("/up.sql", "/down.sql");
            let other = path.replace("/postgres/", "/sqlite/");
            let differ = |path: &str, other: &str| read(path).replace(" COLLATE \"C\"", "") != read(other);
            let differ = differ(&path, &other) || differ(&back, &back.replace("/postgres/", "/sqlite/"));
            assert!(differ, "{path}: one text in `migrations/both` does for both");
        }
        assert!(folder != "sqlite" || !sql.contains("COLLATE \"C\""), "{path}: SQLite has no such collation");
    }
}

#[test]
fn columns_have_types_that_both_backends_have() {
    const TYPES: [&str; 6] = ["BIGINT", "TEXT", "BOOLEAN", "DOUBLE", "BYTEA", COUNTED];
    for (path, sql) in migrations() {
        for column in tables(&sql).iter().flat_map(Table::columns) {
            let kind = column.split_whitespace().nth(1).unwrap_or_default();
            assert!(TYPES.contains(&kind), "{path}: {column}");
        }
    }
}

/// The migrations of both backends, by path.
fn migrations() -> Vec<(String, String)> {
    let all = [files("crates", "/up.sql"), files(TEMPLATE, "/up.sql")].concat();
    all.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

/// A table that a migration creates: its columns and constraints, one a line.
struct Table {
    name: String,
    lines: Vec<String>,
}

/// What stands for the type of a column that the database counts; each backend has words of its own.
const COUNTED: &str = "COUNTED";

impl Table {
    /// The columns, as both backends would have them.
    fn columns(&self) -> Vec<String> {
        const CONSTRAINTS: [&str; 4] = ["PRIMARY ", "FOREIGN ", "UNIQUE ", "CHECK "];
        let columns = self.lines.iter().filter(|line| !CONSTRAINTS.iter().any(|word| line.starts_with(word)));
        let plain = columns.map(|line| {
            let line = line.replace(" COLLATE \"C\"", "");
            line.replace("INTEGER PRIMARY KEY AUTOINCREMENT", COUNTED).replace("BIGSERIAL NOT NULL", COUNTED)
        });
        plain.collect()
    }
}

fn tables(sql: &str) -> Vec<Table> {
    let mut found = Vec::new();
    // What a function makes is what is there already, in parts.
    let outside: String = sql.split("$$").step_by(2).collect();
    for piece in outside.split("CREATE TABLE ").skip(1) {
        let (head, rest) = piece.split_once("(\n").unwrap_or_default();
        let body = rest.split_once("\n)").map_or(rest, |(body, _)| body);
        let lines = body.lines().map(|line| line.trim().trim_end_matches(',').to_owned()).collect();
        found.push(Table { name: head.trim().to_owned(), lines });
    }
    found
}
