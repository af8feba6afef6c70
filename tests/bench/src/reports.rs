//! Reports a second, against an insert loop of the same rows: the rows that the server wrote are read back and written
//! again into an empty copy of its tables, by prepared statements and in a transaction for each report.

use std::{collections::HashMap, path::Path, time::Instant};

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::{
    http::request,
    load::median,
    machine::{self, PACKAGES},
    points,
    server::{Server, TENANT, below_tenant},
    sqlite::Row,
    table::Line,
    written::{KnownRows, LoopDatabase, Transaction},
};

const ROUNDS: usize = 5;

/// Connections that send reports.
const CONNECTIONS: usize = 8;

/// The least that the server may take in of what the loop does.
const TARGET: f64 = 0.3;

/// The rows of one report, by table.
type Rows = Vec<Vec<Row>>;

/// Takes in so many reports a round; then reads the machines that came of them.
pub fn measure(temporary: &Path, reports: usize, connections: usize) -> Result<[Line; 2]> {
    let directory = temporary.join("reports");
    let mut server = Server::start(&directory)?;
    let written = LoopDatabase::open(&directory)?;
    let copy = written.empty_copy(&temporary.join("copy.sqlite"))?;
    let tables = written.tables_of_resources()?;
    let mut known = KnownRows::default();
    let mut rates = Vec::new();
    let mut loop_rates = Vec::new();
    let mut ratios = Vec::new();
    let mut ids = Vec::new();
    // The first round is not counted: everything is cold.
    for round in 0..=ROUNDS {
        let requests = (0..reports).map(|number| {
            let report = machine::report(round * reports + number)?;
            Ok(request("POST", &below_tenant("/agents/reports"), &server.token, &report))
        });
        let rate = send(&server, &requests.collect::<Result<Vec<_>>>()?)?;
        ids = new_ids(&written, &mut known)?;
        ensure!(ids.len() == reports, "{} machines came of {reports} reports", ids.len());
        let rows = rows(&written, &tables, &ids)?;
        let loop_rate = replay(&copy, &tables, &rows)?;
        if round > 0 {
            ratios.push(rate / loop_rate);
            rates.push(rate);
            loop_rates.push(loop_rate);
        }
    }
    let ratio = median(&ratios);
    let ingested = Line {
        name: format!("reports of {PACKAGES} packages, {CONNECTIONS} connections"),
        ours: format!("{:.1} /s", median(&rates)),
        theirs: format!("{:.1} /s (insert loop)", median(&loop_rates)),
        result: format!("{ratio:.2}"),
        target: format!("≥ {TARGET:.2}"),
        met: Some(ratio >= TARGET),
    };
    let read = points::compare(&mut server, &ids, temporary, connections, "a reported machine")?;
    server.stop()?;
    Ok([ingested, read])
}

/// Sends all requests, at [`CONNECTIONS`] connections; answers how many were answered a second.
pub fn send(server: &Server, requests: &[Vec<u8>]) -> Result<f64> {
    let mut connections: Vec<_> = (0..CONNECTIONS).map(|_| server.connect()).collect::<Result<_>>()?;
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&mut connections)
            .map(|(first, connection)| {
                scope.spawn(move || {
                    requests.iter().skip(first).step_by(CONNECTIONS).try_for_each(|request| {
                        connection.exchange(request)?.ok()?;
                        anyhow::Ok(())
                    })
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a sender panicked"))?)
    })?;
    Ok(requests.len() as f64 / begun.elapsed().as_secs_f64())
}

/// The ids of the resources that were added since the last call.
fn new_ids(database: &LoopDatabase, known: &mut KnownRows) -> Result<Vec<String>> {
    let id = place(database, "resources", "id")?;
    Ok(database.added("resources", known)?.iter().map(|row| row[id].as_text().to_owned()).collect())
}

/// Where a column is in the rows of a table.
fn place(database: &LoopDatabase, table: &str, name: &str) -> Result<usize> {
    let place = database.columns(table)?.iter().position(|column| column == name);
    place.with_context(|| format!("{table} has no {name}"))
}

/// The rows of each of these resources, in the order of the tables' keys.
fn rows(database: &LoopDatabase, tables: &[String], ids: &[String]) -> Result<Vec<Rows>> {
    let mut found: Vec<Rows> = ids.iter().map(|_| tables.iter().map(|_| Vec::new()).collect()).collect();
    let places: HashMap<&str, usize> = ids.iter().map(String::as_str).zip(0..).collect();
    for (number, table) in tables.iter().enumerate() {
        let column = place(database, table, if table == "resources" { "id" } else { "resource_id" })?;
        for row in database.rows(&format!("SELECT * FROM {table} WHERE tenant_id = '{TENANT}'"))? {
            if let Some(place) = places.get(row[column].as_text()) {
                found[*place][number].push(row);
            }
        }
    }
    Ok(found)
}

/// Writes the rows again; answers how many reports were written a second.
fn replay(database: &LoopDatabase, tables: &[String], reports: &[Rows]) -> Result<f64> {
    let statements = tables.iter().map(|table| database.insertion(table)).collect::<Result<Vec<_>>>()?;
    let transactions: Vec<Transaction<'_>> = reports.iter().map(transaction).collect();
    Ok(reports.len() as f64 / database.insert(&statements, &transactions)?)
}

/// All rows of a report.
fn transaction(report: &Rows) -> Transaction<'_> {
    report.iter().enumerate().flat_map(|(table, rows)| rows.iter().map(move |row| (table, row))).collect()
}
