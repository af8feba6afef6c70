//! The sort orders of a list, declared once: the names that requests use, the columns, and the keys of a row.

use base::{Key, query::Sort};

use crate::{Column, Order};

/// One thing that a list of `R` may be sorted by.
pub struct SortBy<R> {
    name: &'static str,
    column: Column,
    key: fn(&R) -> Key,
}

impl<R> SortBy<R> {
    /// By a text of the row, which stands in this column.
    pub const fn text(name: &'static str, column: &'static str, key: fn(&R) -> Key) -> Self {
        Self { name, column: Column::Text(column), key }
    }

    /// By an integer of the row, which stands in this column.
    pub const fn integer(name: &'static str, column: &'static str, key: fn(&R) -> Key) -> Self {
        Self { name, column: Column::Integer(column), key }
    }
}

/// All that a list of `R` may be sorted by, and what its rows are sorted by then: together these identify a row. What
/// comes then may be asked for by its name as well.
pub struct Sorts<R: 'static> {
    /// What a request may name.
    pub by: &'static [SortBy<R>],
    /// What decides between rows that are equal by that.
    pub then: &'static [SortBy<R>],
}

impl<R> Sorts<R> {
    /// The names that a request may use (`sortName`); to be sorted by one of them may take several columns.
    pub fn names(&self) -> Vec<&'static str> {
        let names = self.by.iter().chain(self.then).map(|by| by.name);
        let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        names.dedup();
        names
    }

    /// The order that a request asks for.
    pub fn order(&self, sort: Sort) -> Order {
        Order::by(self.of(sort).map(|by| by.column), sort.descending)
    }

    /// The keys of a row in that order.
    pub fn keys(&self, sort: Sort, row: &R) -> Vec<Key> {
        self.of(sort).map(|by| (by.key)(row)).collect()
    }

    fn of(&self, sort: Sort) -> impl Iterator<Item = &'static SortBy<R>> {
        self.by.iter().filter(move |by| by.name == sort.name).chain(self.then)
    }
}

/// A page of a list, in the order that is asked for: `page!(conn, sites::table.filter(wanted), SORTS, sort, walk)`, a
/// `PageRows` of the rows.
///
/// A macro, because diesel's bounds for any query are longer than the code.
#[macro_export]
macro_rules! page {
    ($conn:expr, $rows:expr, $sorts:expr, $sort:expr, $walk:expr) => {{
        let rows = $rows;
        let sort = $sort;
        let walk = $walk;
        let order = $sorts.order(sort);
        let total = walk.total(|| rows.clone().count().get_result($conn))?;
        let page = rows.filter(order.after(walk.after())?).order(order).offset(walk.offset()).limit(walk.row_limit());
        walk.cut(page.load($conn)?, total, |row| $sorts.keys(sort, row))
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORTS: Sorts<(String, i64)> = Sorts {
        by: &[SortBy::text("name", "t.name", |row| Key::from(&row.0))],
        then: &[SortBy::integer("id", "t.id", |row| Key::from(row.1))],
    };

    #[test]
    fn order_and_keys_go_together() {
        let row = ("a".to_owned(), 7);
        assert_eq!(SORTS.names(), ["name", "id"]);
        let by_name = Sort { name: "name", descending: true };
        assert_eq!(SORTS.order(by_name), Order::by([Column::Text("t.name"), Column::Integer("t.id")], true));
        assert_eq!(SORTS.keys(by_name, &row), [Key::Text("a".to_owned()), Key::Integer(7)]);
        let by_id = Sort { name: "id", descending: false };
        assert_eq!(SORTS.order(by_id), Order::by([Column::Integer("t.id")], false));
        assert_eq!(SORTS.keys(by_id, &row), [Key::Integer(7)]);
    }
}
