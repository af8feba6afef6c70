//! The schedule of a maintenance window.

use base::{
    Fields, Problem, Timestamp,
    body::{Field, Limits},
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Repetition, check_order, instant, is_blank, object, optional_zone, required_one_of, stored};
use crate::{
    interval::Interval,
    rule::{Repeated, Rule},
    zones::Zone,
};

/// The schedule of a maintenance window, as operation 14 of `docs/interface.md` has it.
///
/// ```json
/// {"type":"One-Time","startTime":"2026-11-20T22:00:00+0000","endTime":"2026-11-21T02:00:00+0000"}
/// {"type":"Recurring","startTime":"2026-11-20T22:00:00+0000","endTime":"2027-11-21T02:00:00+0000",
///  "timezone":"Europe/London","pattern":{"type":"daily","dayFrequency":"everyday"},"endBy":"NEVER"}
/// ```
///
/// Patterns: `daily` (`dayFrequency` `everyday` or `every weekday`, or every `repeatFrequency` days), `weekly`
/// (`weekDays`), `monthly` (`dayOfMonth`, one day or more, or `weekIndex` and `dayOfWeek`), `yearly` (`months`, and a day
/// as for `monthly`; what is absent is taken from `startTime`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MaintenanceSchedule {
    /// One window.
    OneTime {
        /// From when until when.
        interval: Interval,
        /// As given; two instants need none.
        zone: Option<Zone>,
    },
    /// A window that comes back.
    Recurring {
        /// Gives the anchor and the local time of day of every start.
        start: Timestamp,
        /// Gives the local time of day of every end and, unless perpetual, the end of the whole.
        end: Timestamp,
        /// Whose clocks count.
        zone: Zone,
        /// On which dates.
        repetition: Repetition,
        /// `endBy: NEVER`: the date of `end` does not count, and may lie before that of `start`.
        perpetual: bool,
    },
}

const ONE_TIME: &str = "One-Time";
const RECURRING: &str = "Recurring";
const NEVER: &str = "NEVER";
const FREQUENCY: &str = "dayFrequency";

impl MaintenanceSchedule {
    fn read_schedule(fields: &mut Fields<'_>, perpetual: bool) -> Option<Self> {
        let kind = required_one_of(fields, "type", &[ONE_TIME, RECURRING]);
        let (start, end) = (instant(fields, "startTime"), instant(fields, "endTime"));
        let mut perpetual = read_end_by(fields) || perpetual;
        let zone = optional_zone(fields, "timezone");
        if kind? == ONE_TIME {
            check_order(fields, ("startTime", start), ("endTime", end));
            return Some(Self::OneTime { interval: Interval::new(start?, end?)?, zone });
        }
        if is_blank(fields, "timezone") {
            fields.error("timezone", "is required");
        }
        fields.require("pattern");
        let repetition = fields.object("pattern").and_then(|mut pattern| {
            // Some put it here, where it looks at home.
            perpetual |= read_end_by(&mut pattern);
            Repetition::read(&mut pattern, &["daily", "weekly", "monthly", "yearly"], FREQUENCY)
        });
        if !perpetual {
            check_order(fields, ("startTime", start), ("endTime", end));
        }
        Some(Self::Recurring { start: start?, end: end?, zone: zone?, repetition: repetition?, perpetual })
    }

    /// Reads what [`MaintenanceSchedule::to_json`] wrote.
    ///
    /// # Errors
    /// 400 as for a body.
    pub fn from_json(value: &Value) -> Result<Self, Problem> {
        stored(value, |fields| Self::read_schedule(fields, false))
    }

    /// What it means.
    pub fn rule(&self) -> Rule {
        match *self {
            Self::OneTime { interval, .. } => Rule::OneTime(interval),
            Self::Recurring { start, end, zone, repetition: Repetition { pattern, .. }, perpetual } => {
                Rule::repeated(Repeated { zone, start, end, pattern, perpetual })
            }
        }
    }

    /// The documented shape, with `endBy` inside; also how it is stored.
    pub fn to_json(&self) -> Value {
        match self {
            Self::OneTime { interval, zone } => object([
                ("type", Some(json!(ONE_TIME))),
                ("startTime", Some(json!(interval.start()))),
                ("endTime", Some(json!(interval.end()))),
                ("timezone", zone.map(|zone| json!(zone.name()))),
            ]),
            Self::Recurring { start, end, zone, repetition, perpetual } => object([
                ("type", Some(json!(RECURRING))),
                ("startTime", Some(json!(start))),
                ("endTime", Some(json!(end))),
                ("timezone", Some(json!(zone.name()))),
                ("pattern", Some(repetition.to_json(FREQUENCY))),
                ("endBy", perpetual.then(|| json!(NEVER))),
            ]),
        }
    }
}

/// The schedule of a body, whose `endBy` may stand inside or beside it.
impl Field for MaintenanceSchedule {
    fn read(body: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        let beside = read_end_by(body);
        Self::read_schedule(&mut body.object(name)?, beside)
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::OneTime { interval: Interval::BLANK, zone: None }
    }
}

impl Serialize for MaintenanceSchedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

/// Whether `endBy` says `NEVER`; it can say nothing else.
fn read_end_by(fields: &mut Fields<'_>) -> bool {
    !is_blank(fields, "endBy") && fields.one_of("endBy", &[NEVER]).is_some()
}
