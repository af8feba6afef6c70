//! `make bench`: what the service promises about its speed and its memory, measured in one run on one machine, each
//! beside something that every machine has: a bare handler, the `sqlite3` program, an insert loop.
//!
//! A target that is missed is printed and fails nothing; what cannot be measured fails the run. Sizes are set in the
//! environment: `BENCH_SMALL`, `BENCH_LIST`, `BENCH_LARGE` (resources), `BENCH_CONNECTIONS`, `BENCH_REPORTS` (a round);
//! `BENCH_PAGING` (seconds of a steady rate, of which a thousand times as many alerts are the storm) likewise;
//! `BENCH_ONLY` names parts to run, separated by commas.

mod alerts;
mod bare;
mod copies;
mod data;
mod filter_list;
mod filters;
mod heartbeats;
mod http;
mod integrations;
mod jobs;
mod lists;
mod load;
mod machine;
mod maintenance;
mod names;
mod pages;
mod paging;
mod points;
mod reports;
mod rosters;
mod seed;
mod server;
mod slots;
mod sqlite;
mod start;
mod table;
mod times;
mod writes;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use crate::{data::Store, table::Line};

/// The parts, in the order in which they run.
const PARTS: [&str; 17] = [
    "points",
    "pages",
    "list",
    "memory",
    "filters",
    "reports",
    "rosters",
    "maintenance",
    "jobs",
    "alerts",
    "heartbeats",
    "integrations",
    "paging",
    "times",
    "writes",
    "overload",
    "start",
];

struct Settings {
    small: u32,
    list: u32,
    large: u32,
    connections: usize,
    reports: usize,
    paging: usize,
    only: Vec<String>,
}

impl Settings {
    fn read() -> Result<Self> {
        let number = |name: &str, default: u32| match std::env::var(name) {
            Ok(text) => text.replace('_', "").parse().with_context(|| format!("{name} is no number")),
            Err(_) => Ok(default),
        };
        let only = std::env::var("BENCH_ONLY").unwrap_or_default();
        let only: Vec<String> =
            only.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let unknown = only.iter().find(|part| !PARTS.contains(&part.as_str()));
        ensure!(unknown.is_none(), "BENCH_ONLY: the parts are {}", PARTS.join(", "));
        Ok(Self {
            small: number("BENCH_SMALL", 10_000)?,
            list: number("BENCH_LIST", 100_000)?,
            large: number("BENCH_LARGE", 1_000_000)?,
            connections: number("BENCH_CONNECTIONS", 32)? as usize,
            reports: number("BENCH_REPORTS", 150)? as usize,
            paging: number("BENCH_PAGING", 10)? as usize,
            only,
        })
    }
}

/// What was measured so far.
#[derive(Default)]
struct Results {
    lines: Vec<Line>,
    listing: String,
    failed: bool,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let done = match (arguments.next(), arguments.next()) {
        (Some(word), Some(file)) if word == bare::ARGUMENT => bare::run(Path::new(&file)).map(|()| true),
        _ => bench(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all parts and prints the table; answers whether everything could be measured.
#[expect(clippy::print_stdout, reason = "this table is what the program is for")]
fn bench() -> Result<bool> {
    let begun = Instant::now();
    let settings = Settings::read()?;
    let root = directory()?;
    let temporary = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
    let store = Store::open(&root, temporary.path())?;
    let mut results = Results::default();
    for part in PARTS.into_iter().filter(|part| settings.only.is_empty() || settings.only.iter().any(|one| one == part))
    {
        eprintln!("measuring: {part}");
        let measured = measure(part, &settings, &store, temporary.path(), &mut results);
        if let Err(error) = measured {
            results.failed = true;
            results.lines.push(Line::skipped(part, &format!("failed: {error:#}")));
        }
    }
    println!("\n{}", table::render(&results.lines));
    println!("{}", results.listing);
    println!(
        "{} cores, {} s; a ratio is the median of alternating rounds, and a missed target fails nothing.",
        server::workers(),
        begun.elapsed().as_secs()
    );
    Ok(!results.failed)
}

fn measure(part: &str, settings: &Settings, store: &Store, temporary: &Path, results: &mut Results) -> Result<()> {
    let Settings { small, list, large, connections, reports, paging, .. } = *settings;
    match part {
        "points" => results.lines.push(points::measure(&store.database(list)?, temporary, connections)?),
        "pages" => results.lines.extend(pages::measure(&store.database(list)?, connections)?),
        "list" => results.lines.push(lists::measure(&store.database(list)?)?),
        "memory" => results.lines.push(lists::measure_memory(&store.database(large)?)?),
        "filters" => {
            let outcome = filters::measure(&store.database(small)?, &store.database(large)?)?;
            results.lines.extend(outcome.lines);
            results.listing = outcome.listing;
            results.failed |= !outcome.failures.is_empty();
            outcome.failures.iter().for_each(|failure| results.listing.push_str(&format!("{failure}\n")));
        }
        "reports" => results.lines.extend(reports::measure(temporary, reports, connections)?),
        "rosters" => results.lines.extend(rosters::measure(temporary)?),
        "writes" => results.lines.push(writes::together(temporary)?),
        "overload" => results.lines.extend(writes::overload(temporary)?),
        "jobs" => results.lines.extend(jobs::measure(temporary)?),
        "maintenance" => results.lines.extend(maintenance::measure(temporary)?),
        "alerts" => results.lines.push(alerts::measure(&store.database(list)?, temporary)?),
        "heartbeats" => results.lines.push(heartbeats::measure(temporary)?),
        "paging" => results.lines.extend(paging::measure(temporary, paging, 1_000 * paging)?),
        "integrations" => results.lines.extend(integrations::measure(temporary)?),
        "times" => results.lines.push(times::measure()?),
        _ => results.lines.extend(start::measure(&store.database(large)?)?),
    }
    Ok(())
}

/// `target/bench`, beside the folder of this program.
fn directory() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let directory = program.ancestors().nth(2).context("a program without a folder")?.join("bench");
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}
