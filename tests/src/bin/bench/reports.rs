//! Reports a second, against an insert loop of the same rows: the rows that the server wrote are read back and written
//! again into an empty copy of its tables, by prepared statements and in a transaction for each report.

use std::{collections::HashMap, path::Path, time::Instant};

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::{
    copies,
    http::request,
    load::median,
    machine::{self, PACKAGES},
    points, seed,
    server::{Server, TENANT, below_tenant},
    sqlite::{Database, Row, Value},
    table::Line,
};

const ROUNDS: usize = 5;

/// Connections that send reports.
const CONNECTIONS: usize = 8;

/// The least that the server may take in of what the loop does.
const TARGET: f64 = 0.3;

/// As the server sets them.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864;";

/// The rows of one report, by table.
type Rows = Vec<Vec<Row>>;

/// Takes in so many reports a round; then reads the machines that came of them.
pub fn measure(temporary: &Path, reports: usize, connections: usize) -> Result<[Line; 2]> {
    let directory = temporary.join("reports");
    let mut server = Server::start(&directory)?;
    let written = Database::open(&seed::database(&directory))?;
    let copy = copy_of(&written, &temporary.join("copy.sqlite"))?;
    let tables = copies::tables_of_resources(&written)?;
    let mut known = 0;
    let (mut rates, mut loop_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
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

/// An empty database with the same tables and indexes.
pub fn copy_of(original: &Database, file: &Path) -> Result<Database> {
    let copy = Database::open(file)?;
    copy.execute(PRAGMAS)?;
    // A virtual table makes its own tables, whose names stand in quotes.
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@' \
         AND sql NOT LIKE 'CREATE TABLE ''%' ORDER BY type = 'index'";
    for sql in original.texts(sql, &[])? {
        copy.execute(&sql)?;
    }
    Ok(copy)
}

/// The ids of the resources that were added since the last call.
fn new_ids(database: &Database, known: &mut i64) -> Result<Vec<String>> {
    let rows =
        database.rows("SELECT rowid, id FROM resources WHERE rowid > ? ORDER BY rowid", &[Value::Integer(*known)])?;
    *known = rows.last().map_or(*known, |row| row[0].as_integer());
    Ok(rows.iter().map(|row| row[1].as_text().to_owned()).collect())
}

/// The rows of each of these resources, in the order of the tables' keys.
fn rows(database: &Database, tables: &[String], ids: &[String]) -> Result<Vec<Rows>> {
    let mut found: Vec<Rows> = ids.iter().map(|_| tables.iter().map(|_| Vec::new()).collect()).collect();
    let places: HashMap<&str, usize> = ids.iter().map(String::as_str).zip(0..).collect();
    for (number, table) in tables.iter().enumerate() {
        let name = if table == "resources" { "id" } else { "resource_id" };
        let column = copies::columns(database, table)?.iter().position(|column| column == name);
        let column = column.with_context(|| format!("{table} has no {name}"))?;
        let mut select = database.prepare(&format!("SELECT * FROM {table} WHERE tenant_id = ?"))?;
        select.each(&[Value::text(TENANT)], |row| {
            if let Some(place) = places.get(row[column].as_text()) {
                found[*place][number].push(row);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Writes the rows again; answers how many reports were written a second.
fn replay(database: &Database, tables: &[String], reports: &[Rows]) -> Result<f64> {
    let statement = |table: &String| {
        let columns = copies::columns(database, table)?.len();
        database.prepare(&copies::insertion(table, columns))
    };
    let mut inserts = tables.iter().map(statement).collect::<Result<Vec<_>>>()?;
    let (mut begin, mut commit) = (database.prepare("BEGIN IMMEDIATE")?, database.prepare("COMMIT")?);
    let begun = Instant::now();
    for report in reports {
        begin.run(&[])?;
        for (insert, rows) in inserts.iter_mut().zip(report) {
            for row in rows {
                insert.run(row)?;
            }
        }
        commit.run(&[])?;
    }
    Ok(reports.len() as f64 / begun.elapsed().as_secs_f64())
}
