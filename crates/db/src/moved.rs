//! The marks of a database whose data moved elsewhere, or is not complete yet. `crates/transfer` sets and removes them;
//! every start looks for them.

use diesel::{
    OptionalExtension as _, QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Backend, Conn, Result};

/// The table of a SQLite file whose data has moved: one row, the `id` of the move and the `url` without its password.
pub const MOVED_TO: &str = "moved_to";

/// The table of a Postgres database into which a move has not ended.
pub const UNFINISHED_MOVE: &str = "unfinished_move";

/// How a write to a SQLite file is refused whose data has moved; the URL follows.
pub const HAS_MOVED: &str = "the data of this file has moved to ";

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct MoveTarget {
    #[diesel(sql_type = Text)]
    url: String,
}

/// Has the data of this SQLite database moved?
pub(crate) fn has_moved(conn: &mut Conn) -> Result<bool> {
    let text = format!("SELECT count(*) AS count FROM sqlite_master WHERE name = '{MOVED_TO}'");
    Ok(sql_query(text).get_result::<Count>(conn)?.count > 0)
}

/// Why no service may run on this database: its data is elsewhere, or not all of it is here.
pub(crate) fn fault(conn: &mut Conn) -> Result<Option<String>> {
    match Backend::of(conn) {
        Backend::Sqlite => {
            if !has_moved(conn)? {
                return Ok(None);
            }
            let target: Option<MoveTarget> =
                sql_query(format!("SELECT url FROM {MOVED_TO}")).get_result(conn).optional()?;
            Ok(target.map(|MoveTarget { url }| format!("{HAS_MOVED}{url}: start the service with that --database-url")))
        }
        Backend::Postgres => {
            let text = format!("SELECT count(to_regclass('{UNFINISHED_MOVE}')) AS count");
            let unfinished = sql_query(text).get_result::<Count>(conn)?.count > 0;
            Ok(unfinished.then(|| {
                "a move into it has not ended: run `muster move` again until it says so, or take an empty database"
                    .to_owned()
            }))
        }
    }
}
