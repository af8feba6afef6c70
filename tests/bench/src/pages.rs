//! A page of 100 with its total, by a filter that many resources meet, against reading one resource.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::{
    data::Data,
    http::{Connection, encode},
    load::{Target, median},
    server::Server,
    table::{Line, thousands},
};

/// How many times as long as one resource.
const TARGET: f64 = 15.0;
/// Pages a second at all connections.
const RATE: f64 = 2_000.0;

/// Filters, by which many are found, nearly half of them, or all.
const FILTERS: [&str; 4] = ["hostName:web", "tags:env", "hostName:web+tags:env", "hostName:web+type:DEVICE"];

const ROUNDS: usize = 201;
const WARM_UP: Duration = Duration::from_millis(500);
const ROUND: Duration = Duration::from_millis(500);
const LOADED_ROUNDS: usize = 7;
/// How long a filter may take until it is answered from memory.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two lines for each filter: alone, and at all connections.
pub fn measure(data: &Data, connections: usize) -> Result<Vec<Line>> {
    let server = Server::start(&data.directory)?;
    let ids = data.some_ids(1000)?;
    let one: Vec<Vec<u8>> = ids.iter().map(|id| server.get(&format!("/resources/{id}"))).collect();
    let mut lines = Vec::new();
    for filter in FILTERS {
        let page = server.get(&format!("/resources/search?queryString={}&pageSize=100", encode(filter)));
        let mut connection = server.connect()?;
        let total = warm(&mut connection, &page)?;
        let name = format!("page of 100 of {} of {}, {filter}", thousands(total), thousands(f64::from(data.size)));
        lines.push(alone(&mut connection, &page, &one, &name)?);
        lines.push(together(server.port, &page, &one, connections, &name)?);
    }
    server.stop()?;
    Ok(lines)
}

/// Asks until the answers are as fast as they will be; gives the total.
fn warm(connection: &mut Connection, page: &[u8]) -> Result<f64> {
    let begun = Instant::now();
    let first = connection.exchange(page)?.ok()?.json()?;
    let slow = begun.elapsed();
    let mut fast = 0;
    while fast < 20 && begun.elapsed() < PATIENCE.min(slow * 100).max(Duration::from_secs(3)) {
        let sent = Instant::now();
        let again = connection.exchange(page)?.ok()?.json()?;
        ensure!(again == first, "the same question has another answer");
        fast += usize::from(sent.elapsed() * 3 < slow);
    }
    Ok(first["totalResults"].as_f64().unwrap_or_default())
}

fn alone(connection: &mut Connection, page: &[u8], one: &[Vec<u8>], name: &str) -> Result<Line> {
    let mut times = [Vec::new(), Vec::new()];
    for resource in one.iter().cycle().take(ROUNDS) {
        for (times, request) in times.iter_mut().zip([page, resource.as_slice()]) {
            let sent = Instant::now();
            connection.measure(request)?.ok()?;
            times.push(sent.elapsed().as_secs_f64() * 1e6);
        }
    }
    let [page, single] = times.map(|times| median(&times));
    let ratio = page / single;
    Ok(Line {
        name: format!("{name}, alone"),
        ours: format!("{page:.0} µs"),
        theirs: format!("{single:.0} µs (one resource)"),
        result: format!("{ratio:.1}"),
        target: format!("≤ {TARGET:.1}"),
        met: Some(ratio <= TARGET),
    })
}

fn together(port: u16, page: &[u8], one: &[Vec<u8>], connections: usize, name: &str) -> Result<Line> {
    let pages = Target::new(port, vec![page.to_vec()])?;
    let singles = Target::new(port, one.to_vec())?;
    pages.rate(connections, WARM_UP)?;
    let mut rates = Vec::new();
    let mut ratios = Vec::new();
    for _ in 0..LOADED_ROUNDS {
        let rate = pages.rate(connections, ROUND)?;
        ratios.push(singles.rate(connections, ROUND)? / rate);
        rates.push(rate);
    }
    let rate = median(&rates);
    Ok(Line {
        name: format!("{name}, {connections} connections"),
        ours: format!("{} /s", thousands(rate)),
        theirs: format!("{:.1} times one resource", median(&ratios)),
        result: format!("{} /s", thousands(rate)),
        target: format!("≥ {} /s", thousands(RATE)),
        met: Some(rate >= RATE),
    })
}
