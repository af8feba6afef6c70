//! A `WHERE` clause made at run time: text that a programmer wrote, with values that a caller sent.

use std::marker::PhantomData;

use diesel::{
    expression::{AppearsOnTable, Expression, SelectableExpression, TypedExpressionType, ValidGrouping, is_aggregate},
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
    sql_types::{BigInt, Bool, Text},
};

use crate::Sql;

/// One condition. The SQL comes from `&'static str` only, values are bound, so that a caller's text is always a
/// value: `%`, `_`, quotes and SQL mean themselves.
///
/// Column names in the text are qualified by their table (`resources.state`), since diesel cannot check them.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    parts: Vec<SqlPart>,
}

#[derive(Clone, Debug)]
enum SqlPart {
    Sql(&'static str),
    Text(String),
    Integer(i64),
}

impl Condition {
    /// A condition that starts with this text.
    pub fn sql(text: &'static str) -> Self {
        Self { parts: vec![SqlPart::Sql(text)] }
    }

    /// Goes on with more SQL.
    #[must_use]
    pub fn then(mut self, text: &'static str) -> Self {
        self.parts.push(SqlPart::Sql(text));
        self
    }

    /// Goes on with a bound text.
    #[must_use]
    pub fn text(mut self, value: impl Into<String>) -> Self {
        self.parts.push(SqlPart::Text(value.into()));
        self
    }

    /// Goes on with a bound integer.
    #[must_use]
    pub fn integer(mut self, value: i64) -> Self {
        self.parts.push(SqlPart::Integer(value));
        self
    }

    /// Goes on with the parts of another condition.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// `text (?, ?, …)`: the text is `column IN`. No value at all is a condition that nothing meets.
    pub fn text_in<I>(text: &'static str, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self::list(text, values.into_iter().map(|value| SqlPart::Text(value.into())), " (SELECT '' WHERE 1 = 0)")
    }

    /// `text (…)` with pairs of texts: the text is `(column, column) IN`. They are a query of their own, since SQLite
    /// finds no index for a list of values as such.
    pub fn pairs_in<T: Into<String>>(text: &'static str, pairs: impl IntoIterator<Item = (T, T)>) -> Self {
        let mut parts = vec![SqlPart::Sql(text), SqlPart::Sql(" (SELECT column1, column2 FROM (VALUES ")];
        let before = parts.len();
        for (one, other) in pairs {
            parts.push(SqlPart::Sql(if parts.len() == before { "(" } else { "), (" }));
            parts.extend([SqlPart::Text(one.into()), SqlPart::Sql(", "), SqlPart::Text(other.into())]);
        }
        if parts.len() == before {
            return Self::sql(text).then(" (SELECT '', '' WHERE 1 = 0)");
        }
        parts.push(SqlPart::Sql(")) AS pairs)"));
        Self { parts }
    }

    /// As [`Condition::text_in`], for integers.
    pub fn integer_in(text: &'static str, values: impl IntoIterator<Item = i64>) -> Self {
        Self::list(text, values.into_iter().map(SqlPart::Integer), " (SELECT 0 WHERE 1 = 0)")
    }

    /// `none` stands for an empty list, which SQL cannot write; `text` may have brackets that close behind it.
    fn list(text: &'static str, values: impl Iterator<Item = SqlPart>, none: &'static str) -> Self {
        let mut parts = vec![SqlPart::Sql(text), SqlPart::Sql(" (")];
        let before = parts.len();
        for value in values {
            if parts.len() > before {
                parts.push(SqlPart::Sql(", "));
            }
            parts.push(value);
        }
        if parts.len() == before {
            return Self::sql(text).then(none);
        }
        parts.push(SqlPart::Sql(")"));
        Self { parts }
    }

    /// The column (with its table) contains a text, every character of which means itself.
    pub fn contains(column: &'static str, text: impl Into<String>) -> Self {
        Self::sql("replace(").then(column).then(", ").text(text).then(", '') <> ").then(column)
    }

    /// A folded column (with its table) is one of these folded texts, or contains one when it need not be the whole of
    /// it.
    pub fn named<I>(column: &'static str, texts: I, whole: bool) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        if whole {
            let values = texts.into_iter().map(|text| SqlPart::Text(text.into()));
            return Self::sql(column).append(Self::list(" IN", values, " (SELECT '' WHERE 1 = 0)"));
        }
        Self::any(texts.into_iter().map(|text| Self::contains(column, text)))
    }

    /// All of these; none at all is always met.
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        Self::join(conditions, " AND ", "1 = 1")
    }

    /// Any of these; none at all is never met.
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        Self::join(conditions, " OR ", "1 = 0")
    }

    /// As a balanced tree: SQLite refuses an expression that is deeper than 1,000, and a chain is as deep as it is
    /// long.
    fn join(conditions: impl IntoIterator<Item = Self>, word: &'static str, empty: &'static str) -> Self {
        let conditions: Vec<Self> = conditions.into_iter().collect();
        if conditions.is_empty() {
            return Self::sql(empty);
        }
        let mut parts = Vec::new();
        balance(conditions, word, &mut parts);
        Self { parts }
    }
}

/// Writes one half, the word, and the other half.
fn balance(mut conditions: Vec<Condition>, word: &'static str, parts: &mut Vec<SqlPart>) {
    let half = conditions.len() / 2;
    parts.push(SqlPart::Sql("("));
    if half == 0 {
        parts.extend(conditions.into_iter().flat_map(|condition| condition.parts));
    } else {
        let rest = conditions.split_off(half);
        balance(conditions, word, parts);
        parts.push(SqlPart::Sql(word));
        balance(rest, word, parts);
    }
    parts.push(SqlPart::Sql(")"));
}

impl QueryFragment<Sql> for Condition {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        for part in &self.parts {
            match part {
                SqlPart::Sql(text) => out.push_sql(text),
                SqlPart::Text(value) => out.push_bind_param::<Text, String>(value)?,
                SqlPart::Integer(value) => out.push_bind_param::<BigInt, i64>(value)?,
            }
        }
        Ok(())
    }
}

impl QueryId for Condition {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for Condition {
    type SqlType = Bool;
}

impl<GB> ValidGrouping<GB> for Condition {
    type IsAggregate = is_aggregate::Never;
}

impl<QS> AppearsOnTable<QS> for Condition {}
impl<QS> SelectableExpression<QS> for Condition {}

/// A value that SQL computes, of type `ST`, written as a condition is: for a `SELECT`.
///
/// A `GROUP BY` names it by its place (`GROUP BY 1`), since to Postgres two texts with bound values are two values.
#[derive(Clone, Debug)]
pub struct SqlValue<ST> {
    text: Condition,
    sql_type: PhantomData<ST>,
}

impl<ST> SqlValue<ST> {
    /// The value of this text.
    pub fn of(text: Condition) -> Self {
        Self { text, sql_type: PhantomData }
    }
}

impl<ST> QueryFragment<Sql> for SqlValue<ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        self.text.walk_ast(out)
    }
}

impl<ST> QueryId for SqlValue<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST: TypedExpressionType> Expression for SqlValue<ST> {
    type SqlType = ST;
}

impl<ST, GB> ValidGrouping<GB> for SqlValue<ST> {
    type IsAggregate = is_aggregate::Never;
}

impl<ST, QS> AppearsOnTable<QS> for SqlValue<ST> where Self: Expression {}
impl<ST, QS> SelectableExpression<QS> for SqlValue<ST> where Self: AppearsOnTable<QS> {}
