//! Who is on call by the schedules of a product, read independently of the rosters that they become.

use std::collections::{BTreeMap, BTreeSet};

use base::Timestamp;
use jiff::civil::DateTime;

use crate::wall_clock::{WallClock, passed};

/// Login names in small letters.
pub type People = BTreeSet<String>;

/// A schedule of a product.
pub struct SourceSchedule<'e> {
    /// The name of its roster.
    pub name: String,
    /// How it is read, or why it cannot be.
    pub reading: Result<Reading<'e>, String>,
}

/// What a schedule means.
pub struct Reading<'e> {
    /// Who is on call at an instant.
    pub on_call: Box<dyn Fn(Timestamp) -> People + 'e>,
    /// Instants and times of day at which that may change.
    pub edges: Edges,
}

/// Instants and times of day, by the clocks of zones.
#[derive(Debug, Default)]
pub struct Edges {
    /// Instants.
    pub instants: Vec<Timestamp>,
    /// Zones by their names, with seconds of the day.
    pub times: BTreeMap<String, (WallClock, BTreeSet<i64>)>,
}

impl Edges {
    /// Of times of one zone.
    pub fn of(zone: &str, clock: &WallClock, times: impl IntoIterator<Item = i64>) -> Self {
        let mut edges = Self::default();
        edges.add_times(zone, clock, times);
        edges
    }

    /// Adds times of a zone.
    pub fn add_times(&mut self, zone: &str, clock: &WallClock, times: impl IntoIterator<Item = i64>) {
        let (_, known) = self.times.entry(zone.to_owned()).or_insert_with(|| (clock.clone(), BTreeSet::new()));
        known.extend(times.into_iter().map(|second| second.rem_euclid(86_400)));
    }
}

/// A stretch of time that may have no end.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Its first instant.
    pub from: Timestamp,
    /// The first instant behind it.
    pub until: Option<Timestamp>,
}

impl Term {
    /// Is an instant in it?
    pub fn contains(self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }

    /// Its ends.
    pub fn ends(self) -> impl Iterator<Item = Timestamp> {
        [self.from].into_iter().chain(self.until)
    }
}

/// How long a turn is.
#[derive(Clone, Copy, Debug)]
pub enum TurnLength {
    /// Seconds of local time.
    Local(i64),
    /// Seconds that pass.
    Elapsed(i64),
}

/// Turns from an instant on.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// The first hand-over.
    pub start: Timestamp,
    /// How long each is.
    pub length: TurnLength,
}

impl Turns {
    /// How many turns are over at an instant, of which the local time is given too.
    pub fn over(self, clock: &WallClock, at: Timestamp, local: DateTime) -> i64 {
        match self.length {
            TurnLength::Local(seconds) => passed(clock.shown(self.start), local, seconds),
            TurnLength::Elapsed(seconds) => {
                (at.millis() - self.start.millis()).div_euclid(seconds.saturating_mul(1_000))
            }
        }
    }

    /// The one of some places whose turn it is.
    pub fn place<'p, T>(self, clock: &WallClock, at: Timestamp, local: DateTime, all: &'p [T]) -> Option<&'p T> {
        let count = i64::try_from(all.len()).ok().filter(|count| *count > 0)?;
        all.get(usize::try_from(self.over(clock, at, local).rem_euclid(count)).ok()?)
    }
}
