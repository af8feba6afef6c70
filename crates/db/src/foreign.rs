//! Tables of other programs in a database that has none of this one yet.

use std::collections::BTreeSet;

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::Text};

use crate::{Conn, Migrations, Result, UNFINISHED_MOVE};

const SQLITE: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
const POSTGRES: &str = "SELECT relname::text AS name FROM pg_class \
    WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(quote_ident(current_schema()))";

/// How many of them a message names.
const NAMED: usize = 3;

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The tables of a database in which no migration has run, by name.
pub(crate) fn tables(conn: &mut Conn) -> Result<BTreeSet<String>> {
    let text = if matches!(conn, Conn::Sqlite(_)) { SQLITE } else { POSTGRES };
    let found: Vec<Table> = sql_query(text).load(conn)?;
    let names = found.into_iter().map(|table| table.name);
    Ok(names.filter(|name| name != "__diesel_schema_migrations" && name != UNFINISHED_MOVE).collect())
}

/// Why migrations cannot run in a database with these tables: some have the names of tables that migrations make.
pub(crate) fn fault(tables: &BTreeSet<String>, domains: &[Migrations]) -> Option<String> {
    let texts = domains.iter().flat_map(|domain| domain.all).flat_map(|one| [one.sqlite, one.postgres]);
    let own: BTreeSet<&str> = texts.flat_map(created).collect();
    let both: Vec<&str> = tables.iter().map(String::as_str).filter(|name| own.contains(name)).collect();
    (!both.is_empty()).then(|| {
        format!(
            "it is a database of another program, with tables of the same names as those of Muster ({}): name another \
             database",
            named(&both)
        )
    })
}

/// The first of these names, and whether there are more.
pub(crate) fn named(names: &[&str]) -> String {
    let more = if names.len() > NAMED { ", …" } else { "" };
    names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ") + more
}

/// The tables that a migration makes.
fn created(text: &str) -> impl Iterator<Item = &str> {
    text.split("CREATE TABLE ").skip(1).filter_map(|rest| {
        let name = rest.trim_start_matches("IF NOT EXISTS ").split([' ', '(', '\n']).next()?;
        Some(name.trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOMAIN: Migrations = Migrations {
        domain: "things",
        all: &[crate::MigrationTexts {
            name: "things0001_things",
            sqlite: "CREATE TABLE things (id TEXT);\nCREATE TABLE IF NOT EXISTS \"parts\" (id TEXT)",
            postgres: "CREATE TABLE things (\n  id TEXT\n)",
        }],
        backfills: &[],
        partitioned: &[],
    };

    #[test]
    fn a_table_of_the_same_name_is_told_and_others_are_not() {
        let told = |names: &[&str]| fault(&names.iter().map(ToString::to_string).collect(), &[DOMAIN]);
        assert_eq!(told(&[]), None);
        assert_eq!(told(&["bookmarks", "thing"]), None);
        assert!(told(&["bookmarks", "things"]).is_some_and(|told| told.contains("(things)")));
        assert!(told(&["parts", "things"]).is_some_and(|told| told.contains("(parts, things)")));
    }
}
