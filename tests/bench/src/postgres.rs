//! The read of one resource on Postgres, beside `pgbench -S` on the same Postgres: a prepared statement that reads one
//! row.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use muster_tests::{fresh_database, postgres_program};
use serde_json::json;

use crate::{
    load::{Target, median},
    server::Server,
    table::{Line, thousands},
};

const RESOURCES: usize = 200;
const ROUNDS: usize = 5;
/// Seconds of a round, which pgbench counts whole.
const ROUND: u64 = 2;

/// The least part of pgbench's rate.
const TARGET: f64 = 0.5;

/// Measures it on a database that the tests' Postgres makes.
pub fn measure(temporary: &Path, connections: usize) -> Result<Line> {
    let name = format!("GET /resources/{{id}} on Postgres, {connections} connections");
    let Some(program) = postgres_program("pgbench") else {
        return Ok(Line::skipped(&name, "pgbench is not installed"));
    };
    let ours = Postgres { program, url: fresh_database() };
    ours.pgbench(&["-i", "-q", "-s", "10"])?;
    let url = fresh_database();
    let server = Server::start_with(&temporary.join("postgres"), &[("MUSTER_DATABASE_URL", &url)])?;
    let mut connection = server.connect()?;
    let mut requests = Vec::with_capacity(RESOURCES);
    for number in 0..RESOURCES {
        let body = json!({"hostName": format!("web-{number:04}.example.net"), "ipAddress": "10.0.0.1"});
        let made = server.post(&mut connection, "/resources", &body)?;
        let id = made["resourceUUID"].as_str().context("no resourceUUID")?;
        requests.push(server.get(&format!("/resources/{id}")));
    }
    let target = Target::new(server.port, requests)?;
    target.rate(connections, Duration::from_secs(1))?;
    let mut rates = Vec::new();
    let mut bare = Vec::new();
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let rate = target.rate(connections, Duration::from_secs(ROUND))?;
        let transactions = ours.reads(connections)?;
        ratios.push(rate / transactions);
        rates.push(rate);
        bare.push(transactions);
    }
    server.stop()?;
    let ratio = median(&ratios);
    Ok(Line {
        name,
        ours: format!("{} /s", thousands(median(&rates))),
        theirs: format!("{} /s (pgbench -S -M prepared)", thousands(median(&bare))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {TARGET:.2}"),
        met: Some(ratio >= TARGET),
    })
}

struct Postgres {
    program: PathBuf,
    url: String,
}

impl Postgres {
    /// Reads a second.
    fn reads(&self, connections: usize) -> Result<f64> {
        let clients = connections.to_string();
        let seconds = ROUND.to_string();
        let text = self.pgbench(&["-S", "-M", "prepared", "-n", "-j", "2", "-c", &clients, "-T", &seconds])?;
        let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).context("pgbench said no rate")?;
        Ok(rate.split(' ').next().unwrap_or_default().parse()?)
    }

    fn pgbench(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        let output = command.args(arguments).arg("-d").arg(&self.url).stdin(Stdio::null()).output()?;
        ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }
}
