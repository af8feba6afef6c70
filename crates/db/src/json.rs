//! Columns of text that hold JSON.

use std::{
    fmt::Debug,
    io::Write as _,
    ops::{Deref, DerefMut},
};

use diesel::{
    backend::Backend,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    pg::Pg,
    serialize::{self, IsNull, Output, ToSql},
    sql_types::Text,
    sqlite::Sqlite,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::Sql;

/// A `T` in a column of text, as JSON. A text that is not JSON is a damaged row: reading it fails (500).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Json<T>(pub T);

/// As [`Json`], where the empty text stands for `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct MaybeJson<T>(pub Option<T>);

impl<T: DeserializeOwned> Json<T> {
    fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text).map(Self)
    }
}

impl<T: Serialize> Json<T> {
    fn text(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.0)
    }
}

impl<T: DeserializeOwned> MaybeJson<T> {
    fn read(text: &str) -> serde_json::Result<Self> {
        if text.is_empty() { Ok(Self(None)) } else { serde_json::from_str(text).map(Some).map(Self) }
    }
}

impl<T: Serialize> MaybeJson<T> {
    fn text(&self) -> serde_json::Result<String> {
        self.0.as_ref().map_or_else(|| Ok(String::new()), serde_json::to_string)
    }
}

/// Reads and writes a type as the text that its `read` and `text` say, on either database.
macro_rules! column {
    ($column:ident, $inner:ty) => {
        impl<T> Deref for $column<T> {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.0
            }
        }

        impl<T> DerefMut for $column<T> {
            fn deref_mut(&mut self) -> &mut $inner {
                &mut self.0
            }
        }

        impl<T: DeserializeOwned, DB: Backend> FromSql<Text, DB> for $column<T>
        where
            String: FromSql<Text, DB>,
        {
            fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
                Ok(Self::read(&String::from_sql(bytes)?)?)
            }
        }

        impl<T: Serialize + Debug> ToSql<Text, Sqlite> for $column<T> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                out.set_value(self.text()?);
                Ok(IsNull::No)
            }
        }

        impl<T: Serialize + Debug> ToSql<Text, Pg> for $column<T> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                out.write_all(self.text()?.as_bytes())?;
                Ok(IsNull::No)
            }
        }

        impl<T: Serialize + Debug + Send + Sync + 'static> ToSql<Text, Sql> for $column<T> {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sql>) -> serialize::Result {
                out.set_value((Text, self));
                Ok(IsNull::No)
            }
        }
    };
}

column!(Json, T);
column!(MaybeJson, Option<T>);

#[cfg(test)]
mod tests {
    use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::Nullable};

    use super::*;
    use crate::{Conn, Error, Result};

    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        names: Json<Vec<String>>,
        #[diesel(sql_type = Nullable<Text>)]
        more: Option<Json<i64>>,
    }

    fn conn() -> Conn {
        use diesel::Connection as _;
        Conn::Sqlite(diesel::SqliteConnection::establish(":memory:").unwrap())
    }

    #[test]
    fn comes_back_as_it_went() {
        let names = Json(vec!["a\"b".to_owned(), String::new()]);
        let query = sql_query("SELECT $1 AS names, $2 AS more");
        let row: Row =
            query.bind::<Text, _>(&names).bind::<Nullable<Text>, _>(None::<Json<i64>>).get_result(&mut conn()).unwrap();
        assert_eq!((row.names, row.more), (names, None));
    }

    #[derive(QueryableByName)]
    struct NullableNames {
        #[diesel(sql_type = Text)]
        names: MaybeJson<Vec<String>>,
        #[diesel(sql_type = Text)]
        none: MaybeJson<Vec<String>>,
        #[diesel(sql_type = Text)]
        text: String,
    }

    #[test]
    fn nothing_is_an_empty_text() {
        let names = MaybeJson(Some(vec!["a".to_owned()]));
        let none = MaybeJson::<Vec<String>>(None);
        let query = sql_query("SELECT $1 AS names, $2 AS none, $2 AS text");
        let row: NullableNames = query.bind::<Text, _>(&names).bind::<Text, _>(&none).get_result(&mut conn()).unwrap();
        assert_eq!((row.names, row.none, row.text.as_str()), (names, none, ""));
    }

    #[test]
    fn a_text_that_is_none_fails() {
        let read: Result<Row> =
            sql_query("SELECT '[1' AS names, '7' AS more").get_result(&mut conn()).map_err(Into::into);
        assert!(matches!(read, Err(Error::Fault(_))));
    }
}
