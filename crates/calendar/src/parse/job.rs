//! The schedule of a job.

use base::{Fields, Problem, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Repetition, instant, is_blank, object, required_one_of, stored};
use crate::{
    cron::CronExpression,
    due::Due,
    pattern::Pattern,
    rule::{End, Recurring, Rule},
    zones::Zone,
};

/// The schedule of a job, as operation 9 of `docs/interface.md` has it.
///
/// ```json
/// {"startDate":"2026-11-20T22:00:00+0000",
///  "pattern":{"type":"daily","frequency":"recurrence","repeatFrequency":2,"repeatType":"days"}}
/// ```
///
/// Patterns: `daily` (`frequency` `everyday`, `every weekday` or `recurrence`), `weekly` and `monthly` as for maintenance
/// windows, `never` and `run once`. The last two both run at `startDate` and never again. A daily recurrence may count
/// minutes or hours (`repeatType`): elapsed ones, since `startDate`. In place of a pattern there may be a `cron` expression.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSchedule {
    /// No run is due before this instant, which also gives the local time of day of every run.
    pub start_date: Timestamp,
    /// What follows.
    pub pattern: JobPattern,
}

/// How a job repeats.
#[derive(Clone, PartialEq, Debug)]
pub enum JobPattern {
    /// `never`: it does not.
    Never,
    /// `run once`: it does not.
    RunOnce,
    /// On the dates of a pattern.
    Repeated(Repetition),
    /// Each time that so many minutes or hours have gone by.
    Elapsed(Unit, u16),
    /// As a cron expression says.
    Cron(CronExpression),
}

/// What is counted between two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `minutes`.
    Minutes,
    /// `hours`.
    Hours,
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Self::Minutes => "minutes",
            Self::Hours => "hours",
        }
    }

    const fn millis(self) -> i64 {
        match self {
            Self::Minutes => 60_000,
            Self::Hours => 3_600_000,
        }
    }

    /// The largest step: what is longer has days.
    const fn most(self) -> i64 {
        match self {
            Self::Minutes => 1_440,
            Self::Hours => 744,
        }
    }
}

const NEVER: &str = "never";
const RUN_ONCE: &str = "run once";
const FREQUENCY: &str = "frequency";
const DAYS: &str = "days";
const REPEAT_TYPE: &str = "repeatType";
const CRON: &str = "cron";

impl JobSchedule {
    /// Reads a schedule from its object; what is wrong or missing is noted there, and the answer is then `None` or not
    /// to be used.
    pub fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let start_date = instant(fields, "startDate");
        if !is_blank(fields, CRON) {
            if fields.has("pattern") {
                fields.error(CRON, "must be absent when pattern is there");
            }
            let read = CronExpression::parse(&fields.text(CRON)?);
            let expression = read.map_err(|message| fields.error(CRON, message)).ok()?;
            return Some(Self { start_date: start_date?, pattern: JobPattern::Cron(expression) });
        }
        fields.require("pattern");
        let pattern = fields.object("pattern").and_then(|mut pattern| read_pattern(&mut pattern));
        Some(Self { start_date: start_date?, pattern: pattern? })
    }

    /// Reads what [`JobSchedule::to_json`] wrote.
    ///
    /// # Errors
    /// 400 as for a body.
    pub fn from_json(value: &Value) -> Result<Self, Problem> {
        stored(value, Self::read)
    }

    /// What it means in a zone; the interface has none for jobs, so it is [`Zone::GMT`] unless the job says more.
    pub fn due(&self, zone: Zone) -> Due {
        // A time of day has no fraction; with one, the first run would be due a day late.
        let start_date = Timestamp::from_millis(self.start_date.millis().div_euclid(1_000).saturating_mul(1_000));
        let (zone, pattern, end) = match &self.pattern {
            JobPattern::Repeated(Repetition { pattern, .. }) => (zone, *pattern, End::Never),
            // One instant needs no zone, and GMT has it whatever the clocks do.
            JobPattern::Never | JobPattern::RunOnce => (Zone::GMT, Pattern::Daily { every: 1 }, End::Occurrences(1)),
            JobPattern::Elapsed(unit, every) => {
                return Due::Every { start: start_date, step_ms: unit.millis() * i64::from(*every).max(1) };
            }
            JobPattern::Cron(expression) => {
                return Due::Cron { expression: expression.clone(), zone, start: start_date };
            }
        };
        let time = zone.local(start_date).time;
        Due::Dates(Rule::recurring(Recurring { zone, start_date, start_time: time, end_time: time, pattern, end }))
    }

    /// The documented shape; also how it is stored.
    pub fn to_json(&self) -> Value {
        let pattern = match &self.pattern {
            JobPattern::Cron(expression) => {
                return object([("startDate", Some(json!(self.start_date))), (CRON, Some(json!(expression.text())))]);
            }
            JobPattern::Elapsed(unit, every) => {
                json!({"type": "daily", FREQUENCY: "recurrence", "repeatFrequency": every, REPEAT_TYPE: unit.name()})
            }
            JobPattern::Never => json!({"type": NEVER}),
            JobPattern::RunOnce => json!({"type": RUN_ONCE}),
            JobPattern::Repeated(repetition) => {
                let mut pattern = repetition.to_json(FREQUENCY);
                if let (Pattern::Daily { .. }, Some(members)) = (repetition.pattern, pattern.as_object_mut())
                    && members.contains_key("repeatFrequency")
                {
                    members.insert(REPEAT_TYPE.to_owned(), json!(DAYS));
                }
                pattern
            }
        };
        object([("startDate", Some(json!(self.start_date))), ("pattern", Some(pattern))])
    }
}

impl Serialize for JobSchedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn read_pattern(fields: &mut Fields<'_>) -> Option<JobPattern> {
    let types = ["daily", "weekly", "monthly", NEVER, RUN_ONCE];
    match required_one_of(fields, "type", &types)? {
        NEVER => Some(JobPattern::Never),
        RUN_ONCE => Some(JobPattern::RunOnce),
        kind => {
            if kind == "daily"
                && !is_blank(fields, REPEAT_TYPE)
                && let Some(unit) = fields.one_of(REPEAT_TYPE, &[DAYS, "hours", "minutes"])
                && unit != DAYS
            {
                return elapsed(fields, if unit == "hours" { Unit::Hours } else { Unit::Minutes });
            }
            Repetition::read(fields, &types, FREQUENCY).map(JobPattern::Repeated)
        }
    }
}

fn elapsed(fields: &mut Fields<'_>, unit: Unit) -> Option<JobPattern> {
    if !is_blank(fields, FREQUENCY) {
        fields.one_of(FREQUENCY, &["recurrence"]);
    }
    fields.require("repeatFrequency");
    let every = fields.integer_in("repeatFrequency", 1..=unit.most())?;
    u16::try_from(every).ok().map(|every| JobPattern::Elapsed(unit, every))
}
