//! Many rows of one table at once.

/// Inserts the rows of a slice into a table: `insert_rows!(conn, applications::table, &rows)?`.
///
/// SQLite is fastest with one prepared statement run for each row; Postgres with few statements of many rows. A
/// macro, because diesel's bounds for the second are longer than the code.
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
