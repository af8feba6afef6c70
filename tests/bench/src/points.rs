//! `GET /resources/{id}` beside writes, against a bare handler that answers the same bytes: every installation has
//! agents, heartbeats and alerts that write.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::{
    bare::Bare,
    data::Data,
    http::{Connection, request},
    load::{Target, median},
    server::{Server, below_tenant, seconds_run},
    table::{Line, thousands},
};

/// Short rounds, so that what else the machine does falls on both.
const ROUNDS: usize = 21;
const WARM_UP: Duration = Duration::from_millis(500);
const ROUND: Duration = Duration::from_millis(300);

/// The least that the server may answer of what the bare handler does.
const TARGET: f64 = 0.40;

/// Between two writes, which are 50 a second.
const BETWEEN_WRITES: Duration = Duration::from_millis(20);

/// Many resources of a database, one after the other.
pub fn measure(data: &Data, temporary: &Path, connections: usize) -> Result<Line> {
    let mut server = Server::start(&data.directory)?;
    let ids = data.some_ids(1001)?;
    let (written, read) = ids.split_first().context("no resources")?;
    let writes: Vec<Vec<u8>> = (0..2).map(|alias| server.change(written, alias)).collect();
    let port = server.port;
    let stop = AtomicBool::new(false);
    let line = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(port, &writes, &stop));
        let line = compare(&mut server, read, temporary, connections, "a resource, beside 50 writes/s");
        stop.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| anyhow!("the writer panicked"))??;
        line
    })?;
    server.stop()?;
    Ok(line)
}

/// Sends these requests in turn until it is stopped.
fn write(port: u16, writes: &[Vec<u8>], stop: &AtomicBool) -> Result<()> {
    let mut connection = Connection::open(port)?;
    let mut next = Instant::now();
    for request in writes.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        connection.exchange(request)?.ok()?;
        next += BETWEEN_WRITES;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(())
}

impl Server {
    /// The change of a machine, as bytes to send.
    fn change(&self, id: &str, alias: usize) -> Vec<u8> {
        let body = serde_json::json!({"aliasName": format!("written {alias}")}).to_string();
        request("POST", &below_tenant(&format!("/resources/{id}")), self.token(), body.as_bytes())
    }
}

/// Compares the answers of these resources with the answer of the first of them by the bare handler.
pub fn compare(server: &mut Server, ids: &[String], temporary: &Path, connections: usize, what: &str) -> Result<Line> {
    let requests: Vec<Vec<u8>> = ids.iter().map(|id| server.get(&format!("/resources/{id}"))).collect();
    let ours = Target::new(server.port, requests)?;
    let first = ours.first().to_vec();
    let answer = server.connect()?.exchange(&first)?.ok()?;
    let mut bare = Bare::start(temporary, &answer)?;
    let echo = Connection::open(bare.port)?.exchange(&first)?.ok()?;
    ensure!(echo.body == answer.body, "the bare handler answers something else");
    let theirs = Target::new(bare.port, vec![first])?;
    ensure!(ours.length() == theirs.length(), "the answers have {} and {} bytes", ours.length(), theirs.length());
    ours.rate(connections, WARM_UP)?;
    theirs.rate(connections, WARM_UP)?;
    let mut rates = Vec::new();
    let mut bare_rates = Vec::new();
    let mut ratios = Vec::new();
    let mut costs = [Cost::of(server.id())?, Cost::of(bare.id())?];
    for _ in 0..ROUNDS {
        let rate = costs[0].rate(&ours, connections)?;
        let bare_rate = costs[1].rate(&theirs, connections)?;
        ratios.push(rate / bare_rate);
        rates.push(rate);
        bare_rates.push(bare_rate);
    }
    let [cost, bare_cost] = [costs[0].each()?, costs[1].each()?];
    let ratio = median(&ratios);
    let different = thousands(ours.requests() as f64);
    let bytes = thousands(answer.length as f64);
    Ok(Line {
        name: format!("GET /resources/{{id}}, {connections} connections: {what} ({different} of them, {bytes} bytes)"),
        ours: format!("{} /s, {cost:.0} µs of CPU each", thousands(median(&rates))),
        theirs: format!("{} /s, {bare_cost:.0} µs (bare handler)", thousands(median(&bare_rates))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {TARGET:.2}"),
        met: Some(ratio >= TARGET),
    })
}

/// How long a process runs for an answer. It says what the rates leave open when the machine has other work too.
struct Cost {
    process: u32,
    seconds_before: f64,
    answered: f64,
}

impl Cost {
    fn of(process: u32) -> Result<Self> {
        Ok(Self { process, seconds_before: seconds_run(process)?, answered: 0.0 })
    }

    fn rate(&mut self, target: &Target, connections: usize) -> Result<f64> {
        let begun = Instant::now();
        let rate = target.rate(connections, ROUND)?;
        self.answered += rate * begun.elapsed().as_secs_f64();
        Ok(rate)
    }

    /// Microseconds for each answer.
    fn each(&self) -> Result<f64> {
        Ok((seconds_run(self.process)? - self.seconds_before) / self.answered * 1e6)
    }
}
