//! Queries whose statement stays prepared.

use diesel::{
    RunQueryDsl,
    backend::Backend,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
};

/// A query of rows whose text is the same each time, so that each connection prepares it once.
///
/// By itself diesel prepares a query of plain text anew for each call, as its text may differ, and looks at every
/// column of another to find out whether its text may. On SQLite preparing costs more than a row does. Without effect
/// on what is executed and has no rows, which diesel takes by reference and asks otherwise. Not for a text with as many
/// values as there are, since a connection keeps all texts; nor for `SELECT *` on Postgres, where a prepared one fails
/// once a migration has added a column.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<Q>(pub Q);

impl<Q, B> QueryFragment<B> for Prepared<Q>
where
    Q: QueryFragment<B>,
    B: Backend,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, B>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &B) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Q: QueryId> QueryId for Prepared<Q> {
    type QueryId = Prepared<Q::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: Query> Query for Prepared<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, C> RunQueryDsl<C> for Prepared<Q> {}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use diesel::{
        Connection as _, QueryableByName, SqliteConnection, connection::InstrumentationEvent, prelude::*, sql_query,
        sql_types::BigInt,
    };

    use super::*;
    use crate::Conn;

    #[derive(QueryableByName)]
    struct Number {
        #[diesel(sql_type = BigInt)]
        number: i64,
    }

    #[test]
    fn a_text_is_prepared_once_for_all_its_values() {
        let mut conn = Conn::Sqlite(SqliteConnection::establish(":memory:").unwrap());
        let kept = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&kept);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        let text = |number| sql_query("SELECT 10 * ? AS number").bind::<BigInt, _>(number);
        text(1).get_result::<Number>(&mut conn).unwrap();
        assert_eq!(kept.load(Ordering::Relaxed), 0, "diesel keeps them by itself: Prepared has become needless");
        for number in 2..5 {
            assert_eq!(Prepared(text(number)).get_result::<Number>(&mut conn).unwrap().number, 10 * number);
        }
        assert_eq!(kept.load(Ordering::Relaxed), 1, "through the connection of both backends");
        let Conn::Sqlite(own) = &mut conn else { unreachable!() };
        assert_eq!(Prepared(text(7)).get_result::<Number>(own).unwrap().number, 70);
        assert_eq!(kept.load(Ordering::Relaxed), 1, "it is the same text");
    }
}
