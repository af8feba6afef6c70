//! What a thousand heartbeats cost that are pinged once a second each, in seconds of CPU, against as many requests to
//! `/health/live`.

use std::{
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::{
    http::{Connection, request},
    load::median,
    server::{Server, seconds_run},
    table::{Line, thousands},
};

const HEARTBEATS: usize = 1_000;
const ROUNDS: usize = 5;
/// How long a round is: each heartbeat is pinged so many times.
const SECONDS: usize = 4;
/// So many pings are sent one after the other, then the sender sleeps.
const AT_ONCE: usize = 20;

/// The most of one core that they may take more than the bare requests do.
const TARGET: f64 = 0.05;

/// On a database of its own.
pub fn measure(temporary: &Path) -> Result<Line> {
    let mut server = Server::start(&temporary.join("heartbeats"))?;
    let mut connection = server.connect()?;
    let mut pings = Vec::new();
    for number in 0..HEARTBEATS {
        let body = json!({"name": format!("job-{number}"), "interval": "1m", "grace": "1m"});
        let made = server.post(&mut connection, "/heartbeats", &body)?;
        let url = made["url"].as_str().context("a heartbeat without an address")?;
        let path = url.find("/api/").and_then(|start| url.get(start..)).context("an address without a path")?;
        pings.push(request("GET", path, "", b""));
    }
    let live = vec![request("GET", "/health/live", "", b""); HEARTBEATS];
    let id = server.id();
    // The first round is not counted: addresses are learnt, and the first pings are stored.
    each_second(&mut connection, id, &pings)?;
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut more = Vec::new();
    for _ in 0..ROUNDS {
        let bare = each_second(&mut connection, id, &live)?;
        let pinged = each_second(&mut connection, id, &pings)?;
        more.push(pinged - bare);
        ours.push(pinged);
        theirs.push(bare);
    }
    server.stop()?;
    let more = median(&more);
    let percent = |cores: f64| format!("{:.1} % of a core", cores * 100.0);
    Ok(Line {
        name: format!("{} heartbeats, each pinged once a second", thousands(HEARTBEATS as f64)),
        ours: percent(median(&ours)),
        theirs: format!("{} (/health/live)", percent(median(&theirs))),
        result: format!("{:+.1} %", more * 100.0),
        target: format!("≤ {:.0} %", TARGET * 100.0),
        met: Some(more <= TARGET),
    })
}

/// Sends all of these once a second, spread over it; answers how many cores the server was busy.
fn each_second(connection: &mut Connection, server: u32, requests: &[Vec<u8>]) -> Result<f64> {
    let begun = Instant::now();
    let before = seconds_run(server)?;
    for second in 0..SECONDS {
        for (number, some) in requests.chunks(AT_ONCE).enumerate() {
            for request in some {
                connection.measure(request)?.ok()?;
            }
            let share = (number + 1) as f64 * AT_ONCE as f64 / requests.len() as f64;
            let due = Duration::from_secs_f64(second as f64 + share);
            sleep(due.saturating_sub(begun.elapsed()));
        }
    }
    Ok((seconds_run(server)? - before) / begun.elapsed().as_secs_f64())
}
