//! The shapes of schedules and scripts, for the OpenAPI document: what varies is a union. They are read by `calendar` and
//! [`script`](super::script).

use calendar::forms;
use utoipa::ToSchema;

use super::types;

api::texts! {
    /// An instant that a schedule may name.
    Instant = api::spec::of_form(forms::INSTANT);
    /// Names of days.
    Weekdays = api::spec::of_form(forms::WEEKDAYS);
    /// What jobs do that need no script.
    JobType = api::spec::one_of(&types::without_script());
    /// Days of a month.
    MonthDays = api::spec::of_form(forms::MONTH_DAYS);
}

/// When a job runs.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobSchedule)]
pub struct Schedule {
    /// No run is due before this instant, which also gives the time of day of every run.
    #[schema(inline, value_type = Instant, example = "2026-11-20T02:00:00+0000")]
    start_date: String,
    /// What follows; required unless there is `cron`.
    pattern: Option<Pattern>,
    /// In place of `pattern`: minute, hour, day of the month, month and day of the week.
    #[schema(max_length = 200, example = "*/15 * * * *")]
    cron: Option<String>,
    /// Whose clocks count; without it, GMT.
    time_zone: Option<TimeZone>,
    /// The same by its name alone; of a schedule with `cron` it is answered so.
    #[schema(example = "Europe/Vienna")]
    timezone: Option<String>,
}

/// A supported time zone, by its name.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[schema(as = JobTimeZone, example = json!({"name": "Europe/Paris"}))]
pub struct TimeZone {
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    name: String,
}

/// How a job repeats.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobPattern, example = json!({
    "type": "daily", "frequency": "recurrence", "repeatFrequency": 2, "repeatType": "days"
}))]
pub struct Pattern {
    /// `daily`, `weekly`, `monthly`, `never` or `run once`; the last two run at `startDate` alone.
    #[schema(pattern = "^(daily|weekly|monthly|never|run once)$")]
    r#type: String,
    /// Of a daily one: `everyday`, `every weekday`, or `recurrence` with `repeatFrequency`.
    #[schema(pattern = "^(everyday|every weekday|recurrence)$")]
    frequency: Option<String>,
    /// Every so many days, weeks or months: 1 to 366; up to 744 hours, or 1,440 minutes.
    #[schema(minimum = 1, maximum = 1440)]
    repeat_frequency: Option<i64>,
    /// Of a daily recurrence: `days`, or `hours` (up to 744) or `minutes` (up to 1,440) that go by, counted from `startDate`.
    #[schema(pattern = "^(days|hours|minutes)$")]
    repeat_type: Option<String>,
    /// Of a weekly one: names of days, separated by commas; without them the day of `startDate`.
    #[schema(inline, value_type = Option<Weekdays>)]
    week_days: Option<String>,
    /// Of a monthly one: days of the month, separated by commas; in a shorter month its last day.
    #[schema(inline, value_type = Option<MonthDays>)]
    day_of_month: Option<String>,
    /// Of a monthly one, with `dayOfWeek`: `First`, `Second`, `Third`, `Fourth` or `Last`.
    #[schema(pattern = "^(First|Second|Third|Fourth|Last)$")]
    week_index: Option<String>,
    /// Of a monthly one, with `weekIndex`: `Sunday` to `Saturday`.
    #[schema(pattern = "^(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)$")]
    day_of_week: Option<String>,
}

/// What a job does: a script of the library, a backup of configurations, or one of the other types, which may ask for
/// an approval.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = JobScriptVariant)]
pub enum ScriptVariant {
    /// A script of the library.
    Custom(CustomVariant),
    /// One of the other types.
    Typed(TypedVariant),
}

/// A script of the library.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobCustomScript)]
pub struct CustomVariant {
    /// Which one; a request names its `id`.
    custom_script: CustomScript,
    /// Kept as it is given; default 0.
    #[schema(minimum = 0, maximum = 2_147_483_647)]
    user_type: Option<i64>,
    /// What the script is given: an object or an array, kept as it is given; at most 16,384 bytes.
    #[schema(example = json!({"path": "/tmp"}))]
    parameters: Option<serde_json::Value>,
}

/// A script of the library, as a job shows it.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[schema(as = JobCustomScriptReference)]
pub struct CustomScript {
    /// Its number.
    #[schema(example = 7)]
    id: i64,
    /// Its name.
    name: Option<String>,
    /// What it does.
    description: Option<String>,
    /// What it runs on.
    platforms: Option<Vec<String>>,
}

/// One of the types that need no script.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobOfType)]
pub struct TypedVariant {
    /// One of `GET /jobs/types`, but `custom`.
    #[schema(inline, value_type = JobType, example = "adCheckList")]
    job_type: String,
    /// What is backed up, of a `networkconfigbackup`.
    config_params: Option<ConfigParams>,
    /// How it is approved, of every other type.
    approval_type: Option<ApprovalType>,
    /// An object or an array, kept as it is given; at most 16,384 bytes.
    #[schema(example = json!([{"name": "path", "value": "/tmp"}]))]
    parameters: Option<serde_json::Value>,
}

/// What is backed up.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[schema(as = JobConfigParams, rename_all = "camelCase")]
pub struct ConfigParams {
    /// How many versions are kept.
    #[schema(example = "5")]
    #[schema(rename = "versionsSaved")]
    versions_saved: Option<String>,
    /// Back up when a device changes?
    #[schema(rename = "backUpTrigger")]
    back_up_trigger: Option<bool>,
    /// Alert on a change of the configuration at start?
    #[schema(rename = "startupConfigAlert")]
    startup_config_alert: Option<bool>,
    /// Alert on a change of the running configuration?
    #[schema(rename = "runtimeConfigAlert")]
    runtime_config_alert: Option<bool>,
    /// Back up the configuration at start?
    #[schema(rename = "startUpConfigFilesBackUp")]
    start_up_config_files_back_up: Option<bool>,
    /// Back up the running configuration?
    #[schema(rename = "runTimeConfigFilesBackUp")]
    run_time_config_files_back_up: Option<bool>,
}

/// How a job is approved.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobApprovalType)]
pub struct ApprovalType {
    /// Kept as it is given.
    approval_type: Option<i64>,
    /// Why.
    approval_reason: Option<String>,
    /// Is somebody alerted?
    alert_required: Option<bool>,
}
