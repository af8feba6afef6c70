//! When a shift takes place, as clients say and see it (operation 11 of `docs/interface.md`), and as it is stored.
//!
//! ```json
//! {"type":"one-time","startDate":"2026-11-20T08:00:00+0000","endDate":"2026-11-21T08:00:00+0000"}
//! {"type":"recurring","startDate":"2026-11-20T00:00:00+0000","startTime":"22:00:00","endTime":"06:00:00",
//!  "pattern":{"type":"weekly","repeatFrequency":2,"weekDays":"Monday,Friday"},
//!  "endPattern":{"type":"OCCURRENCES","occurrences":5}}
//! ```

use api::{
    Request,
    spec::{described, one_of},
};
use base::{Fields, body::says};
use calendar::{
    End, Instant, Interval, MonthDays, Months, OnDay, Pattern, Recurring, Rule, TimeOfDay, WeekIndex, Weekday,
    Weekdays, Zone, fields::check_order, forms,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The largest number of occurrences that can be asked for: of a daily shift, more than 2,700 years.
const MOST_OCCURRENCES: i64 = 1_000_000;

const BY_WEEKDAY: &str = "DAY_OF_WEEK";
const BY_NUMBER: &str = "DAY_OF_MONTH";

api::texts! {
    /// A week of a month.
    RosterWeekIndex = described(one_of(&WeekIndex::NAMES), "A week of a month.");
    /// A day of the week.
    RosterDayOfWeek = described(one_of(&Weekday::NAMES), "A day of the week.");
}

/// When a shift takes place, by its `type`: once (`one-time`), or again and again (`recurring`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema, Request)]
#[serde(tag = "type")]
pub enum ShiftSchedule {
    /// Once.
    #[serde(rename = "one-time")]
    OneTime(OneTimeSchedule),
    /// Again and again.
    #[serde(rename = "recurring")]
    Recurring(RecurringSchedule),
}

/// A shift that takes place once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(check = check_once, example = json!({
    "type": "one-time", "startDate": "2026-11-20T08:00:00+0000", "endDate": "2026-11-21T08:00:00+0000"
}))]
pub struct OneTimeSchedule {
    /// When it starts.
    #[request(text = forms::INSTANT)]
    pub start_date: Instant,
    /// When it ends: after `startDate`.
    #[request(text = forms::INSTANT)]
    pub end_date: Instant,
}

/// A shift that takes place again and again, in the roster's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(check = check_recurring, example = json!({
    "type": "recurring", "startDate": "2026-11-20T00:00:00+0000", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}
}))]
pub struct RecurringSchedule {
    /// It takes place for the first time when it first starts at or after this instant.
    #[request(text = forms::INSTANT)]
    pub start_date: Instant,
    /// `HH:mm:ss`, on the clocks of the zone.
    #[request(text = forms::TIME_OF_DAY, example = "22:00:00")]
    pub start_time: TimeOfDay,
    /// `HH:mm:ss`; on the next date when it is not after `startTime`.
    #[request(text = forms::TIME_OF_DAY, example = "06:00:00")]
    pub end_time: TimeOfDay,
    /// On which dates.
    pub pattern: ShiftPattern,
    /// For how long.
    pub end_pattern: ShiftEnd,
}

/// On which dates, by its `type`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema, Request)]
#[serde(tag = "type", rename_all = "lowercase")]
#[request(otherwise = Daily)]
pub enum ShiftPattern {
    /// Every so many days.
    Daily(DailyPattern),
    /// Every so many weeks.
    Weekly(WeeklyPattern),
    /// Every so many months.
    Monthly(MonthlyPattern),
    /// Every so many years.
    Yearly(YearlyPattern),
}

/// Every so many days.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
pub struct DailyPattern {
    /// Every so many days.
    #[request(range = 1..=10)]
    pub repeat_frequency: u16,
}

/// Every so many weeks, on some days of them. Weeks start on Sunday.
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
pub struct WeeklyPattern {
    /// Every so many weeks.
    #[request(range = 1..=52)]
    pub repeat_frequency: u16,
    /// Names of days, separated by commas; without them the day of the first date.
    #[request(blank, text = forms::WEEKDAYS, example = "Monday,Friday")]
    pub week_days: Option<Weekdays>,
}

/// Every so many months, on a day of the month or of a week of it.
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(check = check_monthly)]
pub struct MonthlyPattern {
    /// Every so many months.
    #[request(range = 1..=10)]
    pub repeat_frequency: u16,
    /// What names the day.
    pub repeat_type: RepeatType,
    /// For `DAY_OF_WEEK`: which week.
    #[request(when = says("repeatType", &[BY_WEEKDAY]), schema = RosterWeekIndex)]
    pub week_index: Option<WeekIndex>,
    /// For `DAY_OF_WEEK`: which day of it.
    #[request(when = says("repeatType", &[BY_WEEKDAY]), schema = RosterDayOfWeek)]
    pub day_of_week: Option<Weekday>,
    /// For `DAY_OF_MONTH`; in a shorter month its last day.
    #[request(when = says("repeatType", &[BY_NUMBER]), range = 1..=31)]
    pub day_of_month: Option<u8>,
}

/// Every so many years, on the month and day of the first date.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
pub struct YearlyPattern {
    /// Every so many years.
    #[request(range = 1..=10)]
    pub repeat_frequency: u16,
}

/// What names the day of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, Request)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RepeatType {
    /// `weekIndex` and `dayOfWeek`.
    DayOfWeek,
    /// `dayOfMonth`.
    DayOfMonth,
}

/// For how long a shift repeats, by its `type`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema, Request)]
#[serde(tag = "type", rename_all = "UPPERCASE")]
pub enum ShiftEnd {
    /// For ever.
    Never(EndNever),
    /// For some occurrences.
    Occurrences(EndOccurrences),
    /// Until a date.
    Date(EndDate),
}

/// For ever.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
pub struct EndNever {}

/// For some occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
pub struct EndOccurrences {
    /// How many.
    #[request(also = ["OCCURRENCES"], range = 1..=MOST_OCCURRENCES)]
    pub occurrences: u32,
}

/// Until a date.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
pub struct EndDate {
    /// No occurrence starts at or after it.
    #[request(also = ["DATE"], text = forms::INSTANT)]
    pub end_date: Instant,
}

impl ShiftSchedule {
    /// What it means in the zone of its roster.
    pub fn rule(&self, zone: Zone) -> Rule {
        match self {
            Self::OneTime(once) => Rule::OneTime(once.start_date.until(once.end_date).unwrap_or(Interval::BLANK)),
            Self::Recurring(schedule) => Rule::recurring(Recurring {
                zone,
                start_date: schedule.start_date.at(),
                start_time: schedule.start_time,
                end_time: schedule.end_time,
                pattern: schedule.pattern.pattern(),
                end: schedule.end_pattern.end(),
            }),
        }
    }
}

impl ShiftPattern {
    fn pattern(self) -> Pattern {
        match self {
            Self::Daily(daily) => Pattern::Daily { every: daily.repeat_frequency },
            Self::Weekly(weekly) => {
                Pattern::Weekly { every: weekly.repeat_frequency, days: weekly.week_days.unwrap_or_default() }
            }
            Self::Monthly(monthly) => {
                let days = monthly.day_of_month.map(|day| MonthDays::from_iter([day]));
                let on = OnDay::of(monthly.week_index.zip(monthly.day_of_week), days);
                Pattern::Monthly { every: monthly.repeat_frequency, on }
            }
            Self::Yearly(yearly) => {
                let months = Months::default();
                let on = OnDay::of(None, None);
                Pattern::Yearly { every: yearly.repeat_frequency, months, on }
            }
        }
    }
}

impl ShiftEnd {
    fn end(self) -> End {
        match self {
            Self::Never(_) => End::Never,
            Self::Occurrences(EndOccurrences { occurrences }) => End::Occurrences(occurrences),
            Self::Date(EndDate { end_date }) => End::Date(end_date.at()),
        }
    }
}

fn check_once(once: &mut OneTimeSchedule, fields: &mut Fields<'_>) {
    check_order(fields, ("startDate", once.start_date), ("endDate", once.end_date));
}

fn check_recurring(schedule: &mut RecurringSchedule, fields: &mut Fields<'_>) {
    if let ShiftEnd::Date(end) = schedule.end_pattern {
        let is_named = fields.object("endPattern").is_some_and(|end| end.has("endDate"));
        let name = if is_named { "endPattern.endDate" } else { "endPattern.DATE" };
        check_order(fields, ("startDate", schedule.start_date), (name, end.end_date));
    }
}

fn check_monthly(_: &mut MonthlyPattern, fields: &mut Fields<'_>) {
    if fields.says("repeatType", &[BY_WEEKDAY]) {
        fields.require("weekIndex");
        fields.require("dayOfWeek");
    } else if fields.says("repeatType", &[BY_NUMBER]) {
        fields.require("dayOfMonth");
    }
}

#[cfg(test)]
mod tests;
