//! `make bench`: what the service promises about its speed and its memory, measured in one run on one machine, each
//! beside something that every machine has: a bare handler, the `sqlite3` program, an insert loop.
//!
//! A target that is missed is printed and fails nothing; what cannot be measured fails the run. `bench --help` says
//! what can be set ([`settings`]); the results are also written as JSON, and compared with those of an earlier run
//! ([`earlier`]).

mod alerts;
mod bare;
mod builds;
mod bulk;
mod copies;
mod data;
mod earlier;
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
mod moved;
mod pages;
mod paging;
mod partner;
mod points;
mod postgres;
mod reports;
mod rosters;
mod seed;
mod server;
mod settings;
mod slots;
mod sqlite;
mod start;
mod table;
mod times;
mod writes;
mod written;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result};

use crate::{data::Store, earlier::Earlier, settings::Settings, table::Line};

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
        _ => Settings::read(std::env::args().skip(1))
            .and_then(|asked| asked.map_or_else(help, |settings| bench(&settings))),
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

#[expect(clippy::print_stdout, reason = "it was asked for")]
fn help() -> Result<bool> {
    println!("{}", settings::help());
    Ok(true)
}

/// Runs the parts and prints the table; answers whether everything could be measured.
#[expect(clippy::print_stdout, reason = "this table is what the program is for")]
fn bench(settings: &Settings) -> Result<bool> {
    let begun = Instant::now();
    let root = directory()?;
    let temporary = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
    let store = Store::open(&root, temporary.path())?;
    let mut results = Results::default();
    for part in settings.parts() {
        eprintln!("measuring: {part}");
        measure_or_say(part, settings, &store, temporary.path(), &mut results);
        if settings.postgres && moved::PARTS.contains(&part) {
            eprintln!("measuring: {part} on Postgres");
            let begun = results.lines.len();
            let directory = temporary.path().join("postgres");
            std::fs::create_dir_all(&directory)?;
            moved::on_postgres(|| measure_or_say(part, settings, &store, &directory, &mut results));
            results.lines.iter_mut().skip(begun).for_each(|line| line.name.push_str(", on Postgres"));
        }
    }
    let earlier = Earlier::read(&settings.earlier)?;
    println!("\n{}", table::render(&results.lines, &earlier));
    println!("{}", results.listing);
    println!(
        "{} cores, {} s; a ratio is the median of alternating rounds, and a missed target fails nothing.",
        server::workers(),
        begun.elapsed().as_secs()
    );
    let file = settings.result.clone().unwrap_or_else(|| root.join("result.json"));
    earlier::write(&file, &results.lines)?;
    println!("As JSON: {}", file.display());
    if settings.keep {
        earlier.replaced(&results.lines).write(&settings.earlier)?;
    }
    Ok(!results.failed)
}

fn measure_or_say(part: &str, settings: &Settings, store: &Store, temporary: &Path, results: &mut Results) {
    if let Err(error) = measure(part, settings, store, temporary, results) {
        results.failed = true;
        results.lines.push(Line::skipped(part, &format!("failed: {error:#}")));
    }
}

fn measure(part: &str, settings: &Settings, store: &Store, temporary: &Path, results: &mut Results) -> Result<()> {
    let Settings { small, list, large, connections, bulk, reports, paging, .. } = *settings;
    match part {
        "points" => results.lines.push(points::measure(&store.database(list)?, temporary, connections)?),
        "pages" => results.lines.extend(pages::measure(&store.database(list)?, connections)?),
        "list" => results.lines.push(lists::measure(&store.database(list)?)?),
        "memory" => results.lines.push(lists::measure_memory(&store.database(large)?)?),
        "filters" => {
            let outcome = filters::measure(&store.database(small)?, &store.database(large)?)?;
            results.lines.extend(outcome.lines);
            results.listing.push_str(&outcome.listing);
            results.failed |= !outcome.failures.is_empty();
            outcome.failures.iter().for_each(|failure| results.listing.push_str(&format!("{failure}\n")));
        }
        "reports" => results.lines.extend(reports::measure(temporary, reports, connections)?),
        "rosters" => results.lines.extend(rosters::measure(temporary)?),
        "partner" => results.lines.extend(partner::measure(temporary)?),
        "writes" => results.lines.push(writes::together(temporary)?),
        "overload" => results.lines.extend(writes::overload(temporary)?),
        "jobs" => results.lines.extend(jobs::measure(temporary)?),
        "maintenance" => results.lines.extend(maintenance::measure(temporary)?),
        "alerts" => results.lines.push(alerts::measure(&store.database(list)?, temporary)?),
        "heartbeats" => results.lines.push(heartbeats::measure(temporary)?),
        "bulk" => results.lines.extend(bulk::measure(temporary, bulk)?),
        "postgres" => results.lines.push(postgres::measure(temporary, connections)?),
        "paging" => results.lines.extend(paging::measure(temporary, paging, 1_000 * paging)?),
        "integrations" => results.lines.extend(integrations::measure(temporary)?),
        "builds" => results.lines.extend(builds::measure(temporary)?),
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
