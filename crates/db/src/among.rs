//! Rows by many keys, in a statement that stays prepared.

use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate},
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
    sql_types::{Bool, Text},
    sqlite::Sqlite,
};

/// `column IN (…)` with one value for all keys, so that the text does not depend on how many there are. To be used on
/// the connection of the backend itself ([`direct!`](crate::direct)). Keys are ids: letters, digits and hyphens.
#[derive(Clone, Debug)]
pub struct Among {
    column: &'static str,
    list: String,
    json: String,
}

impl Among {
    /// Rows whose column (with its table) is one of these ids. What no id looks like is nobody's.
    pub fn ids<'a>(column: &'static str, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut list = String::new();
        let mut json = String::from("[");
        let plain = |id: &&str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        for id in ids.into_iter().filter(plain) {
            if !list.is_empty() {
                list.push(',');
                json.push(',');
            }
            list.push_str(id);
            json.push('"');
            json.push_str(id);
            json.push('"');
        }
        json.push(']');
        Self { column, list, json }
    }
}

impl QueryFragment<Sqlite> for Among {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(self.column);
        out.push_sql(" IN (SELECT value FROM json_each(");
        out.push_bind_param::<Text, _>(&self.json)?;
        out.push_sql("))");
        Ok(())
    }
}

impl QueryFragment<Pg> for Among {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.column);
        out.push_sql(" = ANY(string_to_array(");
        out.push_bind_param::<Text, _>(&self.list)?;
        out.push_sql(", ','))");
        Ok(())
    }
}

// The column is a part of the text: there is none for all columns.
impl QueryId for Among {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for Among {
    type SqlType = Bool;
}

impl<GB> ValidGrouping<GB> for Among {
    type IsAggregate = is_aggregate::Never;
}

impl<QS> AppearsOnTable<QS> for Among {}
impl<QS> SelectableExpression<QS> for Among {}
