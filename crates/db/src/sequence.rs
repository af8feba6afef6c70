//! Integer ids that the interface asks for, given out inside the transaction that uses them.

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt, sql_types::Text};

use crate::{Conn, Result};

#[derive(QueryableByName)]
struct Next {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// The next integer of the sequence `name`, counted from `first`. Concurrent writers wait for each other; a
/// rolled-back write gives its number back.
pub fn next_id(conn: &mut Conn, name: &'static str, first: i64) -> Result<i64> {
    // The same text on both backends but for the placeholder.
    let text = match conn {
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) VALUES (?, ?) \
             ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) VALUES ($1, $2) \
             ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value"
        }
    };
    let next: Next = sql_query(text).bind::<Text, _>(name).bind::<BigInt, _>(first).get_result(conn)?;
    Ok(next.value)
}
