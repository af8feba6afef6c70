//! The words of schedules, as fields of a body: what a shift, a window and a job say alike. What of them a schedule
//! has, and under which names, its domain declares.

use base::{
    Fields, Timestamp,
    body::{Field, Limits},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{
    cron::CronExpression,
    interval::Interval,
    local::{Day, TimeOfDay},
    pattern::{Frequency, MonthDays, Months, WeekIndex, Weekday, Weekdays},
    zones::Zone,
};

/// The instants that a schedule may name, in milliseconds: the years 1970 to 9998. A year 9999 is a placeholder for
/// `never`, which has a word of its own.
const INSTANTS: std::ops::Range<i64> = 0..253_370_764_800_000;

/// An instant that a schedule may name. Only of a body that is refused it is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Instant(Option<Timestamp>);

impl Instant {
    /// Takes over an instant of the years 1970 to 9998.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of the field.
    pub fn of(at: Timestamp) -> Result<Self, &'static str> {
        if INSTANTS.contains(&at.millis()) { Ok(Self(Some(at))) } else { Err("must lie in the years 1970 to 9998") }
    }

    /// The instant.
    pub fn at(self) -> Timestamp {
        self.0.unwrap_or(Timestamp::from_millis(0))
    }

    /// The stretch that ends at another one.
    pub fn until(self, end: Self) -> Option<Interval> {
        Interval::new(self.0?, end.0?)
    }

    /// Are both there, and the other one is not after this one?
    pub fn is_not_before(self, other: Self) -> bool {
        self.0.zip(other.0).is_some_and(|(one, other)| one >= other)
    }
}

impl Field for Instant {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        let at = fields.timestamp(name)?;
        Self::of(at).map_err(|message| fields.error(name, message)).ok()
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self(None)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.at().serialize(serializer)
    }
}

/// Notes that an end is not after its start.
pub fn check_order(fields: &mut Fields<'_>, start: (&str, Instant), end: (&str, Instant)) {
    if start.1.is_not_before(end.1) {
        fields.error(end.0, format!("must be after {}", start.0));
    }
}

/// The name of a time zone (`timeZone.name` in operation 11 of `docs/interface.md`, `timezone` in operation 14). One
/// that does not exist is noted with those that are like it.
impl Field for Zone {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        let text = fields.text(name)?;
        let zone = Self::find(&text);
        if zone.is_none() {
            let near = Self::suggestions(&text);
            fields.error(
                name,
                if near.is_empty() {
                    "is not a time zone: take a name of the IANA database, such as Europe/Paris".to_owned()
                } else {
                    format!("is not a time zone; did you mean {}?", near.join(" or "))
                },
            );
        }
        zone
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::GMT
    }
}

/// Writes a zone, or one that may be absent, as [`Field`] reads it.
///
/// # Errors
/// Those of the writer.
pub fn by_name<S: Serializer>(zone: &(impl Copy + Into<Option<Zone>>), serializer: S) -> Result<S::Ok, S::Error> {
    (*zone).into().map(Zone::name).serialize(serializer)
}

impl Field for Day {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        let text = fields.text(name)?;
        Self::parse(text.trim()).map_err(|message| fields.error(name, message)).ok()
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::of_number(0)
    }
}

impl Field for TimeOfDay {
    fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
        let time = fields.value(name)?.as_str().and_then(Self::parse);
        if time.is_none() {
            fields.error(name, "must be a time of day from 00:00:00 to 23:59:59");
        }
        time
    }

    fn blank(_: &Fields<'_>, _: &Limits) -> Self {
        Self::MIDNIGHT
    }
}

impl Serialize for CronExpression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

/// Values that have a name each, read in any letter case.
macro_rules! named {
    ($($value:ident, $first:ident;)*) => { $(
        impl Field for $value {
            fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
                fields.one_of(name, &Self::NAMES).and_then(Self::find)
            }

            fn blank(_: &Fields<'_>, _: &Limits) -> Self {
                Self::$first
            }
        }

        impl Serialize for $value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.name().serialize(serializer)
            }
        }
    )* };
}

named! {
    Weekday, Sunday;
    WeekIndex, First;
    Frequency, Everyday;
}

/// Sets whose elements are separated by commas; a single one may come as a number.
macro_rules! listed {
    ($($set:ident, $message:expr;)*) => { $(
        impl Field for $set {
            fn read(fields: &mut Fields<'_>, name: &str, _: &Limits) -> Option<Self> {
                let set = match fields.value(name)? {
                    Value::String(text) => Self::parse(text),
                    Value::Number(number) => Self::parse(&number.to_string()),
                    _ => None,
                };
                if set.is_none() {
                    fields.error(name, $message);
                }
                set
            }

            fn blank(_: &Fields<'_>, _: &Limits) -> Self {
                Self::default()
            }
        }

        impl Serialize for $set {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )* };
}

listed! {
    Weekdays, format!("must be weekdays separated by commas, each one of: {}", Weekday::NAMES.join(", "));
    MonthDays, "must be days of the month from 1 to 31, separated by commas";
    Months, format!("must be months separated by commas, each one of: {}", Months::NAMES.join(", "));
}

/// Is a day of a month named by its weekday?
pub fn is_by_weekday(of: &Fields<'_>) -> bool {
    !(of.is_blank("weekIndex") && of.is_blank("dayOfWeek"))
}

/// Notes what a pattern says of the days of its months when that is not one thing: `dayOfMonth`, or `weekIndex` and
/// `dayOfWeek`. `else_anchor`: without any, it is the anchor's.
pub fn check_day(fields: &mut Fields<'_>, else_anchor: bool) {
    let by_number = !fields.is_blank("dayOfMonth");
    if is_by_weekday(fields) {
        if by_number {
            fields.error("dayOfMonth", "must be absent when weekIndex and dayOfWeek are there");
        }
        fields.require("weekIndex");
        fields.require("dayOfWeek");
    } else if !by_number && !else_anchor {
        fields.error("dayOfMonth", "is required, or weekIndex and dayOfWeek are");
    }
}
