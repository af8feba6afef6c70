//! Columns of text that hold JSON.

use std::{
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

/// A `T` in a column of text, as JSON. A text that is none is a damaged row, and whoever reads it fails (500).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Json<T>(pub T);

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: DeserializeOwned, DB: Backend> FromSql<Text, DB> for Json<T>
where
    String: FromSql<Text, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(serde_json::from_str(&String::from_sql(bytes)?)?))
    }
}

impl<T: Serialize + std::fmt::Debug> ToSql<Text, Sqlite> for Json<T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(&self.0)?);
        Ok(IsNull::No)
    }
}

impl<T: Serialize + std::fmt::Debug> ToSql<Text, Pg> for Json<T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(serde_json::to_string(&self.0)?.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl<T: Serialize + std::fmt::Debug + Send + Sync + 'static> ToSql<Text, Sql> for Json<T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sql>) -> serialize::Result {
        out.set_value((Text, self));
        Ok(IsNull::No)
    }
}

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

    #[test]
    fn a_text_that_is_none_fails() {
        let read: Result<Row> =
            sql_query("SELECT '[1' AS names, '7' AS more").get_result(&mut conn()).map_err(Into::into);
        assert!(matches!(read, Err(Error::Fault(_))));
    }
}
