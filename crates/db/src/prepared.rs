//! Queries whose statement stays prepared.

use diesel::{
    RunQueryDsl,
    backend::Backend,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
};

/// A query whose text is the same each time, so that each connection prepares it once.
///
/// By itself diesel prepares an update and a query of plain text anew for each call, as their texts may differ, and
/// looks at every column of a query to find out whether its text may. On SQLite preparing costs more than a row does.
/// Not for a text with as many values as there are, since a connection keeps all texts; nor for `SELECT *` on Postgres,
/// where a prepared one fails once a migration has added a column.
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
        Connection as _, SqliteConnection,
        connection::{InstrumentationEvent, SimpleConnection as _},
        prelude::*,
        sql_query,
        sql_types::BigInt,
    };

    use super::*;

    diesel::table! {
        counters (id) {
            id -> BigInt,
            count -> BigInt,
        }
    }

    #[test]
    fn a_text_is_prepared_once_for_all_its_values() {
        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        conn.batch_execute("CREATE TABLE counters (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)").unwrap();
        let kept = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&kept);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        let insert = |id| sql_query("INSERT INTO counters VALUES (?, 0)").bind::<BigInt, _>(id);
        let update = |id: i64, count: i64| diesel::update(counters::table.find(id)).set(counters::count.eq(count));
        insert(1).execute(&mut conn).unwrap();
        update(1, 1).execute(&mut conn).unwrap();
        assert_eq!(kept.load(Ordering::Relaxed), 0, "diesel keeps them by itself: Prepared has become needless");
        for id in 2..5 {
            Prepared(insert(id)).execute(&mut conn).unwrap();
            Prepared(update(id, 10 * id)).execute(&mut conn).unwrap();
            let found = Prepared(counters::table.find(id).select(counters::count));
            assert_eq!(found.get_result(&mut conn), Ok(10 * id));
        }
        assert_eq!(kept.load(Ordering::Relaxed), 3);
    }
}
