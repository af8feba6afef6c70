//! The pattern of a maintenance window and of a job, which say the same in nearly the same words.

use base::Fields;
use serde_json::{Value, json};

use super::{
    is_blank, joined, month_days, month_names, months, nth_weekday, object, required_one_of, weekday_names, weekdays,
};
use crate::pattern::{OnDay, Pattern, Weekdays};

/// A pattern, and the word with which it was given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Repetition {
    /// On which dates.
    pub pattern: Pattern,
    /// Of a daily one: `dayFrequency` of a maintenance window, `frequency` of a job.
    pub frequency: Option<Frequency>,
    /// Was `repeatFrequency` given? What was sent is what is answered.
    pub counted: bool,
}

/// Which days of a daily pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frequency {
    /// `everyday`.
    Everyday,
    /// `every weekday`: Monday to Friday.
    EveryWeekday,
    /// `recurrence`: every so many days.
    Recurrence,
}

impl Frequency {
    const NAMES: [&str; 3] = ["everyday", "every weekday", "recurrence"];

    fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }
}

/// The largest step. The interface limits that of rosters only; this is a year of days.
const LARGEST_STEP: i64 = 366;

impl Repetition {
    /// Reads a pattern whose `type` is one of `types`; `frequency` is the name of the field for it.
    pub(super) fn read(fields: &mut Fields<'_>, types: &[&'static str], frequency: &str) -> Option<Self> {
        let kind = required_one_of(fields, "type", types)?;
        let counted = !is_blank(fields, "repeatFrequency");
        let every = if counted {
            fields.integer_in("repeatFrequency", 1..=LARGEST_STEP).and_then(|every| u16::try_from(every).ok())
        } else {
            Some(1)
        };
        if kind == "daily" {
            return Self::read_daily(fields, every, counted, frequency);
        }
        let pattern = match kind {
            "weekly" => {
                let days = weekdays(fields);
                Pattern::Weekly { every: every?, days }
            }
            "monthly" => {
                let on = read_day(fields);
                if on.is_none() {
                    fields.error("dayOfMonth", "is required, or weekIndex and dayOfWeek are");
                }
                Pattern::Monthly { every: every?, on: on?? }
            }
            "yearly" => {
                let (months, on) = (months(fields), read_day(fields));
                let on = on.unwrap_or(Some(OnDay::Days(Default::default())));
                Pattern::Yearly { every: every?, months, on: on? }
            }
            _ => return None,
        };
        Some(Self { pattern, frequency: None, counted })
    }

    fn read_daily(fields: &mut Fields<'_>, every: Option<u16>, counted: bool, name: &str) -> Option<Self> {
        let frequency = if is_blank(fields, name) {
            None
        } else {
            Some(match fields.one_of(name, &Frequency::NAMES)? {
                "everyday" => Frequency::Everyday,
                "every weekday" => Frequency::EveryWeekday,
                _ => Frequency::Recurrence,
            })
        };
        let every = every?;
        let pattern = if frequency == Some(Frequency::EveryWeekday) {
            if every != 1 {
                fields.error("repeatFrequency", format!("must be 1 or absent when {name} is every weekday"));
            }
            Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY }
        } else {
            Pattern::Daily { every }
        };
        Some(Self { pattern, frequency, counted })
    }

    /// The documented shape.
    pub(super) fn to_json(self, frequency: &str) -> Value {
        let every = |every: u16| self.counted.then(|| json!(every));
        let daily = |step: u16| {
            let word = self.frequency.map(|frequency| json!(frequency.name()));
            object([("type", Some(json!("daily"))), (frequency, word), ("repeatFrequency", every(step))])
        };
        match self.pattern {
            _ if self.frequency == Some(Frequency::EveryWeekday) => daily(1),
            Pattern::Daily { every } => daily(every),
            Pattern::Weekly { every: step, days } => object([
                ("type", Some(json!("weekly"))),
                ("weekDays", (!days.is_empty()).then(|| json!(weekday_names(days)))),
                ("repeatFrequency", every(step)),
            ]),
            Pattern::Monthly { every: step, on } => in_months("monthly", every(step), None, on),
            Pattern::Yearly { every: step, months, on } => {
                in_months("yearly", every(step), (!months.is_empty()).then(|| month_names(months)), on)
            }
        }
    }
}

/// Reads `dayOfMonth`, or `weekIndex` and `dayOfWeek`. The outer `None` says that none of them is there, the inner one
/// that something is wrong with them.
fn read_day(fields: &mut Fields<'_>) -> Option<Option<OnDay>> {
    let by_number = !is_blank(fields, "dayOfMonth");
    let by_weekday = !is_blank(fields, "weekIndex") || !is_blank(fields, "dayOfWeek");
    if by_number && by_weekday {
        fields.error("dayOfMonth", "must be absent when weekIndex and dayOfWeek are there");
    }
    if by_weekday {
        return Some(nth_weekday(fields).map(|(index, weekday)| OnDay::Nth(index, weekday)));
    }
    by_number.then(|| {
        let days = month_days(fields);
        (!days.is_empty()).then_some(OnDay::Days(days))
    })
}

fn in_months(kind: &str, every: Option<Value>, months: Option<String>, on: OnDay) -> Value {
    let (days, nth) = match on {
        OnDay::Days(days) => ((!days.is_empty()).then(|| joined(days.iter())), None),
        OnDay::Nth(index, weekday) => (None, Some((index, weekday))),
    };
    object([
        ("type", Some(json!(kind))),
        ("months", months.map(Value::from)),
        ("dayOfMonth", days.map(Value::from)),
        ("weekIndex", nth.map(|(index, _)| json!(index.name()))),
        ("dayOfWeek", nth.map(|(_, weekday)| json!(weekday.name()))),
        ("repeatFrequency", every),
    ])
}
