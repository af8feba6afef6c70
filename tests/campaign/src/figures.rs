//! What a campaign counted, and how it is printed.

use std::time::Duration;

use muster_tests::{Backend, Response};

use crate::options::Kind;

/// How many findings are printed in words; more are only counted.
const PRINTED: usize = 20;

/// A way in which a promise was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// It was acknowledged and is not there, or not any more.
    Lost,
    /// It was asked for once and happened twice.
    Doubled,
    /// A part of it is there.
    HalfDone,
    /// An answer that is neither good nor a refusal that says to come again, or a service that does not recover.
    FieldErrors,
}

/// What became of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// 200, with this body.
    Acknowledged(String),
    /// 503: it may be sent again.
    Refused,
    /// There was no answer, and nobody knows.
    Unknown,
}

impl Outcome {
    /// The body, when it was acknowledged.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::Acknowledged(body) => Some(body),
            Self::Refused | Self::Unknown => None,
        }
    }
}

/// The figures of one kind on one database.
#[derive(Default)]
pub struct Figures {
    /// Interruptions.
    pub rounds: usize,
    /// Writes that were sent, and what they came to.
    pub requests: usize,
    pub acknowledged: usize,
    pub refused: usize,
    pub unknown: usize,
    lost: usize,
    doubled: usize,
    half_done: usize,
    wrong: usize,
    /// Pages and names that cuts took back, or calls that failed.
    pub injected: u64,
    /// From the start of the program until it was ready, after each interruption.
    pub starts: Vec<Duration>,
    /// The most that a gateway had in memory (KiB), and the round in which it was seen; `None` where that cannot be
    /// measured.
    peak: Option<(u64, usize)>,
    /// The first findings in words.
    pub findings: Vec<String>,
}

impl Figures {
    /// Counts what became of a request.
    pub fn count(&mut self, sent: Result<Response, reqwest::Error>) -> Outcome {
        self.requests += 1;
        match sent {
            Ok(answer) if answer.status == 200 => {
                self.acknowledged += 1;
                Outcome::Acknowledged(answer.text())
            }
            Ok(answer) => {
                self.refused += 1;
                if answer.status != 503 {
                    self.found(Broken::FieldErrors, answer.to_string());
                }
                Outcome::Refused
            }
            Err(_) => {
                self.unknown += 1;
                Outcome::Unknown
            }
        }
    }

    /// A promise was broken.
    pub fn found(&mut self, broken: Broken, what: impl Into<String>) {
        *match broken {
            Broken::Lost => &mut self.lost,
            Broken::Doubled => &mut self.doubled,
            Broken::HalfDone => &mut self.half_done,
            Broken::FieldErrors => &mut self.wrong,
        } += 1;
        if self.findings.len() < PRINTED {
            self.findings.push(format!("round {}: {broken:?}: {}", self.rounds, what.into()));
        }
    }

    /// The same, unless it holds.
    pub fn expect(&mut self, holds: bool, broken: Broken, what: impl FnOnce() -> String) {
        if !holds {
            self.found(broken, what());
        }
    }

    /// Counts what a gateway had in memory at most, in KiB.
    pub fn memory(&mut self, kib: Option<u64>) {
        let peak = kib.map(|kib| (kib, self.rounds));
        if peak.map(|(kib, _)| kib) > self.peak.map(|(kib, _)| kib) {
            self.peak = peak;
        }
    }

    /// What is to be said when a gateway had more than so many MiB in memory, or when nobody looked.
    pub fn beyond(&self, most_mib: u64) -> Option<String> {
        match self.peak {
            Some((kib, round)) if kib > most_mib * 1024 => {
                Some(format!("round {round}: a gateway had {} MiB in memory, more than {most_mib}", mib(kib)))
            }
            None if cfg!(target_os = "linux") => Some("the memory of no gateway was measured".to_owned()),
            Some(_) | None => None,
        }
    }

    /// How many promises were broken.
    pub fn broken(&self) -> usize {
        self.lost + self.doubled + self.half_done + self.wrong
    }

    /// Adds what another thread counted.
    pub fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.acknowledged += other.acknowledged;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.half_done += other.half_done;
        self.wrong += other.wrong;
        self.findings.extend_from_slice(&other.findings);
        self.findings.truncate(PRINTED);
    }

    fn row(&self, kind: Kind, backend: Backend) -> [String; COLUMNS.len()] {
        let mut starts = self.starts.clone();
        starts.sort_unstable();
        let of = |at: usize| starts.get(at).map_or(0, Duration::as_millis);
        let starts = format!("{} / {} ms", of(starts.len() / 2), of(starts.len().saturating_sub(1)));
        [
            kind.name().to_owned(),
            format!("{backend:?}"),
            self.rounds.to_string(),
            self.requests.to_string(),
            self.acknowledged.to_string(),
            self.refused.to_string(),
            self.unknown.to_string(),
            self.lost.to_string(),
            self.doubled.to_string(),
            self.half_done.to_string(),
            self.wrong.to_string(),
            self.injected.to_string(),
            starts,
            self.peak.map_or("unknown".to_owned(), |(kib, _)| format!("{} MiB", mib(kib))),
        ]
    }
}

/// KiB in whole MiB, the next larger one.
fn mib(kib: u64) -> u64 {
    kib.div_ceil(1024)
}

const COLUMNS: [&str; 14] = [
    "kind",
    "database",
    "rounds",
    "requests",
    "acknowledged",
    "refused",
    "unknown",
    "LOST",
    "DOUBLED",
    "HALF DONE",
    "WRONG",
    "injected",
    "start (median / longest)",
    "memory",
];

/// All figures as a table, a line for each kind and database.
pub fn table(all: &[(Kind, Backend, Figures)]) -> String {
    let heads = COLUMNS.map(str::to_owned);
    let rows: Vec<_> =
        std::iter::once(heads).chain(all.iter().map(|(kind, backend, figures)| figures.row(*kind, *backend))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let line = |row: &[String; COLUMNS.len()]| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 | 1 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(|row| line(row).trim_end().to_owned() + "\n").collect()
}
