//! Integer ids that the interface asks for, given out inside the transaction that uses them, the same way on both databases.

use diesel::{OptionalExtension as _, QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt, sql_types::Text};

use crate::{Conn, Result};

#[derive(QueryableByName)]
struct Next {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// The next integer of the sequence `name`, counted from 1: for what few make and all may count, such as tenants.
/// Concurrent writers wait for each other; a rolled-back write gives its number back.
pub fn next_number(conn: &mut Conn, name: &'static str) -> Result<i64> {
    // The same text on both backends but for the placeholder.
    let text = match conn {
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) VALUES (?, 1) \
             ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) VALUES ($1, 1) \
             ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value"
        }
    };
    take(conn, text, name)
}

/// The next integer id of the sequence `name`: it ascends, and follows the tenths of seconds since 2026 unless more than ten a second
/// are made. All tenants share a sequence, and an id that counted would tell each of them how much the others make.
/// Concurrent writers wait for each other.
pub fn next_id(conn: &mut Conn, name: &'static str) -> Result<i64> {
    let text = match conn {
        // 2461041.5 is the Julian day of 2026-01-01.
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) \
             VALUES (?, max(1, CAST((julianday('now') - 2461041.5) * 864000 AS INTEGER))) \
             ON CONFLICT (name) DO UPDATE SET value = max(counters.value + 1, excluded.value) RETURNING value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) \
             VALUES ($1, GREATEST(1, FLOOR((EXTRACT(EPOCH FROM clock_timestamp()) - 1767225600) * 10)::bigint)) \
             ON CONFLICT (name) DO UPDATE SET value = GREATEST(counters.value + 1, excluded.value) RETURNING value"
        }
    };
    take(conn, text, name)
}

/// The number that is kept under a name, which is none of a sequence.
pub fn kept_number(conn: &mut Conn, name: &'static str) -> Result<Option<i64>> {
    let text = match conn {
        Conn::Sqlite(_) => "SELECT value FROM counters WHERE name = ?",
        Conn::Postgres(_) => "SELECT value FROM counters WHERE name = $1",
    };
    let found: Option<Next> = sql_query(text).bind::<Text, _>(name).get_result(conn).optional()?;
    Ok(found.map(|found| found.value))
}

/// Keeps a number under a name, in place of the former one.
pub fn keep_number(conn: &mut Conn, name: &'static str, value: i64) -> Result<()> {
    let text = match conn {
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        }
    };
    sql_query(text).bind::<Text, _>(name).bind::<BigInt, _>(value).execute(conn)?;
    Ok(())
}

fn take(conn: &mut Conn, text: &'static str, name: &'static str) -> Result<i64> {
    let next: Next = sql_query(text).bind::<Text, _>(name).get_result(conn)?;
    Ok(next.value)
}
