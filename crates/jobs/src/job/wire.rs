//! What clients see and say of jobs ("Scheduled job" in `docs/interface.md`).

use api::Request;
use base::{Fields, timestamp::Timestamp};
use ports::{Author, ResourceKey};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    schedule::Schedule,
    script::{JobScript, ScriptVariant},
};

/// The most resources of one job.
const MOST_RESOURCES: usize = 1000;

/// What a target is when nothing else is said.
const DEVICE: &str = "DEVICE";

/// The most labels of one job.
pub const MOST_LABELS: usize = 20;

/// The longest that a run may take, in seconds.
const LONGEST_RUN: i64 = 86_400;

/// The latest that a run may begin, in seconds.
const LATEST: i64 = 31_536_000;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

api::path_id! {
    /// UUID
    pub JobId = "jobId", "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e", ToOwned::to_owned
}

/// What becomes of due times at which nobody was there.
pub const MISFIRE: [&str; 3] = ["once", "skip", "all"];

/// What becomes of a run that is due while one before it is open.
pub const OVERLAP: [&str; 3] = ["skip", "queue", "allow"];

/// A scheduled job (operation 9 of `docs/interface.md`), and what is around it.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScheduledJob)]
pub struct Job {
    /// UUID.
    #[schema(example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// Need not be unique.
    #[schema(example = "Nightly cleanup")]
    pub name: String,
    /// What it is for; left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// When it runs.
    #[schema(value_type = Schedule)]
    pub schedule: Value,
    /// As it was given; if it was not, whether a run is waiting.
    pub job_queued: bool,
    /// What it does.
    #[schema(value_type = ScriptVariant)]
    pub script: Value,
    /// The resources that it is for; left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub resources: Vec<JobResource>,
    /// The same, in the form in which they are given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub entities: Vec<JobEntity>,
    /// The labels that a runner must have; left out when any runner may take it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["linux"]))]
    pub labels: Vec<String>,
    /// `once`, `skip` or `all`.
    #[schema(pattern = "^(once|skip|all)$", example = "once")]
    pub misfire_policy: String,
    /// How late a run may begin, in seconds; left out when there is no limit.
    pub maximum_lateness: Option<i64>,
    /// `skip`, `queue` or `allow`.
    #[schema(pattern = "^(skip|queue|allow)$", example = "skip")]
    pub overlap_policy: String,
    /// How long a run may take, in seconds.
    #[schema(example = 3600)]
    pub time_limit: i64,
    /// Do runs become due?
    pub active: bool,
    /// Is a run that failed, timed out or was missed an alert, which the next good one closes?
    pub alert_on_failure: bool,
    /// When the next run is due; left out when none will be.
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
    #[schema(min_length = 1, pattern = r"\S", example = "7c9e6679-7425-40de-944b-e07fc1f90ae7")]
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
    #[schema(min_length = 1, pattern = r"\S", example = "7c9e6679-7425-40de-944b-e07fc1f90ae7")]
    pub id: String,
    /// As it was given; `DEVICE` when it was not.
    #[schema(required = false, example = "DEVICE")]
    pub r#type: String,
}

/// A resource that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The field that named it.
    pub field: String,
    /// Its id, in small letters, or another name of it.
    pub key: ResourceKey,
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

/// A job to create.
#[derive(Clone, Debug, Request)]
#[request(schema = "ScheduledJobInput", example = json!({
    "name": "Nightly cleanup",
    "schedule": {
        "startDate": "2026-11-20T02:00:00+0000",
        "pattern": {"type": "daily", "frequency": "recurrence", "repeatFrequency": 1, "repeatType": "days"}
    },
    "script": {"jobType": "tempfilesreport"}
}))]
#[request(update(
    name = JobChange,
    schema = "ScheduledJobUpdate",
    doc = "The changes to a job; what is left out stays as it is."
))]
pub struct NewJob {
    /// Need not be unique.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// When it runs. Of a job that has another one from now on, runs that were due before are not made up for.
    pub schedule: Schedule,
    /// What it does.
    #[request(with = JobScript::read, schema = ScriptVariant)]
    pub script: JobScript,
    /// The resources that it is for.
    #[request(with = entities, items = 0..=MOST_RESOURCES, schema = Vec<JobEntity>)]
    pub entities: Option<Vec<Target>>,
    /// The same by id alone; `devices` is taken as well.
    #[request(also = ["devices"], with = resources, items = 0..=MOST_RESOURCES, schema = Vec<JobResource>)]
    pub resources: Option<Vec<Target>>,
    /// Only runners that have all of these labels get its runs.
    #[request(with = labels, items = 0..=MOST_LABELS, chars = 100, pattern = base::body::FILLED)]
    pub labels: Option<Vec<String>>,
    /// `once` (default), `skip` or `all`: what becomes of due times that passed while the service was down.
    #[request(name = "misfirePolicy", words = MISFIRE)]
    pub misfire: Option<&'static str>,
    /// How late a run may begin, in seconds; `null` takes the limit away.
    #[request(name = "maximumLateness", with = lateness, range = 1..=LATEST, schema = i64)]
    pub lateness: Option<Option<i64>>,
    /// `skip` (default), `queue` or `allow`: what becomes of a run that is due while one before it is open.
    #[request(name = "overlapPolicy", words = OVERLAP)]
    pub overlap: Option<&'static str>,
    /// How long a run may take, in seconds; default 3600.
    #[request(range = 1..=LONGEST_RUN)]
    pub time_limit: Option<i64>,
    /// Default true; false stops the schedule.
    pub active: Option<bool>,
    /// Kept as it is given; without it, the job says whether a run is waiting.
    pub job_queued: Option<bool>,
    /// Default false; true raises an alert when a run failed, timed out or was missed, and closes it after the next
    /// good one.
    pub alert_on_failure: Option<bool>,
}

/// A new job is a change of one of which nothing is said.
impl From<NewJob> for JobChange {
    fn from(new: NewJob) -> Self {
        Self {
            name: Some(new.name),
            description: new.description,
            schedule: Some(new.schedule),
            script: Some(new.script),
            entities: new.entities,
            resources: new.resources,
            labels: new.labels,
            misfire: new.misfire,
            lateness: new.lateness,
            overlap: new.overlap,
            time_limit: new.time_limit,
            active: new.active,
            job_queued: new.job_queued,
            alert_on_failure: new.alert_on_failure,
        }
    }
}

impl JobChange {
    /// The resources that it is done to, by whichever list names them.
    pub fn targets(&self) -> Option<&[Target]> {
        self.resources.as_deref().or(self.entities.as_deref())
    }
}

/// An explicit `null` or an empty text takes the limit away.
fn lateness(fields: &mut Fields<'_>, name: &str) -> Option<Option<i64>> {
    let is_blank = fields.value(name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
    if is_blank || fields.is_null(name) {
        return Some(None);
    }
    fields.integer_in(name, 1..=LATEST).map(Some)
}

/// Targets by `{"resource": {"id", "type"}}`, unless there are some by id alone.
fn entities(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Target>> {
    if fields.has("resources") { None } else { targets(fields, name, "resource") }
}

/// Targets by id alone, as `resources`, or as `devices` where there are no `entities`.
fn resources(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Target>> {
    if name == "devices" && fields.has("entities") { None } else { targets(fields, name, "") }
}

/// Makes a key of a name.
type ToKey = fn(String) -> ResourceKey;

/// What may name a target, the first that is given before the others.
const NAMED_BY: [(&str, ToKey); 9] = [
    ("id", |id| ResourceKey::Id(id.to_ascii_lowercase())),
    ("uniqueId", |id| ResourceKey::Id(id.to_ascii_lowercase())),
    ("extResourceId", ResourceKey::ExtResourceId),
    ("ipAddress", ResourceKey::IpAddress),
    ("macAddress", ResourceKey::MacAddress),
    ("hostName", ResourceKey::Name),
    ("dnsName", ResourceKey::Name),
    ("resourceName", ResourceKey::Name),
    ("aliasName", ResourceKey::Name),
];

/// The targets of a list; each may stand `inside` another object.
fn targets(fields: &mut Fields<'_>, list: &str, inside: &str) -> Option<Vec<Target>> {
    let items = fields.objects(list)?;
    if items.len() > MOST_RESOURCES {
        fields.error(list, format!("must have at most {MOST_RESOURCES} elements"));
        return None;
    }
    let target = |mut item: Fields<'_>| {
        if !inside.is_empty() && item.has(inside) {
            item = item.object(inside)?;
        }
        let (field, key) = NAMED_BY.into_iter().find(|(field, _)| item.has(field)).unwrap_or(NAMED_BY[0]);
        let key = key(item.required_text(field).trim().to_owned());
        let kind = item.text_max("type", 40).map(|kind| kind.trim().to_ascii_uppercase());
        let kind = kind.filter(|kind| !kind.is_empty()).unwrap_or_else(|| DEVICE.to_owned());
        Some(Target { field: item.path(field), key, kind })
    };
    Some(items.into_iter().filter_map(target).collect())
}

/// Labels in small letters, each once.
pub fn labels(fields: &mut Fields<'_>, list: &str) -> Option<Vec<String>> {
    let mut given: Vec<String> = fields.texts(list)?.iter().map(|label| label.trim().to_lowercase()).collect();
    if given.len() > MOST_LABELS {
        fields.error(list, format!("must have at most {MOST_LABELS} elements"));
    }
    for (place, label) in given.iter().enumerate() {
        let one = format!("{list}[{place}]");
        if label.is_empty() || label.chars().count() > 100 {
            fields.error(&one, "must be a text of 1 to 100 characters");
        } else if label.chars().any(char::is_control) {
            fields.error(&one, "must not contain control characters");
        }
    }
    given.sort_unstable();
    given.dedup();
    Some(given)
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    fn errors<T: base::body::Request>(body: &Value) -> Vec<String> {
        let (_, wrong) = T::parse_with_errors(body);
        wrong.check().unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(errors::<NewJob>(&json!({})), ["name", "schedule", "script"]);
        let body = json!({"name": " ", "schedule": {"timeZone": {"name": "Mars"}, "pattern": {"type": "hourly"}},
            "script": {"jobType": 5}, "resources": [{}, 7], "labels": [""], "misfirePolicy": "never",
            "maximumLateness": -1, "overlapPolicy": 1, "timeLimit": 0, "active": "maybe"});
        let named = [
            "name",
            "schedule.startDate",
            "schedule.pattern.type",
            "schedule.timeZone.name",
            "script.jobType",
            "resources[1]",
            "resources[0].id",
            "labels[0]",
            "misfirePolicy",
            "maximumLateness",
            "overlapPolicy",
            "timeLimit",
            "active",
        ];
        assert_eq!(errors::<JobChange>(&body), named);
    }

    #[test]
    fn what_is_left_out_of_an_update_stays() {
        let body = json!({"devices": [{"uniqueId": "A"}], "maximumLateness": null});
        let change = JobChange::parse(&body).unwrap();
        assert!(change.name.is_none() && change.schedule.is_none() && change.script.is_none());
        let device = Target {
            field: "devices[0].uniqueId".to_owned(),
            key: ResourceKey::Id("a".to_owned()),
            kind: "DEVICE".to_owned(),
        };
        assert_eq!(change.targets(), Some([device].as_slice()));
        assert_eq!(change.lateness, Some(None));
        assert_eq!(JobChange::parse(&json!({})).unwrap().lateness, None);
    }
}
