//! A part of a write that may fail alone.

use diesel::connection::SimpleConnection;

use crate::{Conn, Result};

/// Runs `f` inside the transaction that is under way; what it wrote is undone when it fails, and the transaction goes
/// on either way.
pub fn savepoint<T>(conn: &mut Conn, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
    conn.batch_execute("SAVEPOINT part")?;
    let done = f(conn);
    if done.is_err() {
        conn.batch_execute("ROLLBACK TO SAVEPOINT part")?;
    }
    conn.batch_execute("RELEASE SAVEPOINT part")?;
    done
}

#[cfg(test)]
mod tests {
    use base::problem::Problem;
    use diesel::{QueryDsl as _, RunQueryDsl as _};

    use super::*;
    use crate::{DatabaseUrl, Db, Options};

    diesel::table! {
        t (id) {
            id -> BigInt,
        }
    }

    fn insert(conn: &mut Conn, id: i64) -> Result<()> {
        use diesel::ExpressionMethods as _;
        diesel::insert_into(t::table).values(t::id.eq(id)).execute(conn)?;
        Ok(())
    }

    #[test]
    fn a_part_that_fails_is_undone_alone() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            conn.batch_execute("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")?;
            savepoint(conn, |conn| insert(conn, 1))?;
            let refused = savepoint(conn, |conn| {
                insert(conn, 2)?;
                savepoint(conn, |conn| insert(conn, 3))?;
                Err::<(), _>(Problem::invalid("no").into())
            });
            assert!(refused.is_err());
            assert!(savepoint(conn, |conn| insert(conn, 1)).is_err());
            insert(conn, 4)
        })
        .unwrap();
        let ids: Vec<i64> = db.read_here(|conn| Ok(t::table.select(t::id).order(t::id).load(conn)?)).unwrap();
        assert_eq!(ids, [1, 4]);
    }
}
