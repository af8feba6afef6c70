//! What runners say, and what they are told ("Runners" in `docs/interface.md`).

use base::{Fields, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    job::{
        documented::ScriptVariant,
        types::NAMES,
        wire::{JobResource, labels},
    },
    runs::wire::Run,
};

/// How long a lease is when the runner does not say, in seconds.
const LEASE: i64 = 60;

/// The most runs of one claim.
const MOST_RUNS: i64 = 20;

/// The most lines of one request.
const MOST_LINES: usize = 10_000;

/// Runs that a runner got.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JobClaim)]
pub struct Claim {
    /// In the order in which they were due; none when nothing waits for this runner.
    pub runs: Vec<Work>,
}

/// A run, with all that it takes to carry it out.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobWork)]
pub struct Work {
    /// The run; its `attempt` is what heartbeats, log and result name.
    pub run: Run,
    /// Without a heartbeat until then, the run is for somebody else.
    #[schema(value_type = String, example = "2026-11-20T02:01:00+0000")]
    pub lease_until: Timestamp,
    /// How long it may take, in seconds.
    pub time_limit: i64,
    /// What it is done to.
    pub resources: Vec<JobResource>,
    /// What is done.
    #[schema(value_type = ScriptVariant)]
    pub script: Value,
    /// Of a custom script: what it is run with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "sh")]
    pub interpreter: Option<String>,
    /// Of a custom script: its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// How long a runner has a run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobLease)]
pub struct Lease {
    /// Without a heartbeat until then, the run is for somebody else.
    #[schema(value_type = String, example = "2026-11-20T02:01:00+0000")]
    pub lease_until: Timestamp,
    /// How much output is kept, in bytes.
    pub output_bytes: i64,
    /// Was there more output than is kept?
    pub output_truncated: bool,
}

/// What a runner asks for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// What the runner calls itself.
    pub runner: String,
    /// Only runs of these types; `None` for all.
    pub types: Option<Vec<&'static str>>,
    /// Only runs of these jobs.
    pub jobs: Option<Vec<String>>,
    /// Only runs of jobs that have one of these resources.
    pub resources: Option<Vec<String>>,
    /// What the runner is: a job must ask for nothing else.
    pub labels: Vec<String>,
    /// What it runs on, in capitals; `None` when it does not say.
    pub platform: Option<String>,
    /// At partner level, runs of its clients too?
    pub clients: bool,
    /// How many runs, at most.
    pub limit: i64,
    /// In seconds.
    pub lease_s: i64,
}

/// What a runner asks for; every field may be left out.
#[derive(ToSchema)]
#[schema(as = JobClaimInput, rename_all = "camelCase", example = json!({
    "runner": "build-01", "jobTypes": ["custom"], "labels": ["linux"], "leaseSeconds": 60
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ClaimInput {
    /// What the runner calls itself; at most 200 characters.
    runner: Option<String>,
    /// Only runs of these types.
    job_types: Option<Vec<String>>,
    /// Only runs of these jobs, by id.
    jobs: Option<Vec<String>>,
    /// Only runs of jobs that have one of these resources, by id.
    resources: Option<Vec<String>>,
    /// What the runner is. A job with labels is for runners that have all of them.
    #[schema(max_items = 20)]
    labels: Option<Vec<String>>,
    /// What it runs on, such as `LINUX`: no scripts for other platforms.
    platform: Option<String>,
    /// At partner level, give out runs of its clients too; default false.
    clients: Option<bool>,
    /// How many runs, at most; 1 to 20, default 1.
    #[schema(minimum = 1, maximum = 20)]
    limit: Option<i64>,
    /// How long without a heartbeat; 10 to 3600 seconds, default 60.
    #[schema(minimum = 10, maximum = 3600)]
    lease_seconds: Option<i64>,
}

impl Wanted {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let runner = fields.text_max("runner", 200).unwrap_or_default().replace('\0', "").trim().to_owned();
        let types = fields.texts("jobTypes").map(|given| {
            let known = |name: &String| NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name));
            let types: Vec<&'static str> = given.iter().filter_map(known).collect();
            if types.len() < given.len() {
                fields.error("jobTypes", format!("must each be one of: {}", NAMES.join(", ")));
            }
            types
        });
        let mut ids = |name: &str| {
            let given = fields.texts(name)?;
            if given.len() > 1000 {
                fields.error(name, "must have at most 1000 elements");
            }
            Some(given.iter().map(|id| id.trim().to_ascii_lowercase()).collect())
        };
        let (jobs, resources) = (ids("jobs"), ids("resources"));
        let labels = labels(&mut fields, "labels").unwrap_or_default();
        let platform = fields.text_max("platform", 40).map(|name| name.trim().to_ascii_uppercase());
        let clients = fields.boolean("clients").unwrap_or_default();
        let limit = fields.integer_in("limit", 1..=MOST_RUNS).unwrap_or(1);
        let lease_s = lease(&mut fields).unwrap_or(LEASE);
        fields.finish()?;
        let platform = platform.filter(|name| !name.is_empty());
        Ok(Self { runner, types, jobs, resources, labels, platform, clients, limit, lease_s })
    }
}

fn lease(fields: &mut Fields<'_>) -> Option<i64> {
    fields.integer_in("leaseSeconds", 10..=3600)
}

fn attempt(fields: &mut Fields<'_>) -> i64 {
    fields.require("attempt");
    fields.integer("attempt").unwrap_or(0)
}

/// A sign of life.
#[derive(Clone, Copy, Debug)]
pub struct Heartbeat {
    /// Which attempt.
    pub attempt: i64,
    /// In seconds, from now; `None` for what the claim said.
    pub lease_s: Option<i64>,
}

/// A sign of life.
#[derive(ToSchema)]
#[schema(as = JobHeartbeatInput, rename_all = "camelCase", example = json!({"attempt": 1}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct HeartbeatInput {
    /// The attempt that was claimed.
    attempt: i64,
    /// How long until the next one, at most; 10 to 3600 seconds, by default what the claim said.
    #[schema(minimum = 10, maximum = 3600)]
    lease_seconds: Option<i64>,
}

impl Heartbeat {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let read = Self { attempt: attempt(&mut fields), lease_s: lease(&mut fields) };
        fields.finish()?;
        Ok(read)
    }
}

/// Lines that a run printed.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The sign of life that they are.
    pub heartbeat: Heartbeat,
    /// Each ends in a line feed.
    pub text: String,
}

/// Lines that a run printed.
#[derive(ToSchema)]
#[schema(as = JobLogInput, rename_all = "camelCase", example = json!({"attempt": 1, "lines": ["12 files removed"]}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct LinesInput {
    /// The attempt that was claimed.
    attempt: i64,
    /// In their order, without line feeds; at most 10,000.
    #[schema(max_items = 10000)]
    lines: Vec<String>,
    /// As for a heartbeat, which this is too.
    lease_seconds: Option<i64>,
}

impl Lines {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let heartbeat = Heartbeat { attempt: attempt(&mut fields), lease_s: lease(&mut fields) };
        fields.require("lines");
        let lines = fields.raw_array("lines").unwrap_or_default();
        if lines.len() > MOST_LINES {
            fields.error("lines", format!("must have at most {MOST_LINES} elements"));
        }
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate().take(MOST_LINES) {
            match line.as_str() {
                Some(line) => text.extend([line, "\n"]),
                None => fields.error(&format!("lines[{index}]"), "must be a string"),
            }
        }
        fields.finish()?;
        Ok(Self { heartbeat, text })
    }
}

/// What became of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which attempt.
    pub attempt: i64,
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`.
    pub status: &'static str,
    /// What the program ended with.
    pub exit_code: Option<i64>,
    /// Empty when there is nothing to say.
    pub reason: String,
}

/// What became of a run.
#[derive(ToSchema)]
#[schema(as = JobResultInput, rename_all = "camelCase", example = json!({"attempt": 1, "exitCode": 0}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct OutcomeInput {
    /// The attempt that was claimed.
    attempt: i64,
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`; without it, what `exitCode` says.
    status: Option<String>,
    /// What the program ended with: 0 for success. It has 32 bits.
    exit_code: Option<i64>,
    /// At most 4,000 characters.
    reason: Option<String>,
}

impl Outcome {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let attempt = attempt(&mut fields);
        let exit_code = fields.integer_in("exitCode", i64::from(i32::MIN)..=i64::from(i32::MAX));
        let given = fields.one_of("status", &["SUCCEEDED", "FAILED", "TIMED_OUT"]);
        let status = match (given, exit_code) {
            (Some(status), _) => status,
            (None, Some(0)) => "SUCCEEDED",
            (None, Some(_)) => "FAILED",
            (None, None) => {
                if !fields.has("exitCode") && !fields.has("status") {
                    fields.error("status", "is required, or exitCode is");
                }
                "FAILED"
            }
        };
        let reason = fields.text("reason").unwrap_or_default().replace('\0', "").trim().to_owned();
        fields.finish()?;
        Ok(Self { attempt, status, exit_code, reason })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_exit_code_says_what_became_of_it() {
        let status = |body: Value| Outcome::read(&body).map(|read| read.status);
        assert_eq!(status(json!({"attempt": 1, "exitCode": 0})).unwrap(), "SUCCEEDED");
        assert_eq!(status(json!({"attempt": 1, "exitCode": "3"})).unwrap(), "FAILED");
        assert_eq!(status(json!({"attempt": 1, "exitCode": 9, "status": "timed_out"})).unwrap(), "TIMED_OUT");
        let errors = status(json!({})).unwrap_err().errors;
        let names: Vec<&str> = errors.iter().map(|error| error.field_name.as_str()).collect();
        assert_eq!(names, ["attempt", "status"]);
        assert!(status(json!({"attempt": 1, "exitCode": 2_147_483_648_i64})).is_err());
    }

    #[test]
    fn lines_are_joined_and_claims_are_bounded() {
        let read = Lines::read(&json!({"attempt": 2, "lines": ["a", "b"]})).unwrap();
        assert_eq!((read.text.as_str(), read.heartbeat.lease_s), ("a\nb\n", None));
        assert!(Lines::read(&json!({"attempt": 2, "lines": [5]})).is_err());
        let wanted = Wanted::read(&json!({"jobTypes": ["CUSTOM"], "platform": "linux"})).unwrap();
        assert_eq!((wanted.types, wanted.platform.as_deref()), (Some(vec!["custom"]), Some("LINUX")));
        assert!(Wanted::read(&json!({"limit": 21})).is_err() && Wanted::read(&json!({"jobTypes": ["x"]})).is_err());
    }
}
