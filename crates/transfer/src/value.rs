//! Values of rows of any table, on both databases.

use anyhow::bail;
use diesel::{
    QueryableByName,
    backend::Backend,
    deserialize::{self, FromSql},
    pg::Pg,
    row::{Field as _, NamedRow},
    sql_types::{BigInt, Binary, Bool, Text},
    sqlite::{Sqlite, SqliteType},
};
use serde_json::Value as Json;

/// The types of columns that both databases have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Boolean,
    Text,
    Bytes,
}

impl Kind {
    /// The type of a column as a table of SQLite declares it.
    pub(crate) fn of_sqlite(declared: &str) -> Option<Self> {
        Some(match declared.to_ascii_uppercase().as_str() {
            "BIGINT" | "INTEGER" => Self::Integer,
            "BOOLEAN" => Self::Boolean,
            "TEXT" => Self::Text,
            "BYTEA" | "BLOB" => Self::Bytes,
            _ => return None,
        })
    }

    /// The type of a column as Postgres calls it.
    pub(crate) fn of_postgres(name: &str) -> Option<Self> {
        Some(match name {
            "bigint" => Self::Integer,
            "boolean" => Self::Boolean,
            "text" => Self::Text,
            "bytea" => Self::Bytes,
            _ => return None,
        })
    }

    /// What Postgres calls it.
    pub(crate) fn in_postgres(self) -> &'static str {
        match self {
            Self::Integer => "bigint",
            Self::Boolean => "boolean",
            Self::Text => "text",
            Self::Bytes => "bytea",
        }
    }
}

/// A value. A boolean is 0 or 1, as SQLite has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// Refuses what a column of this type does not store on both databases.
    pub(crate) fn check(&self, kind: Kind) -> anyhow::Result<()> {
        match (kind, self) {
            (Kind::Text, Self::Text(text)) if text.contains('\0') => {
                bail!("holds the character U+0000, which Postgres does not store")
            }
            (_, Self::Null)
            | (Kind::Integer, Self::Integer(_))
            | (Kind::Boolean, Self::Integer(0 | 1))
            | (Kind::Text, Self::Text(_))
            | (Kind::Bytes, Self::Bytes(_)) => Ok(()),
            (kind, value) => bail!("is of type {}, and holds {value:?}", kind.in_postgres()),
        }
    }

    /// As JSON, for values of keys.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Integer(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Null | Self::Bytes(_) => Json::Null,
        }
    }

    /// The value that [`Value::to_json`] wrote.
    pub(crate) fn from_json(json: &Json) -> Self {
        match json {
            Json::String(text) => Self::Text(text.clone()),
            other => other.as_i64().map_or(Self::Null, Self::Integer),
        }
    }
}

/// The values of a row, in the order in which its columns were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    /// How many bytes its values take, more or less.
    pub(crate) fn size(&self) -> usize {
        let of = |value: &Value| match value {
            Value::Null | Value::Integer(_) => 8,
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
        };
        self.0.iter().map(of).sum()
    }

    /// The values of a row of either database; `read` is for those that are not NULL.
    fn of<'a, DB: Backend>(
        row: &impl NamedRow<'a, DB>,
        read: impl Fn(DB::RawValue<'_>) -> deserialize::Result<Value>,
    ) -> deserialize::Result<Self> {
        let value = |index| {
            let field = diesel::row::Row::get(row, index).ok_or("a column is missing")?;
            field.value().map_or(Ok(Value::Null), &read)
        };
        (0..row.field_count()).map(value).collect::<deserialize::Result<_>>().map(Self)
    }
}

impl QueryableByName<Sqlite> for Row {
    fn build<'a>(row: &impl NamedRow<'a, Sqlite>) -> deserialize::Result<Self> {
        Self::of(row, |value| {
            Ok(match value.value_type() {
                None => Value::Null,
                Some(SqliteType::Text) => Value::Text(<String as FromSql<Text, Sqlite>>::from_sql(value)?),
                Some(SqliteType::Binary) => Value::Bytes(<Vec<u8> as FromSql<Binary, Sqlite>>::from_sql(value)?),
                Some(SqliteType::Long | SqliteType::Integer | SqliteType::SmallInt) => {
                    Value::Integer(<i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?)
                }
                Some(other) => return Err(format!("a value of type {other:?}, which no column has").into()),
            })
        })
    }
}

/// The types of Postgres by their numbers, which never change.
const BOOLEAN: u32 = 16;
const BYTES: u32 = 17;
const INTEGER: u32 = 20;
const TEXT: u32 = 25;

impl QueryableByName<Pg> for Row {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> deserialize::Result<Self> {
        Self::of(row, |value| {
            Ok(match value.get_oid().get() {
                TEXT => Value::Text(<String as FromSql<Text, Pg>>::from_sql(value)?),
                INTEGER => Value::Integer(<i64 as FromSql<BigInt, Pg>>::from_sql(value)?),
                BOOLEAN => Value::Integer(<bool as FromSql<Bool, Pg>>::from_sql(value)?.into()),
                BYTES => Value::Bytes(<Vec<u8> as FromSql<Binary, Pg>>::from_sql(value)?),
                other => return Err(format!("a value of type number {other}, which no column has").into()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_both_databases_are_the_same_kinds() {
        for (sqlite, postgres) in
            [("BIGINT", "bigint"), ("INTEGER", "bigint"), ("BOOLEAN", "boolean"), ("TEXT", "text"), ("BYTEA", "bytea")]
        {
            let kind = Kind::of_sqlite(sqlite);
            assert!(kind.is_some() && kind == Kind::of_postgres(postgres), "{sqlite} {postgres}");
            assert_eq!(kind.map(Kind::in_postgres), Some(postgres));
        }
        assert_eq!(Kind::of_sqlite("TIMESTAMP"), None);
        assert_eq!(Kind::of_postgres("tsvector"), None);
    }

    #[test]
    fn a_value_has_the_type_of_its_column() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (kind, value) in [
            (Kind::Integer, Value::Integer(i64::MIN)),
            (Kind::Boolean, Value::Integer(1)),
            (Kind::Text, text("ä\u{1}")),
            (Kind::Text, Value::Null),
            (Kind::Bytes, Value::Bytes(vec![0, 255])),
        ] {
            assert!(value.check(kind).is_ok(), "{value:?}");
        }
        for (kind, value) in [
            (Kind::Integer, text("1")),
            (Kind::Boolean, Value::Integer(2)),
            (Kind::Text, Value::Integer(1)),
            (Kind::Text, text("a\0")),
            (Kind::Bytes, text("a")),
        ] {
            assert!(value.check(kind).is_err(), "{value:?}");
        }
    }

    #[test]
    fn keys_survive_as_json() {
        for value in [Value::Integer(i64::MAX), Value::Integer(-1), Value::Text("client_1".to_owned()), Value::Null] {
            assert_eq!(Value::from_json(&value.to_json()), value);
        }
    }
}
