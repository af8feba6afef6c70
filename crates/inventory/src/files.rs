//! Files of machines, as `muster import` takes them in: reports of agents, and rows.

use std::{
    fs::File,
    io::{Read as _, Seek as _},
    path::Path,
};

use base::{tenant::TenantId, timestamp::Timestamp};
use db::Db;

pub use crate::bulk::import::Error;
use crate::{
    agents::{self, IngestOutcome},
    bulk::import::{self as rows, Kind},
};

/// The outcome of importing a file, as numbers of machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// New machines.
    pub created: u64,
    /// Machines that were changed.
    pub updated: u64,
    /// Machines that were like that already.
    pub unchanged: u64,
    /// Rows that were refused, and the file itself where it cannot be read.
    pub refused: u64,
}

/// Imports one file of any kind. Errors go to `refuse`, and warnings about ignored fields to `warn`.
///
/// # Errors
/// When the file cannot be read, or the database failed.
pub fn import(
    db: &Db,
    partner: &TenantId,
    tenant: &TenantId,
    path: &Path,
    now: Timestamp,
    refuse: impl Fn(&str),
    warn: impl Fn(&str),
) -> Result<Counts, Error> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    file.by_ref().take(rows::PIECE as u64).read_to_end(&mut start)?;
    file.rewind()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kind = rows::kind(&name, &start);
    let mut counts = Counts::default();
    if kind == Kind::Report {
        let mut report = Vec::new();
        file.read_to_end(&mut report)?;
        match agents::import(db, partner, tenant, &report, now) {
            Ok(machines) => machines.iter().for_each(|machine| {
                match machine.outcome {
                    IngestOutcome::Created(_) => counts.created += 1,
                    IngestOutcome::Updated(_) => counts.updated += 1,
                    IngestOutcome::Unchanged(_) => counts.unchanged += 1,
                }
                machine.warning().iter().for_each(|warning| warn(warning));
            }),
            Err(db::Error::Problem(problem)) => {
                counts.refused += 1;
                let packed = if rows::is_gzip(&start) { "; if it holds rows, unpack it first" } else { "" };
                refuse(&format!("{}{packed}", problem.detail));
            }
            Err(error) => return Err(error.into()),
        }
        return Ok(counts);
    }
    let refuse_row = |line: u64, why: &str| refuse(&format!("line {line}: {why}"));
    let summary = rows::import(db, partner, tenant, kind, file, now, refuse_row)?;
    summary.warnings.iter().for_each(|warning| warn(warning));
    counts.created += summary.created;
    counts.updated += summary.updated;
    counts.unchanged += summary.unchanged;
    counts.refused += summary.errors;
    if let Some(why) = summary.message {
        counts.refused += 1;
        refuse(&why);
    }
    Ok(counts)
}
