//! `muster import`: files of rows, stored in the same way as by `POST /resources/bulk`.

use std::io::{self, Read};

use base::{body::parse_json, problem::Problem, tenant::TenantId, timestamp::Timestamp};
use db::Db;
use outbox::{Actor, Tx};
use serde_json::Value;

use super::{
    apply::{Destination, apply},
    aws,
    columns::Columns,
    csv::Records,
    reader::{Format, Reader},
    row::Row,
    wire::{BulkResult, BulkSummary},
};

/// Rows that are stored together.
const BATCH: usize = 200;

/// How much of a file is read at once; its kind is known by the first read.
pub const PIECE: usize = 64 << 10;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A report of an inventory agent.
    Report,
    /// A JSON object on each line.
    Ndjson,
    /// A table.
    Csv,
    /// What `aws ec2 describe-instances` printed.
    AwsInstances,
    /// Rows that are compressed.
    Packed,
}

/// The kind of a file, by the ending of its name, or else by its first bytes.
pub fn kind(name: &str, start: &[u8]) -> Kind {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    if is_gzip(start) {
        let name = name.to_ascii_lowercase();
        let name = name.trim_end_matches(".gz").trim_end_matches(".gzip");
        let rows = [".csv", ".ndjson", ".jsonl"].iter().any(|ending| name.ends_with(ending));
        return if rows { Kind::Packed } else { Kind::Report };
    }
    match ending.as_str() {
        "csv" => return Kind::Csv,
        "ndjson" | "jsonl" => return Kind::Ndjson,
        _ => {}
    }
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    if let Some(inside) = start.strip_prefix(b"{") {
        if inside.trim_ascii_start().starts_with(b"\"Reservations\"") {
            return Kind::AwsInstances;
        }
        let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return match parse_json(line) {
            // A report says what it is and whose; nothing else on a line of its own does.
            Ok(Value::Object(fields)) if !["action", "deviceid"].iter().any(|name| fields.contains_key(*name)) => {
                Kind::Ndjson
            }
            _ => Kind::Report,
        };
    }
    if has_header(start) { Kind::Csv } else { Kind::Report }
}

/// Does a file begin as one of gzip does?
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1F\x8B")
}

fn has_header(start: &[u8]) -> bool {
    let Some(end) = start.iter().position(|byte| *byte == b'\n') else { return false };
    let mut known = false;
    let read = Records::default().push(&start[..=end], |record| {
        known = Columns::of(record).is_ok();
        Ok(())
    });
    read.is_ok() && known
}

/// Why a file was not taken in to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("reading the file: {0}")]
    Read(#[from] io::Error),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Takes in a file of rows, batch by batch. `refused` is told of each row that is refused: its line (of a printout of
/// instances, the number of the instance) and why. A file that cannot be read on is told by
/// [`BulkSummary::complete`]; what came before is stored.
///
/// A [`Kind::Report`] holds no rows; [`crate::agents::import`] takes it.
pub fn import(
    db: &Db,
    partner: &TenantId,
    tenant: &TenantId,
    kind: Kind,
    mut file: impl Read,
    now: Timestamp,
    mut refused: impl FnMut(u64, &str),
) -> Result<BulkSummary, Error> {
    let destination = Destination { tenant: tenant.to_string(), partner: partner.to_string() };
    let mut summary = BulkSummary::new(false);
    let mut store = |rows: Vec<Row>| -> Result<(), Error> {
        for row in write(db, &destination, rows, now)? {
            summary.count(&row);
            let errors = row.errors.iter().map(|error| format!("{}: {}", error.field_name, error.message));
            let errors: Vec<String> = errors.collect();
            if !errors.is_empty() {
                refused(row.line, &errors.join("; "));
            }
        }
        Ok(())
    };
    let format = match kind {
        Kind::AwsInstances => {
            let mut whole = Vec::new();
            file.read_to_end(&mut whole)?;
            let mut rows = match aws::rows(&whole, &destination.tenant) {
                Ok(rows) => rows,
                Err(problem) => return Ok(incomplete(summary, problem)),
            };
            drop(whole);
            while !rows.is_empty() {
                let rest = rows.split_off(BATCH.min(rows.len()));
                store(std::mem::replace(&mut rows, rest))?;
            }
            return Ok(summary);
        }
        Kind::Packed => {
            return Ok(incomplete(summary, Problem::invalid("it is compressed with gzip: unpack it first")));
        }
        Kind::Csv => Format::Csv,
        Kind::Ndjson => Format::Ndjson,
        Kind::Report => return Ok(incomplete(summary, Problem::invalid("the file holds a report, not rows"))),
    };
    let mut reader = Reader::new(format, &destination.tenant);
    let mut piece = vec![0; PIECE];
    loop {
        let read = file.read(&mut piece)?;
        let done = if read == 0 { reader.end() } else { reader.push(&piece[..read]) };
        let last = read == 0 || done.is_err();
        while reader.is_full(BATCH) || last && reader.len() > 0 {
            store(reader.take(BATCH))?;
        }
        if last {
            let stop = done.err().map(|stop| incomplete(summary.clone(), stop.problem()));
            return Ok(BulkSummary { warnings: reader.warnings(), ..stop.unwrap_or(summary) });
        }
    }
}

fn incomplete(summary: BulkSummary, why: Problem) -> BulkSummary {
    BulkSummary { complete: false, message: Some(why.detail), ..summary }
}

fn write(db: &Db, destination: &Destination, rows: Vec<Row>, now: Timestamp) -> db::Result<Vec<BulkResult>> {
    let actor = Actor::without_change_set("", "muster import", "");
    let destination = destination.clone();
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| apply(tx, &destination, &rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_name_or_its_start() {
        for (name, start, expected) in [
            ("a.csv", "anything", Kind::Csv),
            ("a.NDJSON", "", Kind::Ndjson),
            ("a.jsonl", "", Kind::Ndjson),
            ("a.json", "{\n  \"Reservations\": [", Kind::AwsInstances),
            ("a", "\u{FEFF}{\"Reservations\":[]}", Kind::AwsInstances),
            ("a.json", "{\"name\": \"x\"}\n{\"name\": \"y\"}\n", Kind::Ndjson),
            ("a.json", "{\"name\": \"x\"}", Kind::Ndjson),
            ("a.json", "{\"action\": \"inventory\", \"deviceid\": \"x\", \"content\": {}}\n", Kind::Report),
            ("a.json", "{\n\"action\": \"inventory\"", Kind::Report),
            ("a.ocs", "<?xml version=\"1.0\"?>\n<REQUEST>", Kind::Report),
            ("a", "\u{1}\u{2}\n,", Kind::Report),
            ("machines", "Hostname,ipAddress\na,10.0.0.1\n", Kind::Csv),
            ("machines.txt", "just a text\nof lines", Kind::Report),
            ("empty", "", Kind::Report),
        ] {
            assert_eq!(kind(name, start.as_bytes()), expected, "{name} {start:?}");
        }
        for (name, expected) in
            [("a.ndjson", Kind::Packed), ("a.CSV.gz", Kind::Packed), ("a.ocs", Kind::Report), ("a.gz", Kind::Report)]
        {
            assert_eq!(kind(name, b"\x1F\x8B\x08"), expected, "{name}");
        }
    }
}
