//! `make campaign`: the service is killed, loses its power, has disks that fail and fill up, all while it is written
//! to; whatever it acknowledged has to be there, once and whole, and a small container is enough for it. `--help` says
//! what can be chosen.

mod check;
mod dice;
mod disk;
mod events;
mod figures;
mod options;
mod rounds;
mod schedules;
mod starts;
mod workload;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::Instant,
};

use anyhow::Result;
use muster_tests::Backend;

use crate::{
    figures::{Broken, Figures, table},
    options::{HELP, Kind, Options},
};

fn main() -> ExitCode {
    match Options::read(std::env::args().skip(1)) {
        Ok(Some(options)) => campaign(&options),
        Ok(None) => {
            print(HELP);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("campaign: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stdout, reason = "figures are what the program is for")]
fn print(text: &str) {
    print!("{text}");
}

fn campaign(options: &Options) -> ExitCode {
    let begun = Instant::now();
    print(&format!("seed {}\n", options.seed));
    let mut all = Vec::new();
    for kind in &options.kinds {
        for backend in options.backends.iter().filter(|backend| kind.runs_on(**backend)) {
            eprintln!("{} on {backend:?}: {} rounds", kind.name(), options.rounds(*kind));
            let mut figures = Figures::default();
            let run = catch_unwind(AssertUnwindSafe(|| run(*kind, *backend, options, &mut figures)));
            // A panic has said on stderr what it is about.
            let failure = run.map_or_else(
                |_| Some("it did not get to the end".to_owned()),
                |done| done.err().map(|error| format!("{error:#}")),
            );
            failure.into_iter().for_each(|failure| figures.found(Broken::FieldErrors, failure));
            all.push((*kind, *backend, figures));
        }
    }
    print(&format!("\n{}\n", table(&all)));
    let mut good = !all.is_empty();
    for (kind, backend, figures) in &all {
        for finding in &figures.findings {
            print(&format!("{} on {backend:?}, {finding}\n", kind.name()));
        }
        let noticed = figures.broken() > 0;
        let beyond = figures.beyond(options.memory_mib);
        if let Some(beyond) = &beyond {
            print(&format!("{} on {backend:?}, {beyond}\n", kind.name()));
        }
        good &= beyond.is_none() && noticed == options.control && figures.rounds > 0 && figures.acknowledged > 0;
    }
    let verdict = match (options.control, good) {
        (false, true) => "nothing was lost, doubled, half done or answered wrongly, and memory was enough",
        (false, false) => "FAILED: a promise was broken, memory was not enough, or nothing was tried",
        (true, true) => "control: the promise that was broken on purpose was noticed",
        (true, false) => "FAILED: a promise was broken on purpose and nobody noticed, or memory was not enough",
    };
    print(&format!("{verdict} (seed {}, {} s)\n", options.seed, begun.elapsed().as_secs()));
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(kind: Kind, backend: Backend, options: &Options, figures: &mut Figures) -> Result<()> {
    match kind {
        Kind::Kills | Kind::Cuts | Kind::Faults | Kind::FullDisk => rounds::run(kind, backend, options, figures),
        Kind::Events => events::run(backend, options, figures),
        Kind::Schedules => schedules::run(options, figures),
        Kind::Starts => starts::run(backend, options, figures),
    }
}
