//! How much memory the regular expressions take that a tenant has stored, whichever domain keeps them: each of them has
//! to be compiled again and again, at everybody's cost.

use base::problem::Problem;
use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Conn, Lock, Result};

/// The most that the expressions of one tenant may take together, in bytes.
pub const MOST: i64 = 4 << 20;

/// What holds expressions: an event, a window, a group.
#[derive(Clone, Copy, Debug)]
pub struct Holder<'a> {
    /// The tenant that it belongs to.
    pub tenant_id: &'a str,
    /// What it is.
    pub kind: &'static str,
    /// Its id.
    pub id: &'a str,
}

#[derive(QueryableByName)]
struct Sum {
    #[diesel(sql_type = BigInt)]
    size: i64,
}

/// Notes how much the expressions of a holder take, in place of what was noted before.
///
/// # Errors
/// 409 when those of its tenant would together take more than [`MOST`].
pub fn keep(conn: &mut Conn, holder: Holder<'_>, size: usize) -> Result<()> {
    forget(conn, holder)?;
    if size == 0 {
        return Ok(());
    }
    Lock::of("expressions", holder.tenant_id).take(conn)?;
    let (sum, insert) = match conn {
        Conn::Sqlite(_) => (
            "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size FROM expression_sizes WHERE tenant_id = ?",
            "INSERT INTO expression_sizes (tenant_id, holder, id, size) VALUES (?, ?, ?, ?)",
        ),
        Conn::Postgres(_) => (
            "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size FROM expression_sizes WHERE tenant_id = $1",
            "INSERT INTO expression_sizes (tenant_id, holder, id, size) VALUES ($1, $2, $3, $4)",
        ),
    };
    let others: Sum = sql_query(sum).bind::<Text, _>(holder.tenant_id).get_result(conn)?;
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if others.size.saturating_add(size) > MOST {
        let detail = format!(
            "The regular expressions that a tenant has stored take at most {} KiB; with these it would be {} KiB.",
            MOST >> 10,
            others.size.saturating_add(size) >> 10
        );
        return Err(Problem::conflict(detail).into());
    }
    let row = sql_query(insert).bind::<Text, _>(holder.tenant_id).bind::<Text, _>(holder.kind);
    row.bind::<Text, _>(holder.id).bind::<BigInt, _>(size).execute(conn)?;
    Ok(())
}

/// Forgets a holder that is gone.
pub fn forget(conn: &mut Conn, holder: Holder<'_>) -> Result<()> {
    let text = match conn {
        Conn::Sqlite(_) => "DELETE FROM expression_sizes WHERE tenant_id = ? AND holder = ? AND id = ?",
        Conn::Postgres(_) => "DELETE FROM expression_sizes WHERE tenant_id = $1 AND holder = $2 AND id = $3",
    };
    let row = sql_query(text).bind::<Text, _>(holder.tenant_id).bind::<Text, _>(holder.kind);
    row.bind::<Text, _>(holder.id).execute(conn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{DatabaseUrl, Db, Error, Options};

    use super::*;

    #[test]
    fn a_tenant_has_its_share_and_others_theirs() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[]).unwrap();
        let put = |tenant_id: &'static str, id: &'static str, size: i64| {
            let holder = Holder { tenant_id, kind: "event", id };
            db.write_here(move |conn| keep(conn, holder, usize::try_from(size).unwrap()))
        };
        put("client_1", "a", MOST - 10).unwrap();
        put("client_1", "b", 10).unwrap();
        let refused = put("client_1", "c", 1).unwrap_err();
        assert!(matches!(refused, Error::Problem(_)), "{refused}");
        put("client_2", "c", MOST).unwrap();
        put("client_1", "b", 9).unwrap();
        put("client_1", "c", 1).unwrap();
        put("client_1", "a", 0).unwrap();
        put("client_1", "d", MOST - 10).unwrap();
    }
}
