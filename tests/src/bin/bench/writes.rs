//! Durable writes: what eight writers at once reach beside one, and what becomes of five times the load.

use std::{path::Path, time::Duration};

use anyhow::Result;
use muster_tests::pressure::{Pressure, Seen};
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

/// How many times the writes of one writer the eight reach.
const TOGETHER: f64 = 4.0;

/// Requests that are worked on at once under pressure: what two cores carry well.
const BOUND: usize = 32;
const PRESSURE: Duration = Duration::from_secs(3);
const PRESSURES: usize = 3;

/// The least part of the peak that is still answered at five times the load, and the longest wait of a refusal.
const GOODPUT: f64 = 0.9;
const REFUSAL: Duration = Duration::from_millis(50);

/// Creates of resources by one connection and by eight, in turns.
pub fn together(temporary: &Path) -> Result<Line> {
    let server = Server::start(&temporary.join("writes"))?;
    let target = Target::new(server.port, vec![create(&server)])?;
    target.rate(WRITERS, ROUND)?;
    let (mut one, mut many, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (alone, together) = (target.rate(1, ROUND)?, target.rate(WRITERS, ROUND)?);
        one.push(alone);
        many.push(together);
        ratios.push(together / alone);
    }
    server.stop()?;
    let ratio = median(&ratios);
    Ok(Line {
        name: format!("POST /resources, each durable, {WRITERS} writers"),
        ours: format!("{} /s", thousands(median(&many))),
        theirs: format!("{} /s (one writer)", thousands(median(&one))),
        result: format!("{ratio:.1} times"),
        target: format!("≥ {TOGETHER:.0} times"),
        met: Some(ratio >= TOGETHER),
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
    let rate = |seen: &Seen| seen.count(200) as f64 / PRESSURE.as_secs_f64();
    press(BOUND, None);
    let before = server.memory()?.resident_kib;
    let (mut ratios, mut peaks, mut refusals, mut others) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..PRESSURES {
        let peak = rate(&press(BOUND, None));
        let over = press(10 * BOUND, Some((5.0 * peak) as usize));
        ratios.push(rate(&over) / peak);
        peaks.push(peak);
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
    let (ratio, refusal) = (median(&ratios), median(&refusals));
    let most = REFUSAL.as_secs_f64() * 1000.0;
    Ok(Line {
        name: format!("{name} at five times the load that it carries"),
        ours: format!("99 % of refusals in {refusal:.0} ms, {grown:.1} MiB more, {others} lost or failed"),
        theirs: format!("{} /s at its peak", thousands(median(&peaks))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {GOODPUT:.1}, {most:.0} ms"),
        met: Some(ratio >= GOODPUT && refusal <= most && others == 0),
    })
}
