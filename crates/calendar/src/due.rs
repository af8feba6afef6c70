//! Due times of jobs.

use std::collections::VecDeque;

use base::timestamp::{DAY_MS, Timestamp};

use crate::{cron::CronExpression, rule::Rule, zones::Zone};

/// Beyond so many due times that were missed nobody counts them one by one; those of a cron expression cost more to
/// find.
const COUNTED: usize = 20_000;
const COUNTED_OF_CRON: usize = 2_000;

/// More due times on a day than those of an hourly job are many.
const HOURLY: i64 = 24;

/// How far back the last due times are looked for, in milliseconds; a step is taken when the one before it found too
/// few.
const BACK: [i64; 6] = [7_200_000, 2 * DAY_MS, 35 * DAY_MS, 400 * DAY_MS, 4_020 * DAY_MS, 15_000 * DAY_MS];

/// When a job is due: at the starts of a rule, every so many minutes, or as a cron expression says.
#[derive(Clone, Debug)]
pub enum Due {
    /// Once, or at a local time of the dates of a pattern.
    Dates(Rule),
    /// Each time that so many milliseconds have gone by since an instant, whatever the clocks show.
    Every {
        /// The first time.
        start: Timestamp,
        /// More than 0.
        step_ms: i64,
    },
    /// As an expression says, from an instant on.
    Cron {
        /// Which minutes.
        expression: CronExpression,
        /// Whose clocks count.
        zone: Zone,
        /// Not before.
        start: Timestamp,
    },
}

/// The latest of many due times, and how many there were before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latest {
    /// In order.
    pub times: Vec<Timestamp>,
    /// Counted up to 20,000, and 2,000 of a cron expression.
    pub before: usize,
    /// There were more than that.
    pub more: bool,
}

impl Due {
    /// Every due time after an instant, in order.
    pub fn starts(&self, after: Timestamp) -> Box<dyn Iterator<Item = Timestamp> + '_> {
        match self {
            Self::Dates(rule) => Box::new(rule.starts(after)),
            Self::Every { start, step_ms } => {
                let gone = after.millis().saturating_sub(start.millis());
                let first = if gone < 0 { 0 } else { gone.div_euclid(*step_ms) + 1 };
                let start = start.millis();
                let step = *step_ms;
                let times = (first..).map_while(move |number| start.checked_add(number.checked_mul(step)?));
                Box::new(times.take_while(|at| *at < LAST_MS).map(Timestamp::from_millis))
            }
            Self::Cron { expression, zone, start } => {
                let before = Timestamp::from_millis(start.millis().saturating_sub(1));
                Box::new(expression.starts(*zone, after.max(before)))
            }
        }
    }

    /// The last due time at or before an instant.
    pub fn last(&self, at: Timestamp) -> Option<Timestamp> {
        if let Self::Every { start, step_ms } = self {
            let gone = at.millis().saturating_sub(start.millis());
            return (gone >= 0).then(|| Timestamp::from_millis(at.millis() - gone.rem_euclid(*step_ms)));
        }
        let since = |from: i64| self.starts(Timestamp::from_millis(from)).take_while(|due| *due <= at).last();
        BACK.iter().find_map(|back| since(at.millis().saturating_sub(*back))).or_else(|| since(-1))
    }

    /// The latest due times from the one at `first` on, up to an instant: at most so many. What it costs does not grow
    /// with the number of all of them.
    pub fn latest(&self, first: Timestamp, until: Timestamp, most: usize) -> Latest {
        let before_first = Timestamp::from_millis(first.millis().saturating_sub(1));
        // What was promised is due, even if the rule of a zone has changed since.
        let all = |from: Timestamp| {
            let promised = (from <= before_first).then_some(first);
            promised.into_iter().chain(self.starts(from.max(first)).take_while(|due| *due <= until))
        };
        let mut times = VecDeque::new();
        for back in BACK {
            let from = Timestamp::from_millis(until.millis().saturating_sub(back));
            let from = if from <= first { before_first } else { from };
            times.clear();
            for due in all(from) {
                if times.len() == most {
                    times.pop_front();
                }
                times.push_back(due);
            }
            if times.len() >= most || from == before_first {
                break;
            }
        }
        let oldest = times.front().copied().unwrap_or(first);
        let most = if matches!(self, Self::Cron { .. }) { COUNTED_OF_CRON } else { COUNTED };
        let before = all(before_first).take_while(|due| *due < oldest).take(most + 1).count();
        Latest { times: times.into(), before: before.min(most), more: before > most }
    }

    /// Is it due more than 24 times on each day on which it is due, apart from the first and the last?
    pub fn is_frequent(&self) -> bool {
        match self {
            Self::Dates(_) => false,
            Self::Every { step_ms, .. } => DAY_MS / step_ms > HOURLY,
            Self::Cron { expression, .. } => i64::from(expression.times_on_a_day()) > HOURLY,
        }
    }
}

/// Nothing is due after the year 9999.
const LAST_MS: i64 = 253_402_300_800_000;
