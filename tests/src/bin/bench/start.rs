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

/// The most idle memory, in MiB.
const IDLE: f64 = 25.0;

/// Both measurements.
pub fn measure(data: &Data) -> Result<[Line; 2]> {
    let server = Server::start(&data.directory)?;
    let id = data.some_ids(1)?.pop().context("no resources")?;
    let (token, request) = (server.token.clone(), server.get(&format!("/resources/{id}")));
    server.stop()?;
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let mut server = Server::spawn(&data.directory)?;
        server.token.clone_from(&token);
        server.connect()?.exchange(&request)?.ok()?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        std::thread::sleep(Duration::from_secs(1));
        memory.push(server.memory()?.resident_kib as f64 / 1024.0);
        server.stop()?;
    }
    let size = thousands(f64::from(data.size));
    let (time, memory) = (median(&times), median(&memory));
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
    ])
}
