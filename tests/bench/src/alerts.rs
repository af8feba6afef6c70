//! Alerts a second over HTTP, in batches, among many resources and maintenance windows; against an insert loop of the
//! same rows, by prepared statements and in a transaction for each batch.
//!
//! Events leave the database when they are handed on, so the loop writes as many of its own, of the size of their
//! alerts.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{
    data::Data,
    http::request,
    load::median,
    moved, reports, seed,
    server::{Server, TENANT, below_tenant},
    sqlite::{self, Database, Row},
    table::{Line, thousands},
    written::{KnownRows, LoopDatabase, Transaction},
};

const WINDOWS: usize = 1_000;
const BATCHES: usize = 40;
const BATCH: usize = 100;
const ROUNDS: usize = 5;

/// The least that the server may take in of what the loop does.
const TARGET: f64 = 0.25;

/// The tables that an alert has rows in, beside its event.
const TABLES: [&str; 3] = ["alerts", "alert_problems", "audit_log"];

/// Alerts about resources of a copy of this database.
pub fn measure(data: &Data, temporary: &Path) -> Result<Line> {
    let directory = temporary.join("alerts");
    fs::create_dir_all(&directory)?;
    match moved::is_on() {
        true => moved::fill(&directory, &data.file())?,
        false => drop(fs::copy(data.file(), seed::database(&directory))?),
    }
    let server = Server::start(&directory)?;
    let written = LoopDatabase::open(&directory)?;
    let hosts = Database::open(&data.file())?.texts(
        "SELECT min(host_name) FROM resources WHERE tenant_id = ? AND state = 'active' AND host_name <> '' \
         GROUP BY host_key HAVING count(*) = 1 LIMIT ?",
        &[sqlite::Value::text(TENANT), sqlite::Value::Integer((BATCHES * BATCH) as i64)],
    )?;
    ensure!(hosts.len() == BATCHES * BATCH, "{} host names are too few", hosts.len());
    plan(&server, &hosts)?;
    let copy = written.empty_copy(&temporary.join("alerts-copy.sqlite"))?;
    let mut rates = Vec::new();
    let mut loop_rates = Vec::new();
    let mut ratios = Vec::new();
    let mut known = TABLES.map(|_| KnownRows::default());
    rows(&written, &mut known)?;
    // The first round is not counted: everything is cold.
    for round in 0..=ROUNDS {
        let requests: Vec<Vec<u8>> = hosts
            .chunks(BATCH)
            .map(|hosts| {
                let body: Value = hosts.iter().map(|host| alert(host, round)).collect();
                request("POST", &below_tenant("/alerts"), &server.token, body.to_string().as_bytes())
            })
            .collect();
        let rate = reports::send(&server, &requests)? * BATCH as f64;
        let rows = rows(&written, &mut known)?;
        ensure!(rows[0].len() == BATCHES * BATCH, "{} alerts came of {}", rows[0].len(), BATCHES * BATCH);
        let loop_rate = replay(&copy, &rows)?;
        if round > 0 {
            ratios.push(rate / loop_rate);
            rates.push(rate);
            loop_rates.push(loop_rate);
        }
    }
    server.stop()?;
    let ratio = median(&ratios);
    let size = thousands(f64::from(data.size));
    Ok(Line {
        name: format!("POST /alerts, {BATCH} at once, {size} resources, {} windows", thousands(WINDOWS as f64)),
        ours: format!("{} /s", thousands(median(&rates))),
        theirs: format!("{} /s (insert loop)", thousands(median(&loop_rates))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {TARGET:.2}"),
        met: Some(ratio >= TARGET),
    })
}

fn alert(host: &str, round: usize) -> Value {
    json!({
        "currentState": "Critical", "subject": "Load is 31", "description": "The load of the last five minutes",
        "metric": format!("system.load.{round}"), "component": "cpu", "app": "bench", "device": {"hostName": host},
    })
}

/// Makes the windows: all are open, each covers a machine, and every other one expects what comes in.
fn plan(server: &Server, hosts: &[String]) -> Result<()> {
    let mut connection = server.connect()?;
    for (number, host) in hosts.iter().take(WINDOWS).enumerate() {
        let subject = if number.is_multiple_of(2) { "Load" } else { "Disk" };
        let body = json!({
            "name": format!("Window {number}"), "description": "bench", "devices": [{"hostName": host}],
            "schedule": {
                "type": "Recurring", "startTime": "2026-01-01T00:00:00+0000", "endTime": "2026-01-01T23:59:59+0000",
                "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"
            },
            "alertConditions": {
                "matchingType": "ALL", "rules": [{"key": "subject", "operator": "Startswith", "value": subject}]
            }
        });
        server.post(&mut connection, "/scheduleMaintenances", &body).context("making the windows")?;
    }
    Ok(())
}

/// The rows that were added since the last call, by table.
fn rows(database: &LoopDatabase, known: &mut [KnownRows; TABLES.len()]) -> Result<Vec<Vec<Row>>> {
    TABLES.into_iter().zip(known).map(|(table, known)| database.added(table, known)).collect()
}

/// The event of an alert.
const EVENT: &str = "INSERT INTO outbox_events (tenant_id, id, entity, entity_id, action, after, request_id, \
     created_ms, due_ms, owner, attempts) VALUES (?, ?, 'ALERT', ?, 'CREATE', ?, ?, ?, ?, '', 0)";

/// Writes the rows again; answers how many alerts were written a second.
fn replay(database: &LoopDatabase, rows: &[Vec<Row>]) -> Result<f64> {
    let mut statements = TABLES.iter().map(|table| database.insertion(table)).collect::<Result<Vec<_>>>()?;
    statements.push(EVENT.to_owned());
    let columns = database.columns("alerts")?;
    let place = |name: &str| {
        let place = columns.iter().position(|column| column == name);
        place.with_context(|| format!("alerts have no {name}"))
    };
    let tenant = place("tenant_id")?;
    let id = place("id")?;
    let document = place("document")?;
    let event = |alert: &Row| -> Row {
        let tenant = alert[tenant].clone();
        let id = alert[id].clone();
        let after = alert[document].clone();
        let now = sqlite::Value::Integer(1);
        vec![tenant, id.clone(), id.clone(), after, id, now.clone(), now]
    };
    let alerts = rows.first().map_or(&[][..], Vec::as_slice);
    let events: Vec<Row> = alerts.iter().map(event).collect();
    let transaction = |batch: usize| -> Transaction<'_> {
        let all = rows.iter().map(Vec::as_slice).chain([events.as_slice()]);
        all.enumerate()
            .flat_map(|(table, rows)| rows.iter().skip(batch * BATCH).take(BATCH).map(move |row| (table, row)))
            .collect()
    };
    let transactions: Vec<Transaction<'_>> = (0..alerts.len().div_ceil(BATCH)).map(transaction).collect();
    Ok(alerts.len() as f64 / database.insert(&statements, &transactions)?)
}
