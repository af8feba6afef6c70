//! A part of a write that may fail alone.

use diesel::{
    QueryResult, RunQueryDsl,
    connection::SimpleConnection as _,
    query_builder::{AstPass, QueryFragment, QueryId},
    sqlite::Sqlite,
};

use crate::{Conn, Error, Result, after_commit};

/// A statement without parameters. SQLite keeps it prepared, where `batch_execute` would read its text each time, and
/// there are two for each write.
struct Plain(&'static str);

impl QueryId for Plain {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Sqlite> for Plain {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(self.0);
        Ok(())
    }
}

impl<C> RunQueryDsl<C> for Plain {}

fn execute(conn: &mut Conn, text: &'static str) -> Result<()> {
    match conn {
        Conn::Sqlite(conn) => Plain(text).execute(conn).map(drop)?,
        Conn::Postgres(conn) => conn.batch_execute(text)?,
    }
    Ok(())
}

/// Runs `f` inside the transaction that is under way; what it wrote is undone when it fails, and the transaction goes
/// on either way.
pub fn savepoint<T>(conn: &mut Conn, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
    part(conn, f, Result::is_ok)?
}

/// Names whose rows cannot be read, and why.
pub type UnreadableRows<N> = Vec<(N, Error)>;

/// Reads the rows of some names: of all together, and when that fails of each by itself. Answers with the rows that can
/// be read, and with the names of those that cannot.
///
/// # Errors
/// When the database is away.
pub fn read_each<N: Clone, R>(
    conn: &mut Conn,
    names: &[N],
    read: impl Fn(&mut Conn, &[N]) -> Result<Vec<R>>,
) -> Result<(Vec<R>, UnreadableRows<N>)> {
    match savepoint(conn, |conn| read(conn, names)) {
        Ok(rows) => return Ok((rows, Vec::new())),
        Err(error @ Error::Unavailable(_)) => return Err(error),
        Err(_) => {}
    }
    let mut rows = Vec::new();
    let mut unread = Vec::new();
    for name in names {
        match savepoint(conn, |conn| read(conn, std::slice::from_ref(name))) {
            Ok(found) => rows.extend(found),
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(error) => unread.push((name.clone(), error)),
        }
    }
    Ok((rows, unread))
}

/// Runs `f` inside the transaction that is under way, and undoes what it wrote unless what came of it is to be kept.
pub(crate) fn part<T>(conn: &mut Conn, f: impl FnOnce(&mut Conn) -> T, kept: impl FnOnce(&T) -> bool) -> Result<T> {
    execute(conn, "SAVEPOINT part")?;
    let actions = after_commit::count();
    let done = f(conn);
    if !kept(&done) {
        after_commit::undo_to(actions);
        execute(conn, "ROLLBACK TO SAVEPOINT part")?;
    }
    execute(conn, "RELEASE SAVEPOINT part")?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use base::problem::Problem;
    use diesel::QueryDsl as _;

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
