//! Durable writes: how many eight writers at once reach, and what becomes of five times the load.

use std::{path::Path, time::Duration};

use anyhow::Result;
use muster_tests::pressure::{LoadResult, Pressure};
use serde_json::json;

use crate::{
    http::request,
    load::{Target, median},
    server::{Server, below_tenant},
    table::{Line, thousands},
};

const WRITERS: usize = 8;
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(700);

/// The writes a second that the eight reach, each with its row in the audit log and its event.
const TOGETHER: f64 = 5_000.0;

/// Requests that are worked on at once under pressure: what two cores carry well.
const BOUND: usize = 32;
const PRESSURE: Duration = Duration::from_secs(6);
const PRESSURES: usize = 3;

/// The least part of the peak that is still answered at five times the load, and the longest wait of a refusal.
const GOODPUT: f64 = 0.95;
const REFUSAL: Duration = Duration::from_millis(50);

/// Creates of resources by one connection and by eight, in turns.
pub fn together(temporary: &Path) -> Result<Line> {
    let server = Server::start(&temporary.join("writes"))?;
    let target = Target::new(server.port, vec![create(&server)])?;
    target.rate(WRITERS, ROUND)?;
    let mut one = Vec::new();
    let mut many = Vec::new();
    for _ in 0..ROUNDS {
        one.push(target.rate(1, ROUND)?);
        many.push(target.rate(WRITERS, ROUND)?);
    }
    server.stop()?;
    let one = median(&one);
    let many = median(&many);
    Ok(Line {
        name: format!("POST /resources, each durable, {WRITERS} writers"),
        ours: format!("{:.1} times one writer", many / one),
        theirs: format!("{} /s (one writer)", thousands(one)),
        result: format!("{} /s", thousands(many)),
        target: format!("≥ {} /s", thousands(TOGETHER)),
        met: Some(many >= TOGETHER),
    })
}

fn create(server: &Server) -> Vec<u8> {
    let body = json!({"hostName": "web-1.example.net", "tags": [{"name": "env", "value": "bench"}]}).to_string();
    request("POST", &below_tenant("/resources"), &server.token, body.as_bytes())
}

/// Reads and writes, each at the rate that fills the server and at five times that rate.
pub fn overload(temporary: &Path) -> Result<[Line; 2]> {
    let mut server = Server::start(&temporary.join("overload"))?;
    let mut connection = server.connect()?;
    for number in 0..200 {
        server.post(&mut connection, "/resources", &json!({"hostName": format!("web-{number}.example.net")}))?;
    }
    let read = server.get("/resources/search?queryString=hostName:web&pageSize=50");
    let write = create(&server);
    let lines =
        [pressed(&mut server, "GET /resources/search", &read)?, pressed(&mut server, "POST /resources", &write)?];
    server.stop()?;
    Ok(lines)
}

fn pressed(server: &mut Server, name: &str, request: &[u8]) -> Result<Line> {
    let base = format!("http://127.0.0.1:{}", server.port);
    let press = |connections, per_second| Pressure { connections, time: PRESSURE, per_second }.on(&base, request);
    let rate = |seen: &LoadResult| seen.count(200) as f64 / PRESSURE.as_secs_f64();
    press(BOUND, None);
    let before = server.memory()?.resident_kib;
    let mut ratios = Vec::new();
    let mut peaks = Vec::new();
    let mut refusals = Vec::new();
    let mut others = 0;
    let mut refused = 0;
    for _ in 0..PRESSURES {
        let peak = rate(&press(BOUND, None));
        let over = press(20 * BOUND, Some((5.0 * peak) as usize));
        ratios.push(rate(&over) / peak);
        peaks.push(peak);
        refused += over.count(503);
        refusals.push(over.percentile_99(503).as_secs_f64() * 1000.0);
        others += over.lost;
        others += over
            .times
            .iter()
            .filter(|(status, _)| ![200, 429, 503].contains(*status))
            .map(|(_, t)| t.len())
            .sum::<usize>();
    }
    let grown = server.memory()?.resident_kib.saturating_sub(before) as f64 / 1024.0;
    let ratio = median(&ratios);
    let refusal = median(&refusals);
    let most = REFUSAL.as_secs_f64() * 1000.0;
    Ok(Line {
        name: format!("{name} at five times the load that it carries"),
        ours: format!(
            "{} refused, 99 % of them in {refusal:.0} ms, {grown:.1} MiB more, {others} lost or failed",
            thousands(refused as f64)
        ),
        theirs: format!("{} /s at its peak", thousands(median(&peaks))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {GOODPUT:.2}, {most:.0} ms"),
        met: Some(ratio >= GOODPUT && refusal <= most && others == 0),
    })
}
