//! A result of any size, one row at a time, in constant memory.

use diesel::{
    RunQueryDsl,
    connection::SimpleConnection,
    deserialize::FromSqlRow,
    expression::QueryMetadata,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    query_dsl::LoadQuery,
    result::QueryResult,
};

use crate::{Backend, Conn, Result, Sql};

/// Rows that one round trip to Postgres brings.
const BATCH: usize = 1000;

/// Calls `each` with every row of `query`, in its order, inside the transaction that the caller has open
/// ([`Db::read`](crate::Db::read)). An error of `each` ends the walk.
///
/// SQLite steps through its own cursor. Postgres would send everything at once, so there the query is declared as a
/// cursor and fetched in batches.
pub fn for_each_row<Q, T, E>(
    conn: &mut Conn,
    query: Q,
    mut each: impl FnMut(T) -> std::result::Result<(), E>,
) -> std::result::Result<(), E>
where
    Q: Query + QueryFragment<Sql> + QueryId + for<'c> LoadQuery<'c, Conn, T>,
    Fetch<Q::SqlType>: for<'c> LoadQuery<'c, Conn, T>,
    Sql: QueryMetadata<Q::SqlType>,
    T: FromSqlRow<Q::SqlType, Sql>,
    E: From<crate::Error>,
{
    match Backend::of(conn) {
        Backend::Sqlite => {
            let rows =
                query.load_iter::<T, diesel::connection::DefaultLoadingMode>(conn).map_err(crate::Error::from)?;
            for row in rows {
                each(row.map_err(crate::Error::from)?)?;
            }
            Ok(())
        }
        Backend::Postgres => {
            let fail = |error: diesel::result::Error| E::from(crate::Error::from(error));
            Declare(query).execute(conn).map_err(fail)?;
            loop {
                let rows: Vec<T> = Fetch(std::marker::PhantomData::<Q::SqlType>).load(conn).map_err(fail)?;
                let last = rows.len() < BATCH;
                for row in rows {
                    each(row)?;
                }
                if last {
                    break;
                }
            }
            close(conn).map_err(E::from)
        }
    }
}

fn close(conn: &mut Conn) -> Result<()> {
    Ok(conn.batch_execute("CLOSE muster_rows")?)
}

/// `DECLARE … CURSOR FOR query`.
struct Declare<Q>(Q);

impl<Q: QueryFragment<Sql>> QueryFragment<Sql> for Declare<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("DECLARE muster_rows NO SCROLL CURSOR FOR ");
        self.0.walk_ast(out.reborrow())
    }
}

impl<Q> QueryId for Declare<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> RunQueryDsl<Conn> for Declare<Q> {}

/// `FETCH` of the next rows, with the columns of the declared query.
pub struct Fetch<ST>(std::marker::PhantomData<ST>);

impl<ST> QueryFragment<Sql> for Fetch<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql("FETCH 1000 FROM muster_rows");
        Ok(())
    }
}

impl<ST> QueryId for Fetch<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for Fetch<ST> {
    type SqlType = ST;
}

impl<ST> RunQueryDsl<Conn> for Fetch<ST> {}
