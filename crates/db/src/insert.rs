//! Queries for a hot path.

/// Inserts the rows of a slice into a table: `insert_rows!(conn, applications::table, &rows)?`.
///
/// Many rows are few statements. On SQLite those have 16, 4 and 1 rows: each is known by its type, so that it is found
/// prepared without its text being written. A macro, because diesel's bounds for many rows are longer than the code.
#[macro_export]
macro_rules! insert_rows {
    ($conn:expr, $table:expr, $rows:expr) => {{
        let rows = $rows;
        let result: $crate::Result<()> = match $conn {
            $crate::Conn::Sqlite(conn) => {
                let (sixteens, rest) = rows.as_chunks::<16>();
                let (fours, ones) = rest.as_chunks::<4>();
                let mut done = Ok(0);
                for rows in sixteens {
                    done = done
                        .and_then(|_| ::diesel::RunQueryDsl::execute(::diesel::insert_into($table).values(rows), conn));
                }
                for rows in fours {
                    done = done
                        .and_then(|_| ::diesel::RunQueryDsl::execute(::diesel::insert_into($table).values(rows), conn));
                }
                for row in ones {
                    done = done
                        .and_then(|_| ::diesel::RunQueryDsl::execute(::diesel::insert_into($table).values(row), conn));
                }
                done.map(drop).map_err(Into::into)
            }
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
