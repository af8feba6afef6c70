//! The shapes of requests and schedules, for the OpenAPI document: what varies by its `type` is a tagged union.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// A window to create, or to preview. One of `devices`, `deviceGroups` and `locations` is there; together they have at
/// most 100 elements.
#[derive(ToSchema)]
#[schema(as = MaintenanceWindowInput, rename_all = "camelCase")]
pub struct WindowInput {
    /// At most 200 characters.
    name: String,
    /// At most 4,000 characters.
    description: Option<String>,
    /// Resources, each by `hostName` or `uniqueId`.
    #[schema(max_items = 100)]
    devices: Option<Vec<DeviceReference>>,
    /// Device groups, each by `name` or `id`. The groups below one belong to it.
    #[schema(max_items = 100)]
    device_groups: Option<Vec<PlaceReference>>,
    /// Sites, each by `name` or `id`.
    #[schema(max_items = 100)]
    locations: Option<Vec<PlaceReference>>,
    /// When it is open.
    schedule: WindowSchedule,
    /// `NEVER`: a recurring window has no end, and of `endTime` only the time of day counts. May stand in `schedule`.
    #[schema(example = "NEVER")]
    end_by: Option<String>,
    /// Are scripts to be run? Default false.
    #[serde(rename = "runRBA")]
    run_rba: Option<bool>,
    /// Are patches to be installed? Default false.
    install_patch: Option<bool>,
    /// Are alerts that are still open afterwards to be escalated? Default true. `runEscalateAction` is the same.
    run_escalation_action: Option<bool>,
    /// Which alerts it catches; all when absent.
    alert_conditions: Option<AlertConditionsInput>,
}

/// The changes to a window; what is left out stays as it is. A list of targets takes the place of the former one.
#[derive(ToSchema)]
#[schema(as = MaintenanceWindowUpdate, rename_all = "camelCase")]
pub struct WindowUpdate {
    /// At most 200 characters.
    name: Option<String>,
    /// At most 4,000 characters.
    description: Option<String>,
    /// Resources, each by `hostName` or `uniqueId`.
    #[schema(max_items = 100)]
    devices: Option<Vec<DeviceReference>>,
    /// Device groups, each by `name` or `id`. The groups below one belong to it.
    #[schema(max_items = 100)]
    device_groups: Option<Vec<PlaceReference>>,
    /// Sites, each by `name` or `id`.
    #[schema(max_items = 100)]
    locations: Option<Vec<PlaceReference>>,
    /// When it is open; what was skipped, extended or ended before does not count for a new one.
    schedule: Option<WindowSchedule>,
    /// As for a new one, beside `schedule`.
    end_by: Option<String>,
    /// Are scripts to be run?
    #[serde(rename = "runRBA")]
    run_rba: Option<bool>,
    /// Are patches to be installed?
    install_patch: Option<bool>,
    /// Are alerts that are still open afterwards to be escalated?
    run_escalation_action: Option<bool>,
    /// Which alerts it catches; without rules: all.
    alert_conditions: Option<AlertConditionsInput>,
}

/// What a window covers.
#[derive(ToSchema)]
#[schema(as = MaintenanceTargets, rename_all = "camelCase")]
pub struct TargetsInput {
    /// Resources, each by `hostName` or `uniqueId`.
    #[schema(max_items = 100)]
    devices: Option<Vec<DeviceReference>>,
    /// Device groups, each by `name` or `id`. The groups below one belong to it.
    #[schema(max_items = 100)]
    device_groups: Option<Vec<PlaceReference>>,
    /// Sites, each by `name` or `id`.
    #[schema(max_items = 100)]
    locations: Option<Vec<PlaceReference>>,
}

/// A resource, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenanceDeviceReference, rename_all = "camelCase", example = json!({"hostName": "web-01"}))]
pub struct DeviceReference {
    /// Its host name, whatever the letter case; it must be unique in the tenant.
    host_name: Option<String>,
    /// UUID.
    unique_id: Option<String>,
}

/// A device group or a site, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenancePlaceReference, example = json!({"name": "Web servers"}))]
pub struct PlaceReference {
    /// Its name, whatever the letter case.
    name: Option<String>,
    /// Its number; of a group also its `DGP-<uuid>`.
    id: Option<String>,
}

/// Which alerts a window catches.
#[derive(ToSchema)]
#[schema(as = AlertConditionsInput, rename_all = "camelCase")]
pub struct AlertConditionsInput {
    /// `ALL` (default) or `ANY` of the rules have to hold.
    #[schema(example = "ALL")]
    matching_type: Option<String>,
    /// At most 50.
    #[schema(max_items = 50)]
    rules: Vec<super::wire::AlertRule>,
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
    #[schema(example = "2026-11-20T22:00:00+0000")]
    start_time: String,
    /// Until when.
    #[schema(example = "2026-11-21T02:00:00+0000")]
    end_time: String,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    timezone: Option<String>,
}

/// Again and again, in local time.
#[derive(ToSchema)]
#[schema(as = RecurringMaintenance, rename_all = "camelCase")]
pub struct RecurringWindow {
    /// Its local date is the first that may be one, its local time of day that of every start.
    #[schema(example = "2026-11-20T22:00:00+0000")]
    start_time: String,
    /// Its local time of day is that of every end; unless `endBy` is `NEVER`, nothing starts at or after it.
    #[schema(example = "2027-11-21T02:00:00+0000")]
    end_time: String,
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    #[schema(example = "Europe/London")]
    timezone: String,
    /// On which dates.
    pattern: WindowPattern,
    /// `NEVER`, or absent.
    end_by: Option<String>,
}

/// On which dates: `daily` (`dayFrequency`, or every `repeatFrequency` days), `weekly` (`weekDays`), `monthly`
/// (`dayOfMonth`, or `weekIndex` and `dayOfWeek`) or `yearly` (`months`, and a day as for `monthly`).
#[derive(ToSchema)]
#[schema(as = MaintenancePattern, rename_all = "camelCase", example = json!({"type": "weekly", "weekDays": "Saturday,Sunday"}))]
pub struct WindowPattern {
    /// `daily`, `weekly`, `monthly` or `yearly`.
    r#type: String,
    /// `everyday` or `every weekday`.
    day_frequency: Option<String>,
    /// Every so many days, weeks, months or years; 1 to 366, default 1.
    repeat_frequency: Option<i64>,
    /// `Sunday` to `Saturday`, separated by commas.
    week_days: Option<String>,
    /// 1 to 31, one or more, separated by commas.
    day_of_month: Option<String>,
    /// `First` to `Fourth`, or `Last`.
    week_index: Option<String>,
    /// With `weekIndex`.
    day_of_week: Option<String>,
    /// `January` to `December`, separated by commas.
    months: Option<String>,
}

/// How to suspend a window.
#[derive(ToSchema)]
#[schema(as = MaintenanceSuspensionInput, rename_all = "camelCase")]
pub struct SuspensionInput {
    /// `now`: until it is resumed; `range`: between two instants.
    #[schema(example = "now")]
    pattern: String,
    /// Of a range; one in the past is now. `startTime` is taken too.
    #[schema(example = "2026-11-20T22:00:00+0000")]
    start_date: Option<String>,
    /// Of a range. `endTime` is taken too.
    #[schema(example = "2026-11-21T22:00:00+0000")]
    end_date: Option<String>,
}

/// What of a window is to end.
#[derive(ToSchema)]
#[schema(as = MaintenanceEnd, example = json!({"pattern": "all"}))]
pub struct EndInput {
    /// `now` (default): the occurrence that is under way; `all`: the window.
    pattern: Option<String>,
}

/// How long the open occurrence of a window goes on: one of the two.
#[derive(ToSchema)]
#[schema(as = MaintenanceExtension, rename_all = "camelCase", example = json!({"minutes": 30}))]
pub struct ExtensionInput {
    /// So many minutes longer than now planned.
    #[schema(minimum = 1, maximum = 10080)]
    minutes: Option<i64>,
    /// Until this instant.
    end_time: Option<String>,
}

/// Which occurrence of a window is not to take place.
#[derive(ToSchema)]
#[schema(as = MaintenanceSkip, rename_all = "camelCase")]
pub struct SkipInput {
    /// When it starts; absent: the one that is open, or else the next.
    #[schema(example = "2026-11-20T22:00:00+0000")]
    start: Option<String>,
}
