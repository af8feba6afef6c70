//! How soon the server answers after its start on an existing database, and the memory it then has.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::{
    data::Data,
    load::median,
    server::Server,
    table::{Line, thousands},
};

const ROUNDS: usize = 7;

/// The longest time to the first answer, in milliseconds.
const FIRST_ANSWER: f64 = 150.0;

/// When the service is idle after its start: what that needed has gone back to the system.
const SETTLED: Duration = Duration::from_secs(4);

/// The most idle memory, in MiB.
const IDLE: f64 = 25.0;

/// Connections that stay open without a request, and the most memory that they may take more, in MiB.
const CONNECTIONS: usize = 1_000;
const CONNECTED: f64 = 20.0;
/// Connections before them, one after the other.
const WARM: usize = 100;

/// All measurements.
pub fn measure(data: &Data) -> Result<[Line; 4]> {
    let server = Server::start(&data.directory)?;
    let id = data.some_ids(1)?.pop().context("no resources")?;
    let token = server.token.clone();
    let request = server.get(&format!("/resources/{id}"));
    server.stop()?;
    let mut times = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut server = Server::spawn(&data.directory)?;
        server.token.clone_from(&token);
        server.connect()?.exchange(&request)?.ok()?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        std::thread::sleep(SETTLED);
        memory.push(server.memory()?.resident_kib as f64 / 1024.0);
        server.stop()?;
    }
    let size = thousands(f64::from(data.size));
    let time = median(&times);
    let memory = median(&memory);
    let worst = times.iter().copied().fold(0.0, f64::max);
    Ok([
        Line {
            name: format!("start to first answer, {size} resources"),
            ours: format!("{time:.0} ms"),
            theirs: format!("{worst:.0} ms at worst"),
            result: format!("{time:.0} ms"),
            target: format!("≤ {FIRST_ANSWER:.0} ms"),
            met: Some(time <= FIRST_ANSWER),
        },
        Line {
            name: "idle memory after the start".to_owned(),
            ours: format!("{memory:.1} MiB"),
            theirs: String::new(),
            result: format!("{memory:.1} MiB"),
            target: format!("≤ {IDLE:.0} MiB"),
            met: Some(memory <= IDLE),
        },
        first_page(data, &size)?,
        connected(data)?,
    ])
}

/// How long the first question about many takes after a start, when no set of what a term means is in memory.
fn first_page(data: &Data, size: &str) -> Result<Line> {
    let server = Server::start(&data.directory)?;
    let request = server.get("/resources/search?queryString=hostName:web&pageSize=100");
    let mut connection = server.connect()?;
    let mut milliseconds = || -> Result<f64> {
        let begun = Instant::now();
        connection.exchange(&request)?.ok()?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    };
    let first = milliseconds()?;
    let second = milliseconds()?;
    drop(connection);
    server.stop()?;
    Ok(Line {
        name: format!("first page of hostName:web after the start, {size} resources"),
        ours: format!("{first:.0} ms"),
        theirs: format!("{second:.1} ms (the second)"),
        result: format!("{first:.0} ms"),
        target: String::new(),
        met: None,
    })
}

/// What idle connections take that have had an answer each.
fn connected(data: &Data) -> Result<Line> {
    let mut server = Server::start(&data.directory)?;
    let request = server.get("/resources/minimal?queryString=hostName:nobody");
    server.settle()?;
    // Whatever works for connections has worked then, so that what is measured is the connections.
    for _ in 0..WARM {
        server.connect()?.exchange(&request)?.ok()?;
    }
    let before = server.memory()?.resident_kib;
    let mut connections = Vec::with_capacity(CONNECTIONS);
    for _ in 0..CONNECTIONS {
        let mut connection = server.connect()?;
        connection.exchange(&request)?.ok()?;
        connections.push(connection);
    }
    let after = server.memory()?.resident_kib;
    drop(connections);
    server.stop()?;
    let [before, after] = [before, after].map(|kib| kib as f64 / 1024.0);
    let more = after - before;
    Ok(Line {
        name: format!("memory of {} idle connections", thousands(CONNECTIONS as f64)),
        ours: format!("{after:.1} MiB"),
        theirs: format!("{before:.1} MiB (without)"),
        result: format!("{more:+.1} MiB"),
        target: format!("≤ {CONNECTED:.0} MiB"),
        met: Some(more <= CONNECTED),
    })
}
