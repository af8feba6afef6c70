//! Every filter at many resources against few, where it finds the same number of them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::{
    data::Data,
    filter_list::{self as list, Filter},
    http::Connection,
    load::median,
    seed::NEEDLES,
    server::Server,
    table::{self, Line, thousands},
};

/// At most this many times as long: a filter alone, and filters together.
const TARGETS: [f64; 2] = [3.0, 5.0];

/// Pairs of requests for each filter, at least and at most, and the seconds after which no more are begun.
const LEAST: usize = 3;
const MOST: usize = 21;
const SECONDS: f64 = 1.0;

/// What a server answers that gives a request up.
const TOO_SLOW: u16 = 503;

/// The server closes a connection that was idle for longer than this.
const IDLE: Duration = Duration::from_secs(3);

/// How many of the slowest are listed.
const SHOWN: usize = 12;

/// What came out.
pub struct Outcome {
    /// The line for filters alone, and the one for filters together.
    pub lines: [Line; 2],
    /// All of them, slowest first.
    pub listing: String,
    /// What could not be measured.
    pub failures: Vec<String>,
}

struct Measured {
    name: String,
    together: bool,
    /// Milliseconds at the small and at the large database, and the median of the ratios.
    small: f64,
    large: f64,
    ratio: f64,
}

impl Measured {
    fn target(&self) -> f64 {
        TARGETS[usize::from(self.together)]
    }
}

/// A server, and a connection that is kept while it is in use.
struct Side {
    server: Server,
    connection: Connection,
    used: Instant,
}

impl Side {
    fn open(data: &Data) -> Result<Self> {
        let server = Server::start(&data.directory)?;
        Ok(Self { connection: server.connect()?, server, used: Instant::now() })
    }

    fn connection(&mut self) -> Result<&mut Connection> {
        if self.used.elapsed() > IDLE {
            self.connection = self.server.connect()?;
        }
        Ok(&mut self.connection)
    }

    /// Asks, and checks how many were found; `false` when the server gave up.
    fn check(&mut self, path: &str) -> Result<bool> {
        let request = self.server.get(path);
        let answer = self.connection()?.exchange(&request)?;
        self.used = Instant::now();
        if answer.status == TOO_SLOW {
            return Ok(false);
        }
        let answer = answer.ok()?.json()?;
        let found = answer.as_array().or_else(|| answer["results"].as_array()).map_or(0, Vec::len);
        ensure!(found == NEEDLES, "found {found}, not {NEEDLES}: {:.300}", answer.to_string());
        Ok(true)
    }

    /// Milliseconds that an answer took.
    fn time(&mut self, path: &str) -> Result<f64> {
        let request = self.server.get(path);
        let connection = self.connection()?;
        let sent = Instant::now();
        connection.measure(&request)?.ok()?;
        self.used = Instant::now();
        Ok(sent.elapsed().as_secs_f64() * 1000.0)
    }
}

/// Measures all filters.
pub fn measure(small: &Data, large: &Data) -> Result<Outcome> {
    let mut sides = [Side::open(small)?, Side::open(large)?];
    for side in &mut sides {
        // The first question after a start is not what is measured here.
        let first = side.server.get("/resources/minimal?queryString=hostName:nobody");
        side.connection.exchange(&first)?.ok()?;
        side.server.settle()?;
    }
    let (mut all, mut failures) = (Vec::new(), Vec::new());
    for (together, list) in [(false, list::alone as fn(&Value) -> Result<Vec<Filter>>), (true, list::combined)] {
        for ((name, few), (_, many)) in list(&small.needles)?.into_iter().zip(list(&large.needles)?) {
            match pair(&mut sides, [&few, &many]) {
                Ok([small, large, ratio]) => all.push(Measured { name, together, small, large, ratio }),
                Err(error) => failures.push(format!("not measured: {name} ({many:.200}): {error:#}")),
            }
        }
    }
    for side in sides {
        side.server.stop()?;
    }
    all.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let sizes = [small, large].map(|data| thousands(f64::from(data.size)));
    let lines = [("filters", false), ("filters together", true)].map(|(name, together)| {
        let these: Vec<&Measured> = all.iter().filter(|one| one.together == together).collect();
        line(name, &these, &sizes)
    });
    Ok(Outcome { lines, listing: listing(&all, &sizes), failures })
}

/// Milliseconds at the small and at the large database, and the median of the ratios; infinite when a server gave up.
fn pair(sides: &mut [Side; 2], paths: [&str; 2]) -> Result<[f64; 3]> {
    for (side, path) in sides.iter_mut().zip(paths) {
        // Twice, so that everything is warm.
        if !(side.check(path)? && side.check(path)?) {
            return Ok([f64::NAN, f64::INFINITY, f64::INFINITY]);
        }
    }
    let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    let begun = Instant::now();
    while ratios.len() < LEAST || (ratios.len() < MOST && begun.elapsed().as_secs_f64() < SECONDS) {
        let pair = [sides[0].time(paths[0])?, sides[1].time(paths[1])?];
        times[0].push(pair[0]);
        times[1].push(pair[1]);
        ratios.push(pair[1] / pair[0]);
    }
    Ok([median(&times[0]), median(&times[1]), median(&ratios)])
}

fn line(name: &str, measured: &[&Measured], [small, large]: &[String; 2]) -> Line {
    let target = measured.first().map_or(TARGETS[0], |one| one.target());
    let met = measured.iter().filter(|one| one.ratio <= target).count();
    let worst = measured.first();
    Line {
        name: format!("{name}, {large} resources against {small}"),
        ours: worst.map_or_else(String::new, |one| format!("worst: {}, {:.1} ms", one.name, one.large)),
        theirs: worst.map_or_else(String::new, |one| format!("{:.1} ms", one.small)),
        result: format!("{:.2} worst, {met} of {} met", worst.map_or(0.0, |one| one.ratio), measured.len()),
        target: format!("≤ {target:.2} each"),
        met: Some(met == measured.len()),
    }
}

fn listing(all: &[Measured], [small, large]: &[String; 2]) -> String {
    let head = ["filter".to_owned(), format!("ms at {small}"), format!("ms at {large}"), "ratio".to_owned()];
    let shown = all.iter().enumerate().filter(|(number, one)| *number < SHOWN || one.ratio > one.target());
    let rows = shown.map(|(_, one)| {
        [one.name.clone(), format!("{:.2}", one.small), format!("{:.2}", one.large), format!("{:.2}", one.ratio)]
    });
    let rest = all.len() - rows.clone().count();
    let table = table::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    format!("The slowest filters ({rest} more are faster):\n{table}")
}
