//! What a run measures, and at which sizes.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::moved;

/// The parts, in the order in which they run.
const PARTS: [&str; 21] = [
    "points",
    "postgres",
    "pages",
    "list",
    "memory",
    "filters",
    "bulk",
    "reports",
    "rosters",
    "partner",
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
    "builds",
];

/// Those that run only when they are named.
const ON_REQUEST: [&str; 1] = ["builds"];

/// The settings.
#[derive(Default)]
pub struct Settings {
    /// Resources of the small database.
    pub small: u32,
    /// Those of the one that is listed.
    pub list: u32,
    /// Those of the large one.
    pub large: u32,
    /// Connections at once.
    pub connections: usize,
    /// Rows of a bulk request.
    pub bulk: u32,
    /// Reports of agents in a round.
    pub reports: usize,
    /// Seconds of alerts at a steady rate.
    pub paging: usize,
    /// Where the results are written as JSON.
    pub result: Option<PathBuf>,
    /// The results of an earlier run.
    pub earlier: PathBuf,
    /// Whether the results take the place of the earlier ones.
    pub keep: bool,
    /// Whether what can be is measured on Postgres as well.
    pub postgres: bool,
    only: Vec<String>,
}

impl Settings {
    /// From the words behind the program's name, and its environment; `None` when help is asked for.
    pub fn read(mut words: impl Iterator<Item = String>) -> Result<Option<Self>> {
        let number = |name: &str, default: u32| match std::env::var(name) {
            Ok(text) => text.replace('_', "").parse().with_context(|| format!("{name} is not a number")),
            Err(_) => Ok(default),
        };
        let only = std::env::var("BENCH_ONLY").unwrap_or_default();
        let only = only.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
        let mut settings = Self {
            small: number("BENCH_SMALL", 10_000)?,
            list: number("BENCH_LIST", 100_000)?,
            large: number("BENCH_LARGE", 1_000_000)?,
            connections: number("BENCH_CONNECTIONS", 32)? as usize,
            bulk: number("BENCH_BULK", 4_000)?,
            reports: number("BENCH_REPORTS", 150)? as usize,
            paging: number("BENCH_PAGING", 10)? as usize,
            earlier: Path::new(env!("CARGO_MANIFEST_DIR")).join("earlier.json"),
            only: only.collect(),
            ..Self::default()
        };
        while let Some(word) = words.next() {
            let mut file = || words.next().map(PathBuf::from).with_context(|| format!("{word} needs a file"));
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--keep" => settings.keep = true,
                "--postgres" => settings.postgres = true,
                "--result" => settings.result = Some(file()?),
                "--earlier" => settings.earlier = file()?,
                option if option.starts_with('-') => bail!("there is no {option}: see bench --help"),
                part => settings.only.push(part.to_owned()),
            }
        }
        let unknown = settings.only.iter().find(|part| !PARTS.contains(&part.as_str()));
        ensure!(
            unknown.is_none(),
            "there is no {}: the parts are {}",
            unknown.map_or("", String::as_str),
            PARTS.join(", ")
        );
        Ok(Some(settings))
    }

    /// The parts to be run.
    pub fn parts(&self) -> impl Iterator<Item = &'static str> {
        PARTS.into_iter().filter(|part| match self.only.is_empty() {
            true => !ON_REQUEST.contains(part),
            false => self.only.iter().any(|one| one == part),
        })
    }
}

/// What `--help` prints.
pub fn help() -> String {
    format!(
        "Measures what the service promises about its speed and its memory.

Usage: bench [OPTIONS] [PART]...

All parts take about a quarter of an hour, two minutes of it the first time, while databases are made that are kept for
the next. On Postgres, where they are made anew, it is longer. Small sizes try whether everything can be measured, by a
build that is not optimised too.

Parts: {}
Only when it is named: {}, from an empty target directory, which takes minutes and some gigabytes.

Options:
  --result FILE   writes the results there as JSON (default: result.json in target/bench)
  --earlier FILE  the results of an earlier run that these are compared with (default: those that are committed)
  --keep          lets these results take the place of the earlier ones
  --postgres      measures on Postgres as well: {}
  -h, --help      prints this

Environment:
  MUSTER_BIN         the program that is measured (default: the one beside this program)
  BENCH_ONLY         parts, separated by commas
  BENCH_SMALL        resources of the small database (10000)
  BENCH_LIST         resources of the database that is listed (100000)
  BENCH_LARGE        resources of the large database (1000000)
  BENCH_CONNECTIONS  connections at once (32)
  BENCH_BULK         rows of a bulk request (4000); the import beside which others write has ten times as many
  BENCH_REPORTS      agents' reports in a round (150)
  BENCH_PAGING       seconds of alerts at a steady rate (10); the storm has a thousand times as many alerts",
        PARTS.join(", "),
        ON_REQUEST.join(", "),
        moved::PARTS.join(", ")
    )
}
