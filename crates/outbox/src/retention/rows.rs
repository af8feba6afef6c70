//! The selection of rows to remove, and their removal a few at a time.

use std::time::{Duration, Instant};

use db::{Backend, Conn, Error, Result};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};

use super::declared::Retention;

/// How much a step does.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// How long it should take at most.
    pub(super) step: Duration,
    /// How many rows go between two looks at the time: at first, and at most.
    pub(super) together: (usize, usize),
}

impl Pace {
    /// On SQLite everybody who writes waits for a step; with its commit it stays below 20 ms. On Postgres nobody does,
    /// and each statement is a way to the server and back: so few rows at a time that a busy server never gets through
    /// with them are too few.
    pub(super) const fn of(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self { step: Duration::from_millis(8), together: (1, 16) },
            Backend::Postgres => Self { step: Duration::from_millis(50), together: (64, 256) },
        }
    }
}

/// What a step did: how many rows are gone, and how many cannot be removed.
#[derive(Clone, Copy, Default)]
pub(super) struct RemovalCounts {
    pub(super) gone: usize,
    pub(super) kept: usize,
}

/// Removes rows until the time of a step that began then is over. They go a few at a time, since one may take a hundred
/// times as long as another: the time of the last few says little about the next. One that cannot be removed is passed
/// over, and logged by the caller.
pub(super) fn remove(
    conn: &mut Conn,
    retention: &Retention,
    tenant: &str,
    ids: &[String],
    (begun, pace): (Instant, Pace),
) -> Result<RemovalCounts> {
    let Pace { step, together: (mut together, most_together) } = pace;
    let mut done = RemovalCounts::default();
    while let Some(rest) = ids.get(done.gone + done.kept..).filter(|rest| !rest.is_empty()) {
        let part = Instant::now();
        let few = &rest[..together.min(rest.len())];
        let removed = db::savepoint(conn, |conn| match retention.remove {
            Some(remove) => remove(conn, tenant, few, together),
            None => delete(conn, retention, tenant, few),
        });
        match removed {
            Ok(gone) => done.gone += gone,
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(_) if few.len() == 1 => done.kept += 1,
            Err(_) => {
                together = 1;
                continue;
            }
        }
        let took = part.elapsed();
        let left = step.saturating_sub(begun.elapsed());
        if took > left {
            break;
        }
        if took * 2 < left {
            together = (together * 2).min(most_together);
        }
    }
    Ok(done)
}

/// Deletes the rows with these ids that still age.
fn delete(conn: &mut Conn, retention: &Retention, tenant: &str, ids: &[String]) -> Result<usize> {
    let Retention { table, id, only, .. } = retention;
    let places: Vec<_> = (2..).take(ids.len()).map(|place| format!("${place}")).collect();
    let places = places.join(", ");
    let query = sql_query(format!("DELETE FROM {table} WHERE tenant_id = $1 AND {id} IN ({places}) AND {only}"));
    let query = query.into_boxed::<db::Sql>().bind::<Text, _>(tenant);
    Ok(ids.iter().fold(query, |query, id| query.bind::<Text, _>(id)).execute(conn)?)
}

#[derive(QueryableByName)]
pub(super) struct Owner {
    #[diesel(sql_type = Text)]
    pub(super) tenant: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) oldest: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) surplus: Option<i64>,
}

#[derive(QueryableByName)]
struct RowId {
    #[diesel(sql_type = Text)]
    id: String,
}

/// The tenants that have rows at all, each with its oldest that ages, and the oldest of those that it may have by
/// their number. Each costs a few steps in an index, but for one that has too many.
pub(super) fn owners(conn: &mut Conn, retention: &Retention) -> Result<Vec<Owner>> {
    let Retention { table, since, only, .. } = retention;
    let surplus = match retention.most {
        Some(most) => format!(
            "(SELECT t.{since} FROM {table} t WHERE t.tenant_id = owners.id AND {only} ORDER BY t.{since} DESC LIMIT 1 \
             OFFSET {})",
            most.max(1) - 1
        ),
        None => "CAST(NULL AS BIGINT)".to_owned(),
    };
    let owners = db::owners(table, "1 = 1");
    let query = format!(
        "{owners} SELECT owners.id AS tenant, (SELECT t.{since} FROM {table} t WHERE t.tenant_id = owners.id AND \
         {only} ORDER BY \
         t.{since} LIMIT 1) AS oldest, {surplus} AS surplus FROM owners WHERE owners.id IS NOT NULL"
    );
    Ok(sql_query(query).load(conn)?)
}

/// The oldest rows of a tenant from before an instant. On Postgres they are held, and those that somebody else holds
/// are left for the next time.
pub(super) fn lock_oldest(
    conn: &mut Conn,
    retention: &Retention,
    tenant: &str,
    before_ms: i64,
    most: usize,
) -> Result<Vec<String>> {
    let Retention { table, id, since, only, .. } = retention;
    let held = match Backend::of(conn) {
        Backend::Sqlite => "",
        Backend::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let query = format!(
        "SELECT {id} AS id FROM {table} t WHERE t.tenant_id = $1 AND {only} AND t.{since} < $2 ORDER BY t.{since} \
         LIMIT \
         $3{held}"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows: Vec<RowId> =
        sql_query(query).bind::<Text, _>(tenant).bind::<BigInt, _>(before_ms).bind::<BigInt, _>(most).load(conn)?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}
