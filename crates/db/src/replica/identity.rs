//! Whether a server is a standby of the system that the service writes to.

use diesel::{
    QueryableByName, RunQueryDsl as _, sql_query,
    sql_types::{BigInt, Bool},
};

use crate::{Conn, DatabaseUrl, Error, Result, sequence, sessions};

/// The name of the marker among the numbers of the database.
const MARKER: &str = "replica_marker";

/// A database of a primary, as its standbys have it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    system: System,
    /// The object identifier of the database, which is the same on a standby.
    database: i64,
}

/// What tells one system of servers from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// What `initdb` gave it.
    Identifier(i64),
    /// A random number of ours, where the role may not ask for the identifier.
    Marker(i64),
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[derive(QueryableByName)]
struct Role {
    #[diesel(sql_type = Bool)]
    is_standby: bool,
}

impl Identity {
    /// That of a primary. Where the system identifier is not told, a marker is kept there.
    pub(crate) fn of_primary(conn: &mut Conn) -> Result<Self> {
        let system = match identifier(conn)? {
            Some(identifier) => System::Identifier(identifier),
            None => System::Marker(marker(conn)?),
        };
        Ok(Self { system, database: database(conn)? })
    }

    /// What it was compared by, in words.
    pub(crate) fn compared_by(&self) -> &'static str {
        match self.system {
            System::Identifier(_) => "system identifier",
            System::Marker(_) => "marker in the database, since the role may not call pg_control_system()",
        }
    }

    /// Is it a number that a standby may not have replayed yet?
    pub(crate) fn is_marker(&self) -> bool {
        matches!(self.system, System::Marker(_))
    }

    /// What keeps a server from being a replica of this database; [`None`] for a replica.
    pub(crate) fn fault(&self, conn: &mut Conn) -> Result<Option<String>> {
        let role: Role = sql_query("SELECT pg_is_in_recovery() AS is_standby").get_result(conn)?;
        if !role.is_standby {
            return Ok(Some(
                "it is not a standby: name one that replicates the database, or leave --read-url out".into(),
            ));
        }
        let is_same = match self.system {
            System::Identifier(known) => identifier(conn)? == Some(known),
            System::Marker(known) => sequence::kept_number(conn, MARKER).ok().flatten() == Some(known),
        };
        if !is_same || database(conn)? != self.database {
            let by = self.compared_by();
            return Ok(Some(format!("it is a standby of another database than --database-url names (by the {by})")));
        }
        Ok(None)
    }
}

/// The system identifier; [`None`] where the role may not ask for it.
fn identifier(conn: &mut Conn) -> Result<Option<i64>> {
    match sql_query("SELECT system_identifier AS number FROM pg_control_system()").get_result::<Number>(conn) {
        Ok(found) => Ok(Some(found.number)),
        Err(error) => match Error::from(error) {
            Error::Fault(text) if text.contains("permission denied") || text.contains("does not exist") => Ok(None),
            other => Err(other),
        },
    }
}

fn marker(conn: &mut Conn) -> Result<i64> {
    if let Some(marker) = sequence::kept_number(conn, MARKER)? {
        return Ok(marker);
    }
    let text = "SELECT ('x' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 15))::bit(60)::bigint AS number";
    let drawn: Number = sql_query(text).get_result(conn)?;
    sequence::keep_number(conn, MARKER, drawn.number)?;
    // Of several gateways that draw one at once, the last one has it.
    Ok(sequence::kept_number(conn, MARKER)?.unwrap_or(drawn.number))
}

fn database(conn: &mut Conn) -> Result<i64> {
    let text = "SELECT oid::bigint AS number FROM pg_database WHERE datname = current_database()";
    Ok(sql_query(text).get_result::<Number>(conn)?.number)
}

/// What is wrong with a pooler in transaction mode: a read has to be where its position was asked for.
pub(super) fn pooled(conn: &mut Conn, url: &DatabaseUrl) -> Result<Option<&'static str>> {
    let is_pooled = !sessions::are_kept(conn, url)?;
    Ok(is_pooled.then_some("it is a connection pooler in transaction mode: set pool_mode=session there"))
}
