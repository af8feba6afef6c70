//! The schedule of a roster's shift.

use base::{
    Fields, Problem, Timestamp,
    body::{Field, Limits},
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{check_order, instant, nth_weekday, object, required_one_of, stored, time_of_day, weekday_names, weekdays};
use crate::{
    interval::Interval,
    local::TimeOfDay,
    pattern::{MonthDays, Months, OnDay, Pattern},
    rule::{End, Recurring, Rule},
    zones::Zone,
};

/// The schedule of a shift, as operation 11 of `docs/interface.md` has it. Its zone is the roster's.
///
/// ```json
/// {"type":"one-time","startDate":"2026-11-20T08:00:00+0000","endDate":"2026-11-21T08:00:00+0000"}
/// {"type":"recurring","startDate":"2026-11-20T00:00:00+0000","startTime":"22:00:00","endTime":"06:00:00",
///  "pattern":{"type":"weekly","repeatFrequency":2,"weekDays":"Monday,Friday"},
///  "endPattern":{"type":"OCCURRENCES","occurrences":5}}
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RosterSchedule {
    /// Active for one period.
    OneTime(Interval),
    /// Active again and again.
    Recurring {
        /// The anchor is the first local date on which the shift starts at or after it.
        start_date: Timestamp,
        /// When the shift starts.
        start_time: TimeOfDay,
        /// When it ends, on the next date when this is not after `start_time`.
        end_time: TimeOfDay,
        /// On which dates. Of what a [`Pattern`] can say, the interface has: no sets of days or months but weekdays.
        pattern: Pattern,
        /// For how long.
        end: End,
    },
}

const ONE_TIME: &str = "one-time";
const RECURRING: &str = "recurring";
const DAILY: &str = "daily";
const WEEKLY: &str = "weekly";
const MONTHLY: &str = "monthly";
const YEARLY: &str = "yearly";
const DAY_OF_WEEK: &str = "DAY_OF_WEEK";
const DAY_OF_MONTH: &str = "DAY_OF_MONTH";
const NEVER: &str = "NEVER";
const OCCURRENCES: &str = "OCCURRENCES";
const DATE: &str = "DATE";

/// The largest number of occurrences that can be asked for: of a daily shift, more than 2,700 years.
const MOST_OCCURRENCES: i64 = 1_000_000;

impl RosterSchedule {
    /// Reads a schedule from its object; what is wrong or missing is noted there, and the answer is then `None` or not
    /// to be used.
    pub fn read(fields: &mut Fields<'_>) -> Option<Self> {
        if required_one_of(fields, "type", &[ONE_TIME, RECURRING])? == ONE_TIME {
            let (start, end) = (instant(fields, "startDate"), instant(fields, "endDate"));
            check_order(fields, ("startDate", start), ("endDate", end));
            return Interval::new(start?, end?).map(Self::OneTime);
        }
        let start_date = instant(fields, "startDate");
        let (start_time, end_time) = (time_of_day(fields, "startTime"), time_of_day(fields, "endTime"));
        fields.require("pattern");
        let pattern = fields.object("pattern").and_then(|mut pattern| read_pattern(&mut pattern));
        fields.require("endPattern");
        let end = fields.object("endPattern").and_then(|mut end| read_end(&mut end, start_date));
        Some(Self::Recurring {
            start_date: start_date?,
            start_time: start_time?,
            end_time: end_time?,
            pattern: pattern?,
            end: end?,
        })
    }

    /// Reads what [`RosterSchedule::to_json`] wrote.
    ///
    /// # Errors
    /// 400 as for a body.
    pub fn from_json(value: &Value) -> Result<Self, Problem> {
        stored(value, Self::read)
    }

    /// What it means in the zone of its roster.
    pub fn rule(&self, zone: Zone) -> Rule {
        match *self {
            Self::OneTime(interval) => Rule::OneTime(interval),
            Self::Recurring { start_date, start_time, end_time, pattern, end } => {
                Rule::recurring(Recurring { zone, start_date, start_time, end_time, pattern, end })
            }
        }
    }

    /// The documented shape; also how it is stored.
    pub fn to_json(&self) -> Value {
        match self {
            Self::OneTime(interval) => {
                json!({"type": ONE_TIME, "startDate": interval.start(), "endDate": interval.end()})
            }
            Self::Recurring { start_date, start_time, end_time, pattern, end } => json!({
                "type": RECURRING,
                "startDate": start_date,
                "startTime": start_time,
                "endTime": end_time,
                "pattern": pattern_json(*pattern),
                "endPattern": match end {
                    End::Never => json!({"type": NEVER}),
                    End::Occurrences(count) => json!({"type": OCCURRENCES, "occurrences": count}),
                    End::Date(date) => json!({"type": DATE, "endDate": date}),
                },
            }),
        }
    }
}

impl Field for RosterSchedule {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        fields.object(name).and_then(|mut schedule| Self::read(&mut schedule))
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::OneTime(Interval::BLANK)
    }
}

impl Serialize for RosterSchedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

fn read_pattern(fields: &mut Fields<'_>) -> Option<Pattern> {
    let kind = required_one_of(fields, "type", &[DAILY, WEEKLY, MONTHLY, YEARLY]);
    fields.require("repeatFrequency");
    let every = fields.integer_in("repeatFrequency", 1..=10).and_then(|every| u16::try_from(every).ok());
    match kind? {
        DAILY => Some(Pattern::Daily { every: every? }),
        WEEKLY => {
            let days = weekdays(fields);
            Some(Pattern::Weekly { every: every?, days })
        }
        MONTHLY => {
            let on = match required_one_of(fields, "repeatType", &[DAY_OF_WEEK, DAY_OF_MONTH])? {
                DAY_OF_WEEK => nth_weekday(fields).map(|(index, weekday)| OnDay::Nth(index, weekday)),
                _ => {
                    fields.require("dayOfMonth");
                    let day = fields.integer_in("dayOfMonth", 1..=31).and_then(|day| u8::try_from(day).ok());
                    day.map(|day| OnDay::Days([day].into_iter().collect()))
                }
            };
            Some(Pattern::Monthly { every: every?, on: on? })
        }
        _ => {
            let (months, on) = (Months::default(), OnDay::Days(MonthDays::default()));
            Some(Pattern::Yearly { every: every?, months, on })
        }
    }
}

fn pattern_json(pattern: Pattern) -> Value {
    match pattern {
        Pattern::Daily { every } => json!({"type": DAILY, "repeatFrequency": every}),
        Pattern::Weekly { every, days } => object([
            ("type", Some(json!(WEEKLY))),
            ("repeatFrequency", Some(json!(every))),
            ("weekDays", (!days.is_empty()).then(|| json!(weekday_names(days)))),
        ]),
        Pattern::Monthly { every, on: OnDay::Nth(index, weekday) } => json!({
            "type": MONTHLY,
            "repeatFrequency": every,
            "repeatType": DAY_OF_WEEK,
            "weekIndex": index.name(),
            "dayOfWeek": weekday.name(),
        }),
        Pattern::Monthly { every, on: OnDay::Days(days) } => json!({
            "type": MONTHLY,
            "repeatFrequency": every,
            "repeatType": DAY_OF_MONTH,
            "dayOfMonth": days.iter().next(),
        }),
        Pattern::Yearly { every, .. } => json!({"type": YEARLY, "repeatFrequency": every}),
    }
}

/// Reads an `endPattern`. Its values are found under `occurrences` and `endDate`, or else under `OCCURRENCES` and
/// `DATE`.
fn read_end(fields: &mut Fields<'_>, start_date: Option<Timestamp>) -> Option<End> {
    match required_one_of(fields, "type", &[NEVER, OCCURRENCES, DATE])? {
        NEVER => Some(End::Never),
        OCCURRENCES => {
            let name = present(fields, "occurrences", OCCURRENCES);
            fields.require(name);
            let count = fields.integer_in(name, 1..=MOST_OCCURRENCES)?;
            u32::try_from(count).ok().map(End::Occurrences)
        }
        _ => {
            let name = present(fields, "endDate", DATE);
            let end = instant(fields, name);
            check_order(fields, ("startDate", start_date), (name, end));
            end.map(End::Date)
        }
    }
}

fn present<'n>(fields: &Fields<'_>, name: &'n str, other: &'n str) -> &'n str {
    if !fields.has(name) && fields.has(other) { other } else { name }
}
