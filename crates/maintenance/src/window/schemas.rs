//! The shapes of schedules, references and conditions, for the OpenAPI document: `calendar` and the targets of
//! windows read them. What varies by its `type` is a tagged union.

#![expect(dead_code, reason = "others read what these types document")]

use calendar::forms;
use utoipa::ToSchema;

api::texts! {
    /// An instant that a schedule may name.
    pub Instant = api::spec::of_form(forms::INSTANT);
    /// Names of days.
    Weekdays = api::spec::of_form(forms::WEEKDAYS);
    /// Days of a month.
    MonthDays = api::spec::of_form(forms::MONTH_DAYS);
    /// Names of months.
    Months = api::spec::of_form(forms::MONTHS);
}

/// A resource, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenanceDeviceReference, rename_all = "camelCase", example = json!({"hostName": "web-01"}))]
pub struct DeviceReference {
    /// Its host name, whatever the letter case; it must be unique in the tenant.
    #[schema(min_length = 1, pattern = r"\S")]
    host_name: Option<String>,
    /// UUID.
    #[schema(min_length = 1, pattern = r"\S")]
    unique_id: Option<String>,
}

/// A device group or a site, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenancePlaceReference, example = json!({"name": "Web servers"}))]
pub struct PlaceReference {
    /// Its name, whatever the letter case.
    #[schema(min_length = 1, pattern = r"\S")]
    name: Option<String>,
    /// Its number; of a group also its `DGP-<uuid>`.
    #[schema(min_length = 1, pattern = r"\S")]
    id: Option<String>,
}

/// When a window is open.
#[derive(ToSchema)]
#[serde(tag = "type")]
#[schema(as = MaintenanceSchedule)]
#[expect(clippy::large_enum_variant, reason = "no value of it is ever made: it is what the document says")]
pub enum WindowSchedule {
    /// Once.
    #[serde(rename = "One-Time")]
    OneTime(OneTimeWindow),
    /// Again and again.
    #[serde(rename = "Recurring")]
    Recurring(RecurringWindow),
}

/// Once, between two instants.
#[derive(ToSchema)]
#[schema(as = OneTimeMaintenance, rename_all = "camelCase")]
pub struct OneTimeWindow {
    /// From when.
    #[schema(inline, value_type = Instant, example = "2026-11-20T22:00:00+0000")]
    start_time: String,
    /// Until when.
    #[schema(inline, value_type = Instant, example = "2026-11-21T02:00:00+0000")]
    end_time: String,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    timezone: Option<String>,
}

/// Again and again, in local time.
#[derive(ToSchema)]
#[schema(as = RecurringMaintenance, rename_all = "camelCase")]
pub struct RecurringWindow {
    /// Its local date is the first that an occurrence may have, its local time of day that of every start.
    #[schema(inline, value_type = Instant, example = "2026-11-20T22:00:00+0000")]
    start_time: String,
    /// Its local time of day is that of every end; unless `endBy` is `NEVER`, nothing starts at or after it.
    #[schema(inline, value_type = Instant, example = "2027-11-21T02:00:00+0000")]
    end_time: String,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    #[schema(example = "Europe/London")]
    timezone: String,
    /// On which dates.
    pattern: WindowPattern,
    /// `NEVER`, or absent.
    #[schema(pattern = "^NEVER$")]
    end_by: Option<String>,
}

/// On which dates: `daily` (`dayFrequency`, or every `repeatFrequency` days), `weekly` (`weekDays`), `monthly`
/// (`dayOfMonth`, or `weekIndex` and `dayOfWeek`) or `yearly` (`months`, and a day as for `monthly`).
#[derive(ToSchema)]
#[schema(as = MaintenancePattern, rename_all = "camelCase", example = json!({"type": "weekly", "weekDays": "Saturday,Sunday"}))]
pub struct WindowPattern {
    /// `daily`, `weekly`, `monthly` or `yearly`.
    #[schema(pattern = "^(daily|weekly|monthly|yearly)$")]
    r#type: String,
    /// `everyday` or `every weekday`, or `recurrence`: every `repeatFrequency` days.
    #[schema(pattern = "^(everyday|every weekday|recurrence)$")]
    day_frequency: Option<String>,
    /// Every so many days, weeks, months or years; 1 to 366, default 1.
    #[schema(minimum = 1, maximum = 366)]
    repeat_frequency: Option<i64>,
    /// `Sunday` to `Saturday`, separated by commas.
    #[schema(inline, value_type = Option<Weekdays>)]
    week_days: Option<String>,
    /// 1 to 31, one or more, separated by commas.
    #[schema(inline, value_type = Option<MonthDays>)]
    day_of_month: Option<String>,
    /// `First` to `Fourth`, or `Last`.
    #[schema(pattern = "^(First|Second|Third|Fourth|Last)$")]
    week_index: Option<String>,
    /// With `weekIndex`.
    #[schema(pattern = "^(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)$")]
    day_of_week: Option<String>,
    /// `January` to `December`, separated by commas.
    #[schema(inline, value_type = Option<Months>)]
    months: Option<String>,
}
