//! A whole query whose text is put together at run time, as a condition is.

use std::marker::PhantomData;

use diesel::{
    RunQueryDsl,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
};

use crate::{Condition, Conn, Sql};

/// A query whose rows have the types `ST`, for what is joined with rows that diesel does not know.
#[derive(Clone, Debug)]
pub struct SqlQuery<ST> {
    text: Condition,
    rows: PhantomData<ST>,
}

impl<ST> SqlQuery<ST> {
    /// The query of this text.
    pub fn of(text: Condition) -> Self {
        Self { text, rows: PhantomData }
    }
}

impl<ST> QueryFragment<Sql> for SqlQuery<ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        self.text.walk_ast(out)
    }
}

impl<ST> QueryId for SqlQuery<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for SqlQuery<ST> {
    type SqlType = ST;
}

impl<ST> RunQueryDsl<Conn> for SqlQuery<ST> {}
