//! Every filter at many resources against few: where it finds the same number of them, alone and together with one that
//! finds many, and where every two that find many together are asked for a page with its total.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
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

/// Pairs of requests for each filter, at least and at most.
const LEAST: usize = 3;
const MOST: usize = 21;

/// Resources of a page.
const PAGE: usize = 100;

/// What a server answers that gives a request up.
const TOO_SLOW: u16 = 503;

/// How long a question that is refused as too slow is asked again, and after what pause.
const PATIENCE: Duration = Duration::from_secs(60);
const AGAIN: Duration = Duration::from_millis(100);

/// The server closes a connection that was idle for longer than this.
const IDLE: Duration = Duration::from_secs(3);

/// How many of the slowest are listed.
const SHOWN: usize = 12;

/// What came out.
pub struct Outcome {
    /// A line for each kind of filters.
    pub lines: Vec<Line>,
    /// All of them, slowest first.
    pub listing: String,
    /// What could not be measured.
    pub failures: Vec<String>,
}

/// Kinds of filters, by what they find.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// One that finds few.
    Alone,
    /// One that finds few, and one that finds many.
    Together,
    /// Two that find many.
    Common,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Alone, Self::Together, Self::Common];

    fn name(self) -> &'static str {
        match self {
            Self::Alone => "filters",
            Self::Together => "filters together",
            Self::Common => "common filters together, page of 100 with total",
        }
    }

    fn list(self, needles: &Value) -> Result<Vec<Filter>> {
        match self {
            Self::Alone => list::alone(needles),
            Self::Together => list::combined(needles),
            Self::Common => list::pages_of_pairs(needles),
        }
    }

    /// At most this many times as long as at the small database.
    fn times(self) -> f64 {
        if self == Self::Alone { 3.0 } else { 5.0 }
    }

    /// At most so many milliseconds at the large one.
    fn milliseconds(self) -> Option<f64> {
        (self != Self::Alone).then_some(50.0)
    }

    /// The seconds after which no more requests are begun for a filter.
    fn seconds(self) -> f64 {
        if self == Self::Common { 0.3 } else { 1.0 }
    }
}

struct Measured {
    name: String,
    kind: Kind,
    /// Milliseconds at the small and at the large database, and the median of the ratios.
    small: f64,
    large: f64,
    ratio: f64,
}

impl Measured {
    fn met(&self) -> bool {
        self.ratio <= self.kind.times() && self.kind.milliseconds().is_none_or(|most| self.large <= most)
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

    /// Asks; `None` when the server gave up.
    fn ask(&mut self, path: &str) -> Result<Option<Value>> {
        let request = self.server.get(path);
        let answer = self.connection()?.exchange(&request)?;
        self.used = Instant::now();
        if answer.status == TOO_SLOW {
            return Ok(None);
        }
        answer.ok()?.json().map(Some)
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
    let cold = cold(large)?;
    let mut sides = [Side::open(small)?, Side::open(large)?];
    for side in &mut sides {
        // The first question after a start is not what is measured here.
        let first = side.server.get("/resources/minimal?queryString=hostName:nobody");
        side.connection.exchange(&first)?.ok()?;
        side.server.settle()?;
    }
    let mut all = Vec::new();
    let mut failures = Vec::new();
    for kind in Kind::ALL {
        if kind == Kind::Common {
            warm(&mut sides, &large.needles)?;
        }
        for ((name, few), (_, many)) in kind.list(&small.needles)?.into_iter().zip(kind.list(&large.needles)?) {
            match pair(&mut sides, [&few, &many], kind, small.size) {
                Ok([small, large, ratio]) => all.push(Measured { name, kind, small, large, ratio }),
                Err(error) => failures.push(format!("not measured: {name} ({many:.200}): {error:#}")),
            }
        }
    }
    for side in sides {
        side.server.stop()?;
    }
    all.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let sizes = [small, large].map(|data| thousands(f64::from(data.size)));
    let line = |kind| {
        let these: Vec<&Measured> = all.iter().filter(|one| one.kind == kind).collect();
        line(kind, &these, &sizes, &cold)
    };
    Ok(Outcome { lines: Kind::ALL.map(line).into(), listing: listing(&all, &sizes), failures })
}

/// Which two common filters take longest as the first question after a start, and how many milliseconds: until there is
/// an answer, since anyone who is refused as too slow asks again. Each filter is asked twice so, with another one
/// behind it and before it.
fn cold(data: &Data) -> Result<(String, f64)> {
    let mut worst = (String::new(), 0.0);
    let filters = list::pages(&data.needles)?.len();
    for (name, path) in list::pages_of_pairs(&data.needles)?.into_iter().take(filters) {
        let mut side = Side::open(data)?;
        let sent = Instant::now();
        while side.ask(&path).with_context(|| name.clone())?.is_none() {
            ensure!(sent.elapsed() < PATIENCE, "{name} was refused for {} s after a start", PATIENCE.as_secs());
            std::thread::sleep(AGAIN);
        }
        let took = sent.elapsed().as_secs_f64() * 1000.0;
        // What it makes behind the first answer would be in the way of its stop.
        side.server.settle()?;
        side.server.stop()?;
        if took > worst.1 {
            worst = (name, took);
        }
    }
    Ok(worst)
}

/// Asks each common filter once, and lets the servers make what they answer later ones from.
fn warm(sides: &mut [Side; 2], needles: &Value) -> Result<()> {
    for side in sides {
        for (name, path) in list::pages(needles)? {
            side.ask(&path).with_context(|| format!("common {name}"))?;
        }
        side.server.settle()?;
    }
    Ok(())
}

/// Asks twice, so that everything is warm, and checks what is found; `false` when a server gave up.
fn check(sides: &mut [Side; 2], paths: [&str; 2], kind: Kind, small: u32) -> Result<bool> {
    let mut totals = Vec::new();
    for (side, path) in sides.iter_mut().zip(paths) {
        let (Some(answer), Some(_)) = (side.ask(path)?, side.ask(path)?) else { return Ok(false) };
        let found = answer.as_array().or_else(|| answer["results"].as_array()).map_or(0, Vec::len);
        if kind != Kind::Common {
            ensure!(found == NEEDLES, "found {found}, not {NEEDLES}: {:.300}", answer.to_string());
            continue;
        }
        let total =
            answer["totalResults"].as_u64().and_then(|total| usize::try_from(total).ok()).context("no total")?;
        ensure!(found == total.min(PAGE), "{found} resources are on the first page of {total}");
        totals.push(total);
    }
    // More than a page where the small database is not too small for it; or nobody, in both.
    let least = PAGE.min(small as usize / 32);
    ensure!(
        totals.iter().all(|total| *total > least) || totals.iter().all(|total| *total == 0),
        "found {totals:?} of them, not more than {least}"
    );
    Ok(true)
}

/// Milliseconds at the small and at the large database, and the median of the ratios; infinite when a server gave up.
fn pair(sides: &mut [Side; 2], paths: [&str; 2], kind: Kind, small: u32) -> Result<[f64; 3]> {
    if !check(sides, paths, kind, small)? {
        return Ok([f64::NAN, f64::INFINITY, f64::INFINITY]);
    }
    let mut times = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    let begun = Instant::now();
    while ratios.len() < LEAST || (ratios.len() < MOST && begun.elapsed().as_secs_f64() < kind.seconds()) {
        let pair = [sides[0].time(paths[0])?, sides[1].time(paths[1])?];
        times[0].push(pair[0]);
        times[1].push(pair[1]);
        ratios.push(pair[1] / pair[0]);
    }
    Ok([median(&times[0]), median(&times[1]), median(&ratios)])
}

/// `measured` has the worst ratio first.
fn line(kind: Kind, measured: &[&Measured], [small, large]: &[String; 2], cold: &(String, f64)) -> Line {
    let met = measured.iter().filter(|one| one.met()).count();
    let (worst, slowest) = (measured.first(), measured.iter().max_by(|one, other| one.large.total_cmp(&other.large)));
    let mut line = Line {
        name: format!("{}, {large} resources against {small}", kind.name()),
        ours: worst.map_or_else(String::new, |one| format!("worst: {}, {:.1} ms", one.name, one.large)),
        theirs: worst.map_or_else(String::new, |one| format!("{:.1} ms", one.small)),
        result: format!("{:.2} worst", worst.map_or(0.0, |one| one.ratio)),
        target: format!("≤ {:.2} each", kind.times()),
        met: Some(met == measured.len()),
    };
    if let (Some(most), Some(one)) = (kind.milliseconds(), slowest) {
        line.ours.push_str(&format!("; slowest: {}", one.name));
        line.result.push_str(&format!(", {:.1} ms slowest", one.large));
        line.target.push_str(&format!(", ≤ {most:.0} ms"));
    }
    if kind == Kind::Common {
        line.ours.push_str(&format!("; first after a start: {}, {:.0} ms", cold.0, cold.1));
    }
    line.result.push_str(&format!(", {met} of {} met", measured.len()));
    line
}

fn listing(all: &[Measured], [small, large]: &[String; 2]) -> String {
    let head = ["filter".to_owned(), format!("ms at {small}"), format!("ms at {large}"), "ratio".to_owned()];
    let shown = all.iter().enumerate().filter(|(number, one)| *number < SHOWN || !one.met());
    let rows = shown.map(|(_, one)| {
        [one.name.clone(), format!("{:.2}", one.small), format!("{:.2}", one.large), format!("{:.2}", one.ratio)]
    });
    let rest = all.len() - rows.clone().count();
    let table = table::columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    format!("The slowest filters ({rest} more are faster):\n{table}")
}
