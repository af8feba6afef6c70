//! `GET /resources/{id}`, against a bare handler that answers the same bytes.

use std::{path::Path, time::Duration};

use anyhow::{Result, ensure};

use crate::{
    bare::Bare,
    data::Data,
    http::Connection,
    load::{Target, median},
    server::Server,
    table::{Line, thousands},
};

const ROUNDS: usize = 7;
const WARM_UP: Duration = Duration::from_millis(500);
const ROUND: Duration = Duration::from_secs(1);

/// The least that the server may answer of what the bare handler does.
const TARGET: f64 = 0.25;

/// Many resources of a database, one after the other.
pub fn measure(data: &Data, temporary: &Path, connections: usize) -> Result<Line> {
    let server = Server::start(&data.directory)?;
    let line = compare(&server, &data.some_ids(1000)?, temporary, connections, "a resource")?;
    server.stop()?;
    Ok(line)
}

/// Compares the answers of these resources with the answer of the first of them by the bare handler.
pub fn compare(server: &Server, ids: &[String], temporary: &Path, connections: usize, what: &str) -> Result<Line> {
    let requests: Vec<Vec<u8>> = ids.iter().map(|id| server.get(&format!("/resources/{id}"))).collect();
    let ours = Target::new(server.port, requests)?;
    let first = ours.first().to_vec();
    let answer = server.connect()?.exchange(&first)?.ok()?;
    let bare = Bare::start(temporary, &answer)?;
    let echo = Connection::open(bare.port)?.exchange(&first)?.ok()?;
    ensure!(echo.body == answer.body, "the bare handler answers something else");
    let theirs = Target::new(bare.port, vec![first])?;
    ensure!(ours.length() == theirs.length(), "the answers have {} and {} bytes", ours.length(), theirs.length());
    ours.rate(connections, WARM_UP)?;
    theirs.rate(connections, WARM_UP)?;
    let (mut rates, mut bare_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let rate = ours.rate(connections, ROUND)?;
        let bare_rate = theirs.rate(connections, ROUND)?;
        ratios.push(rate / bare_rate);
        rates.push(rate);
        bare_rates.push(bare_rate);
    }
    let ratio = median(&ratios);
    let (different, bytes) = (thousands(ours.requests() as f64), thousands(answer.length as f64));
    Ok(Line {
        name: format!("GET /resources/{{id}}, {connections} connections: {what} ({different} of them, {bytes} bytes)"),
        ours: format!("{} /s", thousands(median(&rates))),
        theirs: format!("{} /s (bare handler)", thousands(median(&bare_rates))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {TARGET:.2}"),
        met: Some(ratio >= TARGET),
    })
}
