//! The gateways that run on a Postgres, of whatever version.
//!
//! Each says every half minute that it is there, and which program it is. On SQLite there is one gateway, and nobody
//! writes anything.

use diesel::{
    QueryableByName, RunQueryDsl,
    pg::PgConnection,
    sql_query,
    sql_types::{BigInt, Text},
};

use crate::{
    Backend, Conn, Db, Migrations, Result,
    migrate::{self, Count, PROGRAM},
};

/// The table of gateways, which says nothing of another database.
pub const GATEWAYS: &str = "gateways";

/// How often a gateway says that it is there, and after how long without a word it is taken to be gone.
pub const SAID_EVERY_MS: i64 = 30_000;
const GONE_MS: i64 = 3 * SAID_EVERY_MS;

/// The clock of the server, in milliseconds since 1970, so that those of gateways do not matter.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// A gateway, as it tells others that it is there; not any more once dropped.
pub struct Presence {
    db: Db,
    id: String,
    known: i64,
}

#[derive(QueryableByName)]
struct Program {
    #[diesel(sql_type = Text)]
    program: String,
}

impl Presence {
    /// A gateway with these domains, and a name that no other has. It says nothing yet.
    pub fn new(db: Db, id: String, domains: &[Migrations]) -> Self {
        let known: usize = migrate::with_own(domains).iter().map(|domain| domain.all.len()).sum();
        Self { db, id, known: i64::try_from(known).unwrap_or(i64::MAX) }
    }

    /// Says that it is there, and forgets who is gone. Is a gateway there that knows fewer migrations?
    pub fn say(&self) -> Result<bool> {
        if self.db.backend() == Backend::Sqlite {
            return Ok(false);
        }
        let (id, known) = (self.id.clone(), self.known);
        self.db.write_here(move |conn| {
            let Conn::Postgres(conn) = conn else { return Ok(false) };
            let text = format!(
                "INSERT INTO gateways (id, program, known, seen_ms) VALUES ($1, $2, $3, {NOW}) \
                 ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms"
            );
            sql_query(text).bind::<Text, _>(id).bind::<Text, _>(PROGRAM).bind::<BigInt, _>(known).execute(conn)?;
            sql_query(format!("DELETE FROM gateways WHERE seen_ms < {NOW} - 10 * {GONE_MS}")).execute(conn)?;
            let text =
                format!("SELECT count(*) AS count FROM gateways WHERE seen_ms >= {NOW} - {GONE_MS} AND known < $1");
            Ok(sql_query(text).bind::<BigInt, _>(known).get_result::<Count>(conn)?.count > 0)
        })
    }
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

/// The versions of the gateways that are there; none on a database that does not know them yet.
pub(crate) fn programs(conn: &mut PgConnection) -> Result<Vec<String>> {
    let there = "SELECT count(*) AS count FROM pg_class WHERE oid = to_regclass('gateways')";
    if sql_query(there).get_result::<Count>(conn)?.count == 0 {
        return Ok(Vec::new());
    }
    let text = format!("SELECT program FROM gateways WHERE seen_ms >= {NOW} - {GONE_MS} ORDER BY program");
    Ok(sql_query(text).load::<Program>(conn)?.into_iter().map(|one| one.program).collect())
}
