//! The shapes of schedules, for the OpenAPI document: what varies by its `type` is a tagged union. `calendar` reads them.

#![expect(dead_code, reason = "calendar reads schedules, and knows no documents")]

use calendar::forms;
use utoipa::ToSchema;

api::texts! {
    /// An instant that a schedule may name.
    pub Instant = api::spec::of_form(forms::INSTANT);
    /// A time of day.
    TimeOfDay = api::spec::of_form(forms::TIME_OF_DAY);
    /// Names of days.
    Weekdays = api::spec::of_form(forms::WEEKDAYS);
}

/// When a shift takes place, by its `type`: once (`one-time`), or again and again (`recurring`).
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
#[schema(discriminator(property_name = "type", mapping(
    ("one-time" = "#/components/schemas/OneTimeSchedule"),
    ("recurring" = "#/components/schemas/RecurringSchedule"),
)))]
pub enum ShiftSchedule {
    /// Once.
    OneTime(OneTimeSchedule),
    /// Again and again.
    Recurring(RecurringSchedule),
}

/// A shift that takes place once.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "type": "one-time", "startDate": "2026-11-20T08:00:00+0000", "endDate": "2026-11-21T08:00:00+0000"
}))]
pub struct OneTimeSchedule {
    /// Always `one-time`.
    #[schema(pattern = "^one-time$", example = "one-time")]
    r#type: String,
    /// When it starts.
    #[schema(inline, value_type = Instant)]
    start_date: String,
    /// When it ends: after `startDate`.
    #[schema(inline, value_type = Instant)]
    end_date: String,
}

/// A shift that takes place again and again, in the roster's time zone.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "type": "recurring", "startDate": "2026-11-20T00:00:00+0000", "startTime": "22:00:00", "endTime": "06:00:00",
    "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}
}))]
pub struct RecurringSchedule {
    /// Always `recurring`.
    #[schema(pattern = "^recurring$", example = "recurring")]
    r#type: String,
    /// It takes place for the first time when it first starts at or after this instant.
    #[schema(inline, value_type = Instant)]
    start_date: String,
    /// `HH:mm:ss`, on the clocks of the zone.
    #[schema(inline, value_type = TimeOfDay, example = "22:00:00")]
    start_time: String,
    /// `HH:mm:ss`; on the next date when it is not after `startTime`.
    #[schema(inline, value_type = TimeOfDay, example = "06:00:00")]
    end_time: String,
    /// On which dates.
    pattern: ShiftPattern,
    /// For how long.
    end_pattern: ShiftEnd,
}

/// On which dates, by its `type`.
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
#[schema(discriminator(property_name = "type", mapping(
    ("daily" = "#/components/schemas/DailyPattern"),
    ("weekly" = "#/components/schemas/WeeklyPattern"),
    ("monthly" = "#/components/schemas/MonthlyPattern"),
    ("yearly" = "#/components/schemas/YearlyPattern"),
)))]
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
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DailyPattern {
    /// Always `daily`.
    #[schema(pattern = "^daily$", example = "daily")]
    r#type: String,
    /// Every so many days.
    #[schema(minimum = 1, maximum = 10)]
    repeat_frequency: i64,
}

/// Every so many weeks, on some days of them. Weeks start on Sunday.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeeklyPattern {
    /// Always `weekly`.
    #[schema(pattern = "^weekly$", example = "weekly")]
    r#type: String,
    /// Every so many weeks.
    #[schema(minimum = 1, maximum = 10)]
    repeat_frequency: i64,
    /// Names of days, separated by commas; without them the day of the first date.
    #[schema(inline, value_type = Option<Weekdays>, example = "Monday,Friday")]
    week_days: Option<String>,
}

/// Every so many months, on a day of the month or of a week of it.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonthlyPattern {
    /// Always `monthly`.
    #[schema(pattern = "^monthly$", example = "monthly")]
    r#type: String,
    /// Every so many months.
    #[schema(minimum = 1, maximum = 10)]
    repeat_frequency: i64,
    /// What names the day.
    repeat_type: RepeatType,
    /// For `DAY_OF_WEEK`: which week.
    week_index: Option<WeekIndexName>,
    /// For `DAY_OF_WEEK`: which day of it.
    day_of_week: Option<DayOfWeek>,
    /// For `DAY_OF_MONTH`; in a shorter month its last day.
    #[schema(minimum = 1, maximum = 31)]
    day_of_month: Option<i64>,
}

/// Every so many years, on the month and day of the first date.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct YearlyPattern {
    /// Always `yearly`.
    #[schema(pattern = "^yearly$", example = "yearly")]
    r#type: String,
    /// Every so many years.
    #[schema(minimum = 1, maximum = 10)]
    repeat_frequency: i64,
}

/// What names the day of a month.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RepeatType {
    /// `weekIndex` and `dayOfWeek`.
    DayOfWeek,
    /// `dayOfMonth`.
    DayOfMonth,
}

/// A week of a month.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = RosterWeekIndex)]
pub enum WeekIndexName {
    /// The first such day of the month.
    First,
    /// The second.
    Second,
    /// The third.
    Third,
    /// The fourth.
    Fourth,
    /// The last, be it the fourth or the fifth.
    Last,
}

/// A day of the week.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = RosterDayOfWeek)]
pub enum DayOfWeek {
    /// The first day of a week.
    Sunday,
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
}

/// For how long a shift repeats, by its `type`.
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
#[schema(discriminator(property_name = "type", mapping(
    ("NEVER" = "#/components/schemas/EndNever"),
    ("OCCURRENCES" = "#/components/schemas/EndOccurrences"),
    ("DATE" = "#/components/schemas/EndDate"),
)))]
pub enum ShiftEnd {
    /// For ever.
    Never(EndNever),
    /// For some occurrences.
    Occurrences(EndOccurrences),
    /// Until a date.
    Date(EndDate),
}

/// For ever.
#[derive(serde::Serialize, ToSchema)]
pub struct EndNever {
    /// Always `NEVER`.
    #[schema(pattern = "^NEVER$", example = "NEVER")]
    r#type: String,
}

/// For some occurrences.
#[derive(serde::Serialize, ToSchema)]
pub struct EndOccurrences {
    /// Always `OCCURRENCES`.
    #[schema(pattern = "^OCCURRENCES$", example = "OCCURRENCES")]
    r#type: String,
    /// How many.
    #[schema(minimum = 1, maximum = 1000000)]
    occurrences: i64,
}

/// Until a date.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndDate {
    /// Always `DATE`.
    #[schema(pattern = "^DATE$", example = "DATE")]
    r#type: String,
    /// No occurrence starts at or after it.
    #[schema(inline, value_type = Instant)]
    end_date: String,
}
