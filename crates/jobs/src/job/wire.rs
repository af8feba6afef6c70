//! What clients see and say of jobs ("Scheduled job" in `docs/interface.md`).

use base::{Fields, problem::Wrong, timestamp::Timestamp};
use calendar::{JobSchedule, Zone};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{documented, script::JobScript};
use crate::scripts::wire::name;

/// The most resources of one job.
const MOST_RESOURCES: usize = 1000;

/// What a target is when nothing else is said.
const DEVICE: &str = "DEVICE";

/// The most labels of one job.
const MOST_LABELS: usize = 20;

/// The longest that a run may take, in seconds.
const LONGEST_RUN: i64 = 86_400;

/// What becomes of due times at which nobody was there.
pub const MISFIRE: [&str; 3] = ["once", "skip", "all"];

/// What becomes of a run that is due while one before it is open.
pub const OVERLAP: [&str; 3] = ["skip", "queue", "allow"];

/// A scheduled job (operation 9 of `docs/interface.md`), and what is around it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduledJob)]
pub struct Job {
    /// UUID.
    #[schema(example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")]
    pub id: String,
    /// Need not be unique.
    #[schema(example = "Nightly cleanup")]
    pub name: String,
    /// What it is for; left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// When it runs.
    #[schema(value_type = documented::Schedule)]
    pub schedule: Value,
    /// As it was given; when it was not, does a run wait?
    pub job_queued: bool,
    /// What it does.
    #[schema(value_type = documented::ScriptVariant)]
    pub script: Value,
    /// What it is done to; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub resources: Vec<JobResource>,
    /// The same, in the form in which they are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub entities: Vec<JobEntity>,
    /// What a runner has to be; left out when any may be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["linux"]))]
    pub labels: Vec<String>,
    /// `once`, `skip` or `all`.
    #[schema(example = "once")]
    pub misfire_policy: String,
    /// How late a run may begin, in seconds; left out when there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum_lateness: Option<i64>,
    /// `skip`, `queue` or `allow`.
    #[schema(example = "skip")]
    pub overlap_policy: String,
    /// How long a run may take, in seconds.
    #[schema(example = 3600)]
    pub time_limit: i64,
    /// Do runs become due?
    pub active: bool,
    /// Is a run that failed, timed out or was missed an alert, which the next good one closes?
    pub alert_on_failure: bool,
    /// When the next run is due; left out when none will be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-21T02:00:00+0000")]
    pub next_run: Option<Timestamp>,
    /// Who created it.
    pub created_by: Author,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

/// A resource of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobResource)]
pub struct JobResource {
    /// UUID.
    #[schema(example = "7c9e6679-7425-40de-944b-e07fc1f90ae7")]
    pub id: String,
}

/// A target of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobEntity)]
pub struct JobEntity {
    /// What it is.
    pub resource: JobEntityResource,
}

/// A resource that is a target of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobEntityResource)]
pub struct JobEntityResource {
    /// UUID.
    #[schema(example = "7c9e6679-7425-40de-944b-e07fc1f90ae7")]
    pub id: String,
    /// As it was given; `DEVICE` when it was not.
    #[schema(example = "DEVICE")]
    pub r#type: String,
}

/// A resource that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The field that named it.
    pub field: String,
    /// Its id, in small letters.
    pub id: String,
    /// What the request calls it.
    pub kind: String,
}

/// The next times at which a job is due.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobNextRuns)]
pub struct NextRuns {
    /// In order; none when no run will be due.
    #[schema(value_type = Vec<String>, example = json!(["2026-11-21T02:00:00+0000", "2026-11-22T02:00:00+0000"]))]
    pub next_runs: Vec<Timestamp>,
}

/// A job to create, or what of one changes: what is left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct JobChange {
    /// Without blanks around it.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// When it runs, and on whose clocks; without a zone, GMT.
    pub schedule: Option<(JobSchedule, Option<Zone>)>,
    /// What it does.
    pub script: Option<JobScript>,
    /// The resources that it is done to.
    pub resources: Option<Vec<Target>>,
    /// In small letters.
    pub labels: Option<Vec<String>>,
    /// One of [`MISFIRE`].
    pub misfire: Option<&'static str>,
    /// In seconds; `Some(None)` takes the limit away.
    pub lateness: Option<Option<i64>>,
    /// One of [`OVERLAP`].
    pub overlap: Option<&'static str>,
    /// In seconds.
    pub time_limit: Option<i64>,
    /// Do runs become due?
    pub active: Option<bool>,
    /// Kept as it is given.
    pub job_queued: Option<bool>,
    /// Is a run that does not end well an alert?
    pub alert_on_failure: Option<bool>,
}

impl JobChange {
    /// Reads a body; of a new job, name, schedule and script are required. Says which fields are wrong, by their paths.
    pub fn read(body: &Value, is_new: bool) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let change = Self {
            name: (is_new || fields.has("name")).then(|| name(&mut fields)),
            description: fields.text("description"),
            schedule: if is_new || fields.has("schedule") { schedule(&mut fields) } else { None },
            script: if is_new || fields.has("script") { JobScript::read(&mut fields) } else { None },
            resources: resources(&mut fields),
            labels: labels(&mut fields, "labels"),
            misfire: fields.one_of("misfirePolicy", &MISFIRE),
            lateness: lateness(&mut fields, body),
            overlap: fields.one_of("overlapPolicy", &OVERLAP),
            time_limit: fields.integer_in("timeLimit", 1..=LONGEST_RUN),
            active: fields.boolean("active"),
            job_queued: fields.boolean("jobQueued"),
            alert_on_failure: fields.boolean("alertOnFailure"),
        };
        (change, fields.wrong())
    }
}

fn schedule(fields: &mut Fields<'_>) -> Option<(JobSchedule, Option<Zone>)> {
    fields.require("schedule");
    let mut schedule = fields.object("schedule")?;
    let given = schedule.value("timezone").is_some_and(|zone| zone.as_str().is_none_or(|name| !name.trim().is_empty()));
    let zone = if given {
        if schedule.has("timeZone") {
            schedule.error("timezone", "must be absent when timeZone is there");
        }
        calendar::parse::zone(&mut schedule, "timezone")
    } else {
        schedule.object("timeZone").and_then(|mut zone| calendar::parse::zone(&mut zone, "name"))
    };
    JobSchedule::read(&mut schedule).map(|read| (read, zone))
}

/// An explicit `null` or an empty text takes the limit away.
fn lateness(fields: &mut Fields<'_>, body: &Value) -> Option<Option<i64>> {
    match body.get("maximumLateness")? {
        Value::Null => Some(None),
        Value::String(text) if text.trim().is_empty() => Some(None),
        _ => fields.integer_in("maximumLateness", 1..=31_536_000).map(Some),
    }
}

/// Resources by any of the names of their list: `entities` holds `{"resource": {"id", "type"}}`, the others `{"id"}`.
fn resources(fields: &mut Fields<'_>) -> Option<Vec<Target>> {
    let list = ["resources", "entities"].into_iter().find(|list| fields.has(list)).unwrap_or("devices");
    let items = fields.objects(list)?;
    if items.len() > MOST_RESOURCES {
        fields.error(list, format!("must have at most {MOST_RESOURCES} elements"));
        return None;
    }
    let target = |mut item: Fields<'_>| {
        if list == "entities" && item.has("resource") {
            item = item.object("resource")?;
        }
        let field = if item.has("uniqueId") && !item.has("id") { "uniqueId" } else { "id" };
        let id = item.required_text(field).trim().to_ascii_lowercase();
        let kind = item.text_max("type", 40).map(|kind| kind.trim().to_ascii_uppercase());
        let kind = kind.filter(|kind| !kind.is_empty()).unwrap_or_else(|| DEVICE.to_owned());
        Some(Target { field: item.path("id"), id, kind })
    };
    Some(items.into_iter().filter_map(target).collect())
}

/// Labels in small letters, each once.
pub fn labels(fields: &mut Fields<'_>, list: &str) -> Option<Vec<String>> {
    let mut given: Vec<String> = fields.texts(list)?.iter().map(|label| label.trim().to_lowercase()).collect();
    if given.len() > MOST_LABELS {
        fields.error(list, format!("must have at most {MOST_LABELS} elements"));
    }
    if given.iter().any(|label| label.is_empty() || label.chars().count() > 100 || label.chars().any(char::is_control))
    {
        fields.error(list, "must be texts of 1 to 100 characters");
    }
    given.sort_unstable();
    given.dedup();
    Some(given)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors(body: Value, is_new: bool) -> Vec<String> {
        JobChange::read(&body, is_new).1.check().unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(errors(json!({}), true), ["name", "schedule", "script"]);
        let body = json!({"name": " ", "schedule": {"timeZone": {"name": "Mars"}, "pattern": {"type": "hourly"}},
            "script": {"jobType": 5}, "resources": [{}, 7], "labels": [""], "misfirePolicy": "never",
            "maximumLateness": -1, "overlapPolicy": 1, "timeLimit": 0, "active": "maybe"});
        let named = [
            "name",
            "schedule.timeZone.name",
            "schedule.startDate",
            "schedule.pattern.type",
            "script.jobType",
            "resources[1]",
            "resources[0].id",
            "labels",
            "misfirePolicy",
            "maximumLateness",
            "overlapPolicy",
            "timeLimit",
            "active",
        ];
        assert_eq!(errors(body, false), named);
    }

    #[test]
    fn what_is_left_out_of_an_update_stays() {
        let (change, _) = JobChange::read(&json!({"devices": [{"uniqueId": "A"}], "maximumLateness": null}), false);
        assert!(change.name.is_none() && change.schedule.is_none() && change.script.is_none());
        let device = Target { field: "devices[0].id".to_owned(), id: "a".to_owned(), kind: "DEVICE".to_owned() };
        assert_eq!(change.resources, Some(vec![device]));
        assert_eq!(change.lateness, Some(None));
        assert_eq!(JobChange::read(&json!({}), false).0.lateness, None);
    }
}
