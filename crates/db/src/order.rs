//! The order of a list, the same on both backends, and the rows behind one of them.

use base::{cursor::Key, cursor::Refused, problem::Problem};
use diesel::{
    expression::{
        AppearsOnTable, Expression, SelectableExpression, ValidGrouping, expression_types::NotSelectable, is_aggregate,
    },
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
};

use crate::{Condition, Result, Sql};

/// What of a row a list is sorted by: a column with its table (`resources.name_key`), or an expression. It must never
/// be NULL, which the backends sort differently and which no comparison finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A text; on Postgres of the collation "C", so that both backends compare bytes.
    Text(&'static str),
    /// An integer.
    Integer(&'static str),
}

/// A total order of rows: by its columns, one after the other, all of them in one direction. The last ones identify a
/// row, so that no two are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    columns: Vec<Column>,
    descending: bool,
}

impl Column {
    const fn sql(self) -> &'static str {
        match self {
            Self::Text(sql) | Self::Integer(sql) => sql,
        }
    }
}

impl Order {
    /// By these columns.
    pub fn by(columns: impl IntoIterator<Item = Column>, descending: bool) -> Self {
        Self { columns: columns.into_iter().collect(), descending }
    }

    /// The rows behind the one that has these keys, an index range where the columns have an index. Without keys, all
    /// rows.
    ///
    /// # Errors
    /// 400 when the keys are not of these columns: somebody made the cursor up.
    pub fn after(&self, keys: Option<&[Key]>) -> Result<Condition> {
        let Some(keys) = keys else { return Ok(Condition::sql("1 = 1")) };
        let mut row = Condition::sql("(");
        let mut place = Condition::sql(if self.descending { ") < (" } else { ") > (" });
        if keys.len() != self.columns.len() {
            return Err(damaged_cursor());
        }
        for (index, (column, key)) in self.columns.iter().zip(keys).enumerate() {
            if index > 0 {
                row = row.then(", ");
                place = place.then(", ");
            }
            row = row.then(column.sql());
            place = match (column, key) {
                (Column::Text(_), Key::Text(text)) => place.text(text),
                (Column::Integer(_), Key::Integer(number)) => place.integer(*number),
                _ => return Err(damaged_cursor()),
            };
        }
        Ok(row.append(place).then(")"))
    }
}

/// 400: the keys of a cursor are not those of the list.
pub fn damaged_cursor() -> crate::Error {
    Problem::field("cursor", Refused::Damaged.message()).into()
}

impl QueryFragment<Sql> for Order {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                out.push_sql(", ");
            }
            out.push_sql(column.sql());
            if self.descending {
                out.push_sql(" DESC");
            }
        }
        Ok(())
    }
}

impl QueryId for Order {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for Order {
    type SqlType = NotSelectable;
}

impl<GB> ValidGrouping<GB> for Order {
    type IsAggregate = is_aggregate::Never;
}

impl<QS> AppearsOnTable<QS> for Order {}
impl<QS> SelectableExpression<QS> for Order {}

#[cfg(test)]
mod tests {
    use base::problem::Kind;
    use diesel::{QueryDsl as _, RunQueryDsl as _, connection::SimpleConnection as _};

    use super::*;
    use crate::{Conn, DatabaseUrl, Db, Error, Options};

    diesel::table! {
        t (id) {
            id -> BigInt,
            name -> Text,
        }
    }

    fn by_name(descending: bool) -> Order {
        Order::by([Column::Text("t.name"), Column::Integer("t.id")], descending)
    }

    fn page(conn: &mut Conn, order: &Order, keys: Option<&[Key]>) -> Result<Vec<(i64, String)>> {
        let query = t::table.filter(order.after(keys)?).limit(2).into_boxed::<Sql>();
        Ok(query.order(order.clone()).load(conn)?)
    }

    #[test]
    fn pages_follow_each_other_both_ways() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        let rows = "('b', 1), ('a', 2), ('a'' OR 1', 3), ('b', 4), ('', 5)";
        let sql = format!("CREATE TABLE t (name TEXT NOT NULL, id BIGINT NOT NULL); INSERT INTO t VALUES {rows}");
        db.write_here(move |conn| Ok(conn.batch_execute(&sql)?)).unwrap();
        for (descending, expected) in [(false, [5, 2, 3, 1, 4]), (true, [4, 1, 3, 2, 5])] {
            let order = by_name(descending);
            let mut found = Vec::new();
            let mut last = None::<Vec<Key>>;
            while let rows = db.read_here(|conn| page(conn, &order, last.as_deref())).unwrap()
                && let Some((id, name)) = rows.last()
            {
                last = Some(vec![Key::from(name), Key::from(*id)]);
                found.extend(rows.iter().map(|(id, _)| *id));
            }
            assert_eq!(found, expected, "descending: {descending}");
        }
    }

    #[test]
    fn keys_that_are_not_of_the_columns_are_refused() {
        let text = Key::Text("a".to_owned());
        let number = Key::Integer(1);
        for keys in [vec![], vec![text.clone()], vec![number.clone(), text.clone()], vec![text, number.clone(), number]]
        {
            let Err(Error::Problem(problem)) = by_name(false).after(Some(&keys)) else { panic!("{keys:?}") };
            assert_eq!((problem.kind, problem.errors[0].field_name.as_str()), (Kind::Invalid, "cursor"));
        }
    }
}
