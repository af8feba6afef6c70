//! When a window is open, as clients say and see it (operation 14 of `docs/interface.md`), and as it is stored.
//!
//! ```json
//! {"type":"One-Time","startTime":"2026-11-20T22:00:00+0000","endTime":"2026-11-21T02:00:00+0000"}
//! {"type":"Recurring","startTime":"2026-11-20T22:00:00+0000","endTime":"2027-11-21T02:00:00+0000",
//!  "timezone":"Europe/London","pattern":{"type":"daily","dayFrequency":"everyday"},"endBy":"NEVER"}
//! ```

use api::Request;
use base::{Fields, body::says};
use calendar::{
    Frequency, Instant, Interval, MonthDays, Months, OnDay, Pattern, Repeated, Rule, WeekIndex, Weekday, Weekdays,
    Zone,
    fields::{self, check_day, check_order},
    forms,
};
use serde::Serialize;
use utoipa::ToSchema;

/// That a window has no end: `endBy`.
pub const NEVER: [&str; 1] = ["NEVER"];

const DAILY: &str = "daily";
const WEEKLY: &str = "weekly";
const MONTHLY: &str = "monthly";
const YEARLY: &str = "yearly";
const PATTERNS: [&str; 4] = [DAILY, WEEKLY, MONTHLY, YEARLY];

/// When a window is open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema, Request)]
#[serde(tag = "type")]
#[schema(as = MaintenanceSchedule)]
#[request(otherwise = OneTime)]
pub enum WindowSchedule {
    /// Once.
    #[serde(rename = "One-Time")]
    OneTime(OneTimeWindow),
    /// Again and again.
    #[serde(rename = "Recurring")]
    Recurring(RecurringWindow),
}

/// Once, between two instants.
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "OneTimeMaintenance", check = check_once)]
pub struct OneTimeWindow {
    /// From when.
    #[request(text = forms::INSTANT, example = "2026-11-20T22:00:00+0000")]
    pub start_time: Instant,
    /// Until when.
    #[request(text = forms::INSTANT, example = "2026-11-21T02:00:00+0000")]
    pub end_time: Instant,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    #[request(blank, schema = String)]
    #[serde(serialize_with = "fields::by_name")]
    pub timezone: Option<Zone>,
    /// Says nothing here.
    #[request(undocumented, blank, words = NEVER)]
    #[serde(skip)]
    pub end_by: Option<&'static str>,
}

/// Again and again, in local time.
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "RecurringMaintenance", check = check_recurring)]
pub struct RecurringWindow {
    /// Its local date is the first that an occurrence may have, its local time of day that of every start.
    #[request(text = forms::INSTANT, example = "2026-11-20T22:00:00+0000")]
    pub start_time: Instant,
    /// Its local time of day is that of every end; unless `endBy` is `NEVER`, nothing starts at or after it.
    #[request(text = forms::INSTANT, example = "2027-11-21T02:00:00+0000")]
    pub end_time: Instant,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    #[request(blank, schema = String, pattern = r"\S", example = "Europe/London")]
    #[serde(serialize_with = "fields::by_name")]
    pub timezone: Zone,
    /// On which dates.
    pub pattern: WindowPattern,
    /// `NEVER`, or absent.
    #[request(blank, words = NEVER)]
    pub end_by: Option<&'static str>,
}

/// On which dates: `daily` (`dayFrequency`, or every `repeatFrequency` days), `weekly` (`weekDays`), `monthly`
/// (`dayOfMonth`, or `weekIndex` and `dayOfWeek`) or `yearly` (`months`, and a day as for `monthly`).
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(
    schema = "MaintenancePattern", check = check_pattern,
    example = json!({"type": "weekly", "weekDays": "Saturday,Sunday"})
)]
pub struct WindowPattern {
    /// `daily`, `weekly`, `monthly` or `yearly`.
    #[request(name = "type", words = PATTERNS)]
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `everyday` or `every weekday`, or `recurrence`: every `repeatFrequency` days.
    #[request(when = says("type", &[DAILY]), blank, schema = String, words = Frequency::NAMES)]
    pub day_frequency: Option<Frequency>,
    /// `Sunday` to `Saturday`, separated by commas.
    #[request(when = says("type", &[WEEKLY]), blank, text = forms::WEEKDAYS)]
    pub week_days: Option<Weekdays>,
    /// `January` to `December`, separated by commas.
    #[request(when = says("type", &[YEARLY]), blank, text = forms::MONTHS)]
    pub months: Option<Months>,
    /// 1 to 31, one or more, separated by commas.
    #[request(when = is_by_number, blank, text = forms::MONTH_DAYS)]
    pub day_of_month: Option<MonthDays>,
    /// `First` to `Fourth`, or `Last`.
    #[request(when = is_by_weekday, schema = String, words = WeekIndex::NAMES)]
    pub week_index: Option<WeekIndex>,
    /// With `weekIndex`.
    #[request(when = is_by_weekday, schema = String, words = Weekday::NAMES)]
    pub day_of_week: Option<Weekday>,
    /// Every so many days, weeks, months or years; 1 to 366, default 1.
    #[request(when = says("type", &PATTERNS), blank, range = 1..=366)]
    pub repeat_frequency: Option<u16>,
    /// Some say it here, where it looks at home.
    #[request(undocumented, blank, words = NEVER)]
    #[serde(skip)]
    pub end_by: Option<&'static str>,
}

impl WindowSchedule {
    /// What it means.
    pub fn rule(&self) -> Rule {
        match self {
            Self::OneTime(once) => Rule::OneTime(once.start_time.until(once.end_time).unwrap_or(Interval::BLANK)),
            Self::Recurring(window) => Rule::repeated(Repeated {
                zone: window.timezone,
                start: window.start_time.at(),
                end: window.end_time.at(),
                pattern: window.pattern.pattern(),
                perpetual: window.end_by.is_some(),
            }),
        }
    }

    /// Takes over an `endBy` that stands beside the schedule of a body, and notes there when the end is not after the
    /// start, or its date says nothing.
    pub fn complete(&mut self, end_by: Option<&'static str>, body: &mut Fields<'_>) {
        match self {
            Self::Recurring(window) => {
                window.end_by = window.end_by.or(end_by);
                match window.end_by {
                    Some(_) => body.ignore("schedule.endTime"),
                    None => check_order(body, ("startTime", window.start_time), ("schedule.endTime", window.end_time)),
                }
            }
            Self::OneTime(_) if end_by.is_some() => body.ignore("endBy"),
            Self::OneTime(_) => {}
        }
    }
}

impl WindowPattern {
    fn pattern(&self) -> Pattern {
        let every = self.repeat_frequency.unwrap_or(1);
        let on = OnDay::of(self.week_index.zip(self.day_of_week), self.day_of_month);
        match self.kind {
            WEEKLY => Pattern::Weekly { every, days: self.week_days.unwrap_or_default() },
            MONTHLY => Pattern::Monthly { every, on },
            YEARLY => Pattern::Yearly { every, months: self.months.unwrap_or_default(), on },
            _ if self.day_frequency == Some(Frequency::EveryWeekday) => {
                Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY }
            }
            _ => Pattern::Daily { every },
        }
    }
}

fn is_by_weekday(of: &Fields<'_>) -> bool {
    of.says("type", &[MONTHLY, YEARLY]) && fields::is_by_weekday(of)
}

fn is_by_number(of: &Fields<'_>) -> bool {
    of.says("type", &[MONTHLY, YEARLY]) && !fields::is_by_weekday(of)
}

fn check_once(once: &mut OneTimeWindow, fields: &mut Fields<'_>) {
    if once.end_by.is_some() {
        fields.ignore("endBy");
    }
    // What is neither has been told that.
    if fields.says("type", &["One-Time"]) {
        check_order(fields, ("startTime", once.start_time), ("endTime", once.end_time));
    }
}

fn check_recurring(window: &mut RecurringWindow, _: &mut Fields<'_>) {
    window.end_by = window.end_by.or(window.pattern.end_by.take());
}

fn check_pattern(pattern: &mut WindowPattern, fields: &mut Fields<'_>) {
    match pattern.kind {
        MONTHLY => check_day(fields, false),
        YEARLY => check_day(fields, true),
        _ if pattern.day_frequency == Some(Frequency::EveryWeekday)
            && pattern.repeat_frequency.is_some_and(|n| n != 1) =>
        {
            fields.error("repeatFrequency", "must be 1 or absent when dayFrequency is every weekday");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
