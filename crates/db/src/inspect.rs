//! Inspection of a database before the service starts on it.

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Bool, Text},
};

use crate::{
    Conn, DatabaseUrl, Migrations, Result, backend, foreign, migrate, moved, sessions, tls, transaction::transaction,
};

/// The oldest Postgres that will do, as it numbers itself.
const OLDEST_POSTGRES: i64 = 130_000;

/// A database as it was found.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What answers: `SQLite 3.50.4`, `Postgres 17.2`.
    pub server: String,
    /// What keeps the service from running on it.
    pub faults: Vec<String>,
    /// What is worth a look.
    pub warnings: Vec<String>,
    /// The time there, in milliseconds since 1970; `None` for SQLite, which has the clock of this machine.
    pub clock: Option<i64>,
    /// It has no tables yet.
    pub is_empty: bool,
    /// A connection is one session; `false` behind a pooler in transaction mode.
    pub keeps_sessions: bool,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

#[derive(QueryableByName)]
struct Postgres {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Text)]
    encoding: String,
    #[diesel(sql_type = Bool)]
    may_create: bool,
    #[diesel(sql_type = Bool)]
    read_only: bool,
    #[diesel(sql_type = BigInt)]
    connections: i64,
    #[diesel(sql_type = BigInt)]
    clock: i64,
}

const POSTGRES: &str = "SELECT current_setting('server_version') AS version, \
    current_setting('server_version_num')::bigint AS number, current_setting('server_encoding') AS encoding, \
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create, \
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS read_only, \
    current_setting('max_connections')::bigint AS connections, \
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock";

/// Connects once and looks; changes nothing. A SQLite file has to be there: this makes none. `domains` are those of
/// [`Db::migrate`](crate::Db::migrate).
pub fn inspect(url: &DatabaseUrl, connections: u32, domains: &[Migrations]) -> Result<Inspection> {
    let (url, _tunnel) = tls::through(url)?;
    let mut conn = backend::connect(&url.without_sessions())?;
    let mut found = look(&mut conn, &url, connections)?;
    let domains = migrate::with_own(domains);
    found.faults.extend(migrate::newer(&mut conn, &domains)?);
    // Before the next: a gateway that starts may fill it in between.
    let tables = foreign::tables(&mut conn)?;
    found.is_empty = migrate::is_empty(&mut conn)?;
    found.warnings.extend(moved::under_way(&mut conn)?);
    if found.is_empty {
        match foreign::fault(&tables, &domains) {
            Some(fault) => found.faults.push(fault),
            None if tables.is_empty() => {}
            None => {
                let names: Vec<&str> = tables.iter().map(String::as_str).collect();
                let named = foreign::named(&names);
                found.warnings.push(format!("it has tables of another program ({named}), and none of Muster"));
            }
        }
    }
    Ok(found)
}

/// What every start looks at, before it changes anything. The connection may be one [without
/// sessions](DatabaseUrl::without_sessions): whether there are any is found out here.
pub(crate) fn look(conn: &mut Conn, url: &DatabaseUrl, connections: u32) -> Result<Inspection> {
    let keeps_sessions = sessions::are_kept(conn, url)?;
    let durability = backend::check_durability(conn);
    let mut faults: Vec<String> = durability.err().map(|error| error.to_string()).into_iter().collect();
    faults.extend(moved::fault(conn)?);
    if matches!(conn, Conn::Sqlite(_)) {
        let found: Version = sql_query("SELECT sqlite_version() AS version").get_result(conn)?;
        let server = format!("SQLite {}", found.version);
        return Ok(Inspection { server, faults, warnings: Vec::new(), clock: None, is_empty: false, keeps_sessions });
    }
    // A pooler may give each statement to another server, unless they are one transaction.
    let found: Postgres = transaction(conn, "BEGIN", |conn| Ok(sql_query(POSTGRES).get_result(conn)?))?;
    let mut fault = |wrong: bool, text: String| faults.extend(wrong.then_some(text));
    fault(found.number < OLDEST_POSTGRES, "it is older than Postgres 13".to_owned());
    fault(
        found.encoding != "UTF8",
        format!("its encoding is {}, not UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", found.encoding),
    );
    fault(!found.may_create, "the role may not create tables in its schema".to_owned());
    fault(found.read_only, "it is read-only".to_owned());
    let most = found.connections;
    fault(i64::from(connections) > most, format!("it takes {most} connections, and {connections} are to be opened"));
    let server = format!("Postgres {}", found.version);
    let clock = Some(found.clock);
    Ok(Inspection { server, faults, warnings: Vec::new(), clock, is_empty: false, keeps_sessions })
}
