//! The marks of a database whose data moved elsewhere, or is not complete yet. `crates/transfer` sets and removes them;
//! every start looks for them.

use std::path::Path;

use diesel::{
    OptionalExtension as _, QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Backend, Conn, DatabaseUrl, Result, backend};

/// The table of a SQLite file whose data has moved: one row, the `id` of the move and the `url` without its password.
pub const MOVED_TO: &str = "moved_to";

/// The table of a SQLite file whose data is being moved, with the same columns.
pub const MOVE_SOURCE: &str = "move_source";

/// How the tables begin in which such a file notes the rows that change.
pub const MOVE_LOG: &str = "move_log_";

/// The table of a Postgres database into which a move has not ended.
pub const UNFINISHED_MOVE: &str = "unfinished_move";

/// How a write to a SQLite file is refused whose data has moved; the URL follows.
pub const HAS_MOVED: &str = "the data of this file has moved to ";

/// What clients are told of it.
pub const MOVED: &str = "The data of this service has moved to another database. This gateway takes no more writes: \
     ask the address of the new ones.";

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

/// Where the data of this SQLite file has moved, without a password; `None` where it has not, or where the file is
/// missing or cannot be read.
pub fn moved_to(file: &Path) -> Option<String> {
    let mut conn = file.is_file().then(|| backend::connect(&DatabaseUrl::Sqlite(file.to_owned())))?.ok()?;
    if !has_moved(&mut conn).ok()? {
        return None;
    }
    url_in(&mut conn, MOVED_TO).ok()?
}

/// That a move from this SQLite database has begun and has not ended.
pub(crate) fn under_way(conn: &mut Conn) -> Result<Option<String>> {
    let marks = format!("SELECT count(*) AS count FROM sqlite_master WHERE name = '{MOVE_SOURCE}'");
    if Backend::of(conn) == Backend::Postgres || sql_query(marks).get_result::<Count>(conn)?.count == 0 {
        return Ok(None);
    }
    let Some(url) = url_in(conn, MOVE_SOURCE)? else { return Ok(None) };
    let tables = format!(
        "SELECT name AS url FROM sqlite_master WHERE type = 'table' AND substr(name, 1, {}) = '{MOVE_LOG}'",
        MOVE_LOG.len()
    );
    let mut notes = 0;
    for MoveTarget { url: table } in sql_query(tables).load::<MoveTarget>(conn)? {
        let text = format!("SELECT coalesce(max(rowid) - min(rowid) + 1, 0) AS count FROM \"{table}\"");
        notes += sql_query(text).get_result::<Count>(conn)?.count;
    }
    Ok(Some(format!(
        "a move to {url} has not ended, and each change is noted meanwhile ({notes} so far): end it with `muster \
         move`, or give it up with `muster move --cancel`"
    )))
}

fn url_in(conn: &mut Conn, table: &str) -> Result<Option<String>> {
    let target: Option<MoveTarget> = sql_query(format!("SELECT url FROM {table}")).get_result(conn).optional()?;
    Ok(target.map(|target| target.url))
}

/// Why no service may run on this database: its data is elsewhere, or not all of it is here.
pub(crate) fn fault(conn: &mut Conn) -> Result<Option<String>> {
    match Backend::of(conn) {
        Backend::Sqlite => {
            if !has_moved(conn)? {
                return Ok(None);
            }
            let url = url_in(conn, MOVED_TO)?;
            Ok(url.map(|url| format!("{HAS_MOVED}{url}: start the service with that --database-url")))
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
