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
