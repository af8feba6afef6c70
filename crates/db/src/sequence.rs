//! Integer ids that the interface asks for, given out inside the transaction that uses them, the same way on both
//! databases.

use diesel::{OptionalExtension as _, QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt, sql_types::Text};

use crate::{Conn, Lock, Result};

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

/// The next integer id of the sequence `name`: it ascends, and follows the microseconds since 2026. All tenants share a
/// sequence, and an id that counted would tell each of them how much the others make: nobody makes more than one in a
/// microsecond, so that an id tells when it was made and nothing else. Concurrent writers wait for each other.
pub fn next_id(conn: &mut Conn, name: &'static str) -> Result<i64> {
    let text = match conn {
        // 2461041.5 is the Julian day of 2026-01-01.
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) \
             VALUES (?, max(1, CAST((julianday('now') - 2461041.5) * 86400000000 AS INTEGER))) \
             ON CONFLICT (name) DO UPDATE SET value = max(counters.value + 1, excluded.value) RETURNING value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) \
             VALUES ($1, GREATEST(1, FLOOR((EXTRACT(EPOCH FROM clock_timestamp()) - 1767225600) * 1000000)::bigint)) \
             ON CONFLICT (name) DO UPDATE SET value = GREATEST(counters.value + 1, excluded.value) RETURNING value"
        }
    };
    take(conn, text, name)
}

/// The next id of ten digits for a tenant, in the sequence `name`: it ascends, and follows the tenths of seconds since
/// 2026 unless the tenant makes more than one a second. Each tenant has its own, which others do not move. What
/// `is_taken` finds in use at another is left out, which nobody notices: every step is left to chance. Concurrent
/// writers wait for each other.
pub fn next_short_id(
    conn: &mut Conn,
    name: &'static str,
    tenant: &str,
    mut is_taken: impl FnMut(&mut Conn, i64) -> Result<bool>,
) -> Result<i64> {
    let text = match conn {
        Conn::Sqlite(_) => {
            "INSERT INTO counters (name, value) \
             VALUES (?, max(1, CAST((julianday('now') - 2461041.5) * 864000 AS INTEGER)) + abs(random() % 16)) \
             ON CONFLICT (name) DO UPDATE SET value = max(counters.value + 1 + abs(random() % 16), excluded.value) \
             RETURNING value"
        }
        Conn::Postgres(_) => {
            "INSERT INTO counters (name, value) \
             VALUES ($1, GREATEST(1, FLOOR((EXTRACT(EPOCH FROM clock_timestamp()) - 1767225600) * 10)::bigint) \
                 + FLOOR(random() * 16)::bigint) \
             ON CONFLICT (name) DO UPDATE SET value = \
                 GREATEST(counters.value + 1 + FLOOR(random() * 16)::bigint, excluded.value) \
             RETURNING value"
        }
    };
    Lock::of("ids", name).take(conn)?;
    let of_tenant = format!("{name}/{tenant}");
    loop {
        let next = take(conn, text, &of_tenant)?;
        if !is_taken(conn, next)? {
            return Ok(next);
        }
    }
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

fn take(conn: &mut Conn, text: &'static str, name: &str) -> Result<i64> {
    let next: Next = sql_query(text).bind::<Text, _>(name).get_result(conn)?;
    Ok(next.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DatabaseUrl, Db, Options};

    #[test]
    fn ids_tell_nobody_how_many_others_make() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[]).unwrap();
        db.write_here(|conn| {
            let first = next_short_id(conn, "things", "client_1", |_, _| Ok(false))?;
            let theirs: Vec<i64> = (0..1_000)
                .map(|_| next_short_id(conn, "things", "client_2", |_, _| Ok(false)))
                .collect::<Result<_>>()?;
            assert!(theirs.is_sorted_by(|one, next| one < next));
            // As long as that took, and not a thousand.
            let second = next_short_id(conn, "things", "client_1", |_, _| Ok(false))?;
            assert!(first < second && second - first < 500, "{first} {second}");
            // What another has is left out.
            let third = next_short_id(conn, "things", "client_1", |_, id| Ok(id <= second + 1_000))?;
            assert!((second + 1_001..second + 1_020).contains(&third), "{second} {third}");
            let many: Vec<i64> = (0..1_000).map(|_| next_id(conn, "sites")).collect::<Result<_>>()?;
            assert!(many.is_sorted_by(|one, next| one < next));
            Ok(())
        })
        .unwrap();
    }
}
