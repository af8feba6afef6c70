//! `GET /jobs/search` at many jobs: a page far behind, reached by cursor, beside the first one.

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::{
    http::{Connection, encode},
    load::median,
    server::Server,
    table::{Line, thousands},
    written::LoopDatabase,
};

const JOBS: i64 = 100_000;

/// The page that is compared with the first, at 100 jobs a page.
const DEEP: usize = 900;

const ROUNDS: usize = 51;

/// How many times the first page the deep one may take.
const TARGET: f64 = 3.0;

/// Each sort, on a new database.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let directory = temporary.join("jobs");
    fill(&directory)?;
    let server = Server::start(&directory)?;
    let mut connection = server.connect()?;
    let mut lines = Vec::new();
    for sort in ["id", "name", "startDate"] {
        lines.push(by(&server, &mut connection, sort)?);
    }
    drop(connection);
    server.stop()?;
    Ok(lines)
}

/// One job over HTTP, and the others as copies of it.
fn fill(directory: &Path) -> Result<()> {
    let server = Server::start(directory)?;
    let mut connection = server.connect()?;
    let job = json!({
        "name": "Job 0", "description": "bench",
        "schedule": {"startDate": "2040-01-01T00:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}},
        "script": {"jobType": "antivirus"}
    });
    let made = server.post(&mut connection, "/jobs", &job)?;
    let id = made["id"].as_str().context("no id")?.to_owned();
    drop(connection);
    server.stop()?;
    let database = LoopDatabase::open(directory)?;
    // Columns are taken over as they are, but for what makes a job one of its own; numbers spread the names and dates.
    let columns = database.columns("jobs")?;
    let value = |column: &String| match column.as_str() {
        "id" => "'0199f1c5-3e1f-7c5a-9c1f-' || substr(CAST(1000000000000 + n * 7919 % 100003 AS TEXT), 2)".to_owned(),
        "name" => "'Job ' || (n * 31 % 5003)".to_owned(),
        "name_key" => "'job ' || (n * 31 % 5003)".to_owned(),
        "start_ms" => "start_ms + n * 17 % 997 * 60000".to_owned(),
        _ => column.clone(),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    database.execute(&format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {JOBS} - 1) \
         INSERT INTO jobs ({}) SELECT {} FROM numbers, jobs WHERE jobs.id = '{id}'",
        columns.join(", "),
        values.join(", ")
    ))?;
    match database {
        LoopDatabase::File(_) => Ok(()),
        LoopDatabase::Postgres(_) => database.execute("VACUUM ANALYZE jobs"),
    }
}

fn by(server: &Server, connection: &mut Connection, sort: &str) -> Result<Line> {
    let list = format!("/jobs/search?sortName={sort}");
    let first = server.get(&list);
    let mut page = connection.exchange(&first)?.ok()?.json()?;
    ensure!(page["totalResults"] == JOBS, "there are {} jobs", page["totalResults"]);
    let mut deep = first.clone();
    for _ in 1..DEEP {
        let cursor = page["nextCursor"].as_str().context("the list ends too early")?;
        deep = server.get(&format!("{list}&cursor={}", encode(cursor)));
        page = connection.exchange(&deep)?.ok()?.json()?;
    }
    ensure!(page["pageNo"] == DEEP, "this is page {}", page["pageNo"]);
    let mut firsts = Vec::new();
    let mut deeps = Vec::new();
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let mut time = |request: &[u8]| -> Result<f64> {
            let begun = Instant::now();
            connection.measure(request)?.ok()?;
            Ok(begun.elapsed().as_secs_f64() * 1e6)
        };
        let one = time(&first)?;
        let other = time(&deep)?;
        firsts.push(one);
        deeps.push(other);
        ratios.push(other / one);
    }
    let ratio = median(&ratios);
    Ok(Line {
        name: format!("GET /jobs/search by {sort}, page {DEEP} of {} jobs", thousands(JOBS as f64)),
        ours: format!("{} µs", thousands(median(&deeps))),
        theirs: format!("{} µs (page 1)", thousands(median(&firsts))),
        result: format!("{ratio:.2}"),
        target: format!("≤ {TARGET:.0}"),
        met: Some(ratio <= TARGET),
    })
}
