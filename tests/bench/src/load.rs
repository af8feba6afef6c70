//! The load generator: connections that always have one request under way, at as little cost as possible, since it
//! shares the machine with what it measures.
//!
//! A thread goes round its connections: it reads the answer of one in full, sends the next request on it, and turns to
//! the next. All others have their request at the server meanwhile. That is two calls of the kernel for a request, and
//! none to find out which connection is ready.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Barrier,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};

use crate::http::{Connection, connect};

/// Threads that generate load.
const THREADS: usize = 2;

/// What is asked, of whom. Every answer has the same length.
pub struct Target {
    port: u16,
    requests: Vec<Vec<u8>>,
    /// Head and body of an answer, in bytes.
    length: usize,
}

impl Target {
    /// Asks each request once, and keeps those whose answers have the length that most have.
    pub fn new(port: u16, requests: Vec<Vec<u8>>) -> Result<Self> {
        let mut connection = Connection::open(port)?;
        let mut by_length: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
        for request in requests {
            let answer = connection.exchange(&request)?.ok()?;
            by_length.entry(answer.head + answer.length).or_default().push(request);
        }
        let most = by_length.into_iter().max_by_key(|(_, requests)| requests.len());
        let (length, requests) = most.context("nothing to ask")?;
        Ok(Self { port, requests, length })
    }

    /// The first of the requests.
    pub fn first(&self) -> &[u8] {
        self.requests.first().map_or(&[], Vec::as_slice)
    }

    /// How many different requests there are.
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// The length of an answer.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Answers a second over this time, at so many connections.
    pub fn rate(&self, connections: usize, time: Duration) -> Result<f64> {
        let barrier = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            let each = |number: usize| connections / THREADS + usize::from(number < connections % THREADS);
            let barrier = &barrier;
            let threads: Vec<_> =
                (0..THREADS).map(|number| scope.spawn(move || self.run(number, each(number), time, barrier))).collect();
            let rates = threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("the load panicked"))?);
            rates.sum::<Result<f64>>()
        })
    }

    fn run(&self, number: usize, connections: usize, time: Duration, barrier: &Barrier) -> Result<f64> {
        if connections == 0 {
            barrier.wait();
            return Ok(0.0);
        }
        let mut streams: Vec<TcpStream> = (0..connections).map(|_| connect(self.port)).collect::<Result<_>>()?;
        let mut requests = self.requests.iter().cycle().skip(number * self.requests.len() / THREADS);
        let mut next = move || requests.next().map_or(&[][..], Vec::as_slice);
        let mut buffer = vec![0; self.length];
        barrier.wait();
        let begun = Instant::now();
        for stream in &mut streams {
            stream.write_all(next())?;
        }
        let mut answered = 0_u32;
        while begun.elapsed() < time {
            for stream in &mut streams {
                stream.read_exact(&mut buffer)?;
                ensure!(buffer.starts_with(b"HTTP/1.1 200 OK\r\n"), "{}", String::from_utf8_lossy(&buffer));
                stream.write_all(next())?;
                answered += 1;
            }
        }
        let rate = f64::from(answered) / begun.elapsed().as_secs_f64();
        for stream in &mut streams {
            stream.read_exact(&mut buffer)?;
        }
        Ok(rate)
    }
}

/// The middle of some measurements.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => (sorted[length / 2 - 1] + sorted[length / 2]) / 2.0,
    }
}
