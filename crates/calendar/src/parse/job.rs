//! The schedule of a job.

use base::{Fields, Problem, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Repetition, instant, is_blank, object, required_one_of, stored};
use crate::{
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
/// windows, `never` and `run once`. The last two both run at `startDate` and never again.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JobSchedule {
    /// No run is due before this instant, which also gives the local time of day of every run.
    pub start_date: Timestamp,
    /// What follows.
    pub pattern: JobPattern,
}

/// How a job repeats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum JobPattern {
    /// `never`: it does not.
    Never,
    /// `run once`: it does not.
    RunOnce,
    /// On the dates of a pattern.
    Repeated(Repetition),
}

const NEVER: &str = "never";
const RUN_ONCE: &str = "run once";
const FREQUENCY: &str = "frequency";
const DAYS: &str = "days";

impl JobSchedule {
    /// Reads a schedule from its object; what is wrong or missing is noted there, and the answer is then `None` or not
    /// to be used.
    pub fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let start_date = instant(fields, "startDate");
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
    ///
    /// Runs are due at [`Rule::starts`]. How long an occurrence lasts means nothing here.
    pub fn rule(&self, zone: Zone) -> Rule {
        // A time of day has no fraction; with one, the first run would be due a day late.
        let start_date = Timestamp::from_millis(self.start_date.millis().div_euclid(1_000).saturating_mul(1_000));
        let (zone, pattern, end) = match self.pattern {
            JobPattern::Repeated(Repetition { pattern, .. }) => (zone, pattern, End::Never),
            // One instant needs no zone, and GMT has it whatever the clocks do.
            JobPattern::Never | JobPattern::RunOnce => (Zone::GMT, Pattern::Daily { every: 1 }, End::Occurrences(1)),
        };
        let time = zone.local(start_date).time;
        Rule::recurring(Recurring { zone, start_date, start_time: time, end_time: time, pattern, end })
    }

    /// The documented shape; also how it is stored.
    pub fn to_json(&self) -> Value {
        let pattern = match self.pattern {
            JobPattern::Never => json!({"type": NEVER}),
            JobPattern::RunOnce => json!({"type": RUN_ONCE}),
            JobPattern::Repeated(repetition) => {
                let mut pattern = repetition.to_json(FREQUENCY);
                if let (Pattern::Daily { .. }, Some(members)) = (repetition.pattern, pattern.as_object_mut())
                    && members.contains_key("repeatFrequency")
                {
                    members.insert("repeatType".to_owned(), json!(DAYS));
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
            if kind == "daily" && !is_blank(fields, "repeatType") {
                fields.one_of("repeatType", &[DAYS]);
            }
            Repetition::read(fields, &types, FREQUENCY).map(JobPattern::Repeated)
        }
    }
}
