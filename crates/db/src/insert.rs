//! Queries for a hot path.

/// Inserts the rows of a slice into a table: `insert_rows!(conn, applications::table, &rows)?`.
///
/// On SQLite row by row: the statement of one row is known by its type, so that it is found prepared. A macro, because
/// diesel's bounds for many rows are longer than the code.
#[macro_export]
macro_rules! insert_rows {
    ($conn:expr, $table:expr, $rows:expr) => {{
        let rows = $rows;
        let result: $crate::Result<()> = match $conn {
            $crate::Conn::Sqlite(conn) => rows.iter().try_for_each(|row| {
                ::diesel::RunQueryDsl::execute(::diesel::insert_into($table).values(row), conn)?;
                Ok(())
            }),
            $crate::Conn::Postgres(conn) => rows.chunks(500).try_for_each(|rows| {
                ::diesel::RunQueryDsl::execute(::diesel::insert_into($table).values(rows), conn)?;
                Ok(())
            }),
        };
        result
    }};
}

/// Runs a query on the connection that a [`Conn`](crate::Conn) is: `direct!(conn, |conn| query.load::<Row>(conn))?`.
///
/// For queries of each write. The connection of both backends writes the text of a query several times over before it
/// looks up the prepared statement; the connection itself knows a query by its type.
#[macro_export]
macro_rules! direct {
    ($conn:expr, |$own:ident| $query:expr) => {
        match $conn {
            $crate::Conn::Sqlite($own) => $query,
            $crate::Conn::Postgres($own) => $query,
        }
    };
}
