//! Machines that describe themselves: the endpoint that stock inventory agents report to, and the import of the same
//! reports from files.

mod http;
mod ingest;
#[cfg(test)]
mod tests;

use api::Routes;
use base::{
    problem::{Kind, Problem},
    tenant::TenantId,
    timestamp::Timestamp,
};
use db::{Db, Result};
use outbox::{Actor, Tx};

pub use ingest::{IngestOutcome, Ingested, ingest};

use crate::reports::{ErrorKind, Message, ReportError, parse, parse_repaired};

/// The operations.
pub fn routes(config: &mut Routes) {
    config.tagged("Agents").service(http::report);
}

/// Takes in a report from a file, for `muster import`. Returns the outcome of each machine in it.
pub fn import(db: &Db, partner: &TenantId, tenant: &TenantId, file: &[u8], now: Timestamp) -> Result<Vec<Ingested>> {
    let plain = api::body::inflate(file.to_vec().into(), http::LIMIT)?;
    let read = parse(&plain).or_else(|_| parse_repaired(&plain).map(|(message, _)| message));
    let Message::Inventory(reports) = read.map_err(|error| problem(&error))? else {
        return Err(Problem::invalid("the file holds no inventory").into());
    };
    let partner = partner.to_string();
    let tenant = tenant.to_string();
    let actor = Actor::without_change_set("", "muster import", "");
    db.write_here(move |conn| {
        Tx::run(conn, &actor, now, |tx| reports.iter().map(|report| ingest(tx, &partner, &tenant, report)).collect())
    })
}

/// A report that was refused, as a problem.
fn problem(error: &ReportError) -> Problem {
    match error.kind() {
        ErrorKind::TooLarge => Problem::new(Kind::TooLarge, error.message()),
        ErrorKind::Malformed => Problem::field("body", error.message()),
    }
}
