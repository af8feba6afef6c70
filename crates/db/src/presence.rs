//! The gateways that run on a Postgres, of whatever version.
//!
//! Each says every half minute that it is there, which program it is, and how many migrations it knows. In the same
//! transaction a trigger makes backfills begin again that the gateway knows nothing of. On SQLite there is one gateway,
//! and nobody writes anything.

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::{
    Backend, Conn, Db, Migrations, Result,
    migrate::{self, Count, PROGRAM, has_table},
};

/// The table of gateways, which says nothing of another database.
pub const GATEWAYS: &str = "gateways";

/// How often a gateway says that it is there, and after how long without a word it is taken to be gone.
pub const SAID_EVERY_MS: i64 = 30_000;
const GONE_MS: i64 = 3 * SAID_EVERY_MS;

/// The clock of the database, in milliseconds since 1970, so that those of gateways do not matter.
pub(crate) const fn now(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
        Backend::Postgres => "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    }
}

/// A gateway, as it tells others that it is there; not any more once dropped.
pub struct Presence {
    db: Db,
    id: String,
    known: i64,
}

/// A gateway that is there.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct Gateway {
    /// Its name, which begins with that of its host.
    #[diesel(sql_type = Text)]
    pub id: String,
    /// The version of its program.
    #[diesel(sql_type = Text)]
    pub program: String,
    /// How many migrations it knows.
    #[diesel(sql_type = BigInt)]
    pub known: i64,
}

impl Gateway {
    /// The host that it runs on.
    pub fn host(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }
}

impl Db {
    /// The gateways that are there; on SQLite, and on a database that does not know them yet, none.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn gateways(&self) -> Result<Vec<Gateway>> {
        self.read_here(gateways)
    }
}

impl Presence {
    /// A gateway with these domains, and a name that no other has. It says nothing yet.
    pub fn new(db: Db, id: String, domains: &[Migrations]) -> Self {
        Self { db, id, known: known(&migrate::with_own(domains)) }
    }

    /// Says that it is there, and forgets who is gone. Is a gateway there that knows fewer migrations?
    pub fn announce(&self) -> Result<bool> {
        if self.db.backend() == Backend::Sqlite {
            return Ok(false);
        }
        let (id, known) = (self.id.clone(), self.known);
        self.db.write_here(move |conn| {
            let now = now(Backend::of(conn));
            let text = format!(
                "INSERT INTO gateways (id, program, known, seen_ms) VALUES ($1, $2, $3, {now}) \
                 ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms"
            );
            sql_query(text).bind::<Text, _>(id).bind::<Text, _>(PROGRAM).bind::<BigInt, _>(known).execute(conn)?;
            sql_query(format!("DELETE FROM gateways WHERE seen_ms < {now} - 10 * {GONE_MS}")).execute(conn)?;
            is_older_there(conn, known)
        })
    }

    /// How many migrations this gateway knows.
    pub(crate) fn known(&self) -> i64 {
        self.known
    }
}

/// How many migrations a program with these domains knows.
pub(crate) fn known(domains: &[Migrations]) -> i64 {
    let known: usize = domains.iter().map(|domain| domain.all.len()).sum();
    i64::try_from(known).unwrap_or(i64::MAX)
}

/// Is a gateway there that knows fewer migrations?
pub(crate) fn is_older_there(conn: &mut Conn, known: i64) -> Result<bool> {
    let now = now(Backend::of(conn));
    let text = format!("SELECT count(*) AS count FROM gateways WHERE seen_ms >= {now} - {GONE_MS} AND known < $1");
    Ok(sql_query(text).bind::<BigInt, _>(known).get_result::<Count>(conn)?.count > 0)
}

impl Drop for Presence {
    fn drop(&mut self) {
        if self.db.backend() == Backend::Sqlite {
            return;
        }
        let id = self.id.clone();
        let gone = self.db.write_here(move |conn| {
            let Conn::Postgres(conn) = conn else { return Ok(()) };
            sql_query("DELETE FROM gateways WHERE id = $1").bind::<Text, _>(id).execute(conn)?;
            Ok(())
        });
        if let Err(error) = gone {
            tracing::debug!(%error, "others take this gateway to be there for a while");
        }
    }
}

/// The gateways that are there; none on a database that does not know them yet.
pub(crate) fn gateways(conn: &mut Conn) -> Result<Vec<Gateway>> {
    if !has_table(conn, GATEWAYS)? {
        return Ok(Vec::new());
    }
    let now = now(Backend::of(conn));
    let text =
        format!("SELECT id, program, known FROM gateways WHERE seen_ms >= {now} - {GONE_MS} ORDER BY program, id");
    Ok(sql_query(text).load(conn)?)
}
