//! What runners say, and what they are told ("Runners" in `docs/interface.md`).

use api::Request;
use base::{Fields, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    job::{
        script::ScriptVariant,
        types::NAMES,
        wire::{JobResource, MOST_LABELS, labels},
    },
    runs::wire::Run,
};

/// How long a lease is when the runner does not say, in seconds.
const LEASE: i64 = 60;

/// The most runs of one claim.
const MOST_RUNS: i64 = 20;

/// The longest that a lease may be, in seconds.
pub const LONGEST_LEASE: i64 = 3600;

/// The most jobs, or resources, that a claim names.
const MOST_IDS: usize = 1000;

/// What may become of a run that was carried out.
const STATUSES: [&str; 3] = ["SUCCEEDED", "FAILED", "TIMED_OUT"];

/// Exit codes have 32 bits.
const LEAST_CODE: i64 = -2_147_483_648;
const MOST_CODE: i64 = 2_147_483_647;

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
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobWork)]
pub struct Work {
    /// The run; its `attempt` is what heartbeats, log and result name.
    pub run: Run,
    /// Without a heartbeat by then, the run goes to another runner.
    #[schema(value_type = String, example = "2026-11-20T02:01:00+0000")]
    pub lease_until: Timestamp,
    /// How long it may take, in seconds.
    pub time_limit: i64,
    /// The resources that it is for.
    pub resources: Vec<JobResource>,
    /// What is done.
    #[schema(value_type = ScriptVariant)]
    pub script: Value,
    /// Of a custom script: what it is run with.
    #[schema(example = "sh")]
    pub interpreter: Option<String>,
    /// Of a custom script: its text.
    pub content: Option<String>,
    /// The trace that the run belongs to, where traces are recorded: for the header `traceparent` of what it calls.
    #[schema(example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
    pub traceparent: Option<String>,
}

/// How long a runner has a run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobLease)]
pub struct Lease {
    /// Without a heartbeat by then, the run goes to another runner.
    #[schema(value_type = String, example = "2026-11-20T02:01:00+0000")]
    pub lease_until: Timestamp,
    /// How much output is kept, in bytes.
    pub output_bytes: i64,
    /// Was there more output than is kept?
    pub output_truncated: bool,
}

/// What a runner asks for; every field may be left out.
#[derive(Clone, Debug, Request)]
#[request(schema = "JobClaimInput", example = json!({
    "runner": "build-01", "jobTypes": ["custom"], "labels": ["linux"], "leaseSeconds": 60
}))]
pub struct ClaimQuery {
    /// What the runner calls itself.
    #[request(chars = 200, parse = said, default)]
    pub runner: String,
    /// Only runs of these types.
    #[request(name = "jobTypes", with = types, schema = Vec<String>, words = NAMES)]
    pub types: Option<Vec<&'static str>>,
    /// Only runs of these jobs, by id.
    #[request(with = ids, items = 0..=MOST_IDS)]
    pub jobs: Option<Vec<String>>,
    /// Only runs of jobs that have one of these resources, by id.
    #[request(with = ids, items = 0..=MOST_IDS)]
    pub resources: Option<Vec<String>>,
    /// Labels of the runner. A job with labels is only for runners that have all of them.
    #[request(with = labels, items = 0..=MOST_LABELS, chars = 100, pattern = base::body::FILLED, default)]
    pub labels: Vec<String>,
    /// What it runs on, such as `LINUX`: no scripts for other platforms.
    #[request(with = platform)]
    pub platform: Option<String>,
    /// At partner level, give out runs of its clients too; default false.
    #[request(default)]
    pub clients: bool,
    /// How many runs, at most; 1 to 20, default 1.
    #[request(range = 1..=MOST_RUNS, default = 1)]
    pub limit: i64,
    /// How long the runner may send no heartbeat; 10 to 3600 seconds, default 60.
    #[request(name = "leaseSeconds", range = 10..=LONGEST_LEASE, default = LEASE)]
    pub lease_s: i64,
}

fn said(text: String) -> Result<String, &'static str> {
    Ok(text.replace('\0', "").trim().to_owned())
}

fn types(fields: &mut Fields<'_>, name: &str) -> Option<Vec<&'static str>> {
    let given = fields.texts(name)?;
    let known = |name: &String| NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    let types: Vec<&'static str> = given.iter().filter_map(known).collect();
    if types.len() < given.len() {
        fields.error(name, format!("must each be one of: {}", NAMES.join(", ")));
    }
    Some(types)
}

fn ids(fields: &mut Fields<'_>, name: &str) -> Option<Vec<String>> {
    let given = fields.texts(name)?;
    if given.len() > MOST_IDS {
        fields.error(name, format!("must have at most {MOST_IDS} elements"));
    }
    Some(given.iter().map(|id| id.trim().to_ascii_lowercase()).collect())
}

fn platform(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.text_max(name, 40).map(|name| name.trim().to_ascii_uppercase()).filter(|name| !name.is_empty())
}

/// A sign of life.
#[derive(Clone, Copy, Debug, Request)]
#[request(schema = "JobHeartbeatInput", example = json!({"attempt": 1}))]
pub struct Heartbeat {
    /// The attempt that was claimed.
    pub attempt: i64,
    /// How long until the next heartbeat, at most; 10 to 3600 seconds, by default what the claim said.
    #[request(name = "leaseSeconds", range = 10..=LONGEST_LEASE)]
    pub lease_s: Option<i64>,
}

/// Lines that a run printed.
#[derive(Clone, Debug, Request)]
#[request(schema = "JobLogInput", example = json!({"attempt": 1, "lines": ["12 files removed"]}))]
pub struct Lines {
    /// The attempt that was claimed.
    pub attempt: i64,
    /// In their order, without line feeds; at most 10,000.
    #[request(name = "lines", with = lines, items = 0..=MOST_LINES, schema = Vec<String>)]
    pub text: String,
    /// As for a heartbeat, which this is too.
    #[request(name = "leaseSeconds", range = 10..=LONGEST_LEASE)]
    pub lease_s: Option<i64>,
}

impl Lines {
    /// The sign of life that they are.
    pub const fn heartbeat(&self) -> Heartbeat {
        Heartbeat { attempt: self.attempt, lease_s: self.lease_s }
    }
}

/// Each line ends in a line feed then.
fn lines(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    let lines = fields.raw_array(name)?;
    if lines.len() > MOST_LINES {
        fields.error(name, format!("must have at most {MOST_LINES} elements"));
    }
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate().take(MOST_LINES) {
        match line.as_str() {
            Some(line) => text.extend([line, "\n"]),
            None => fields.error(&format!("{name}[{index}]"), "must be a string"),
        }
    }
    Some(text)
}

/// What became of a run.
#[derive(Clone, Debug, Request)]
#[request(schema = "JobResultInput", check = says_what_became_of_it, example = json!({"attempt": 1, "exitCode": 0}))]
pub struct Outcome {
    /// The attempt that was claimed.
    pub attempt: i64,
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`; without it, what `exitCode` says.
    #[request(words = STATUSES)]
    status: Option<&'static str>,
    /// The exit code of the program, a 32-bit number: 0 for success.
    #[request(range = LEAST_CODE..=MOST_CODE)]
    pub exit_code: Option<i64>,
    /// Why, in words; may be empty.
    #[request(parse = said, default)]
    pub reason: String,
}

impl Outcome {
    /// `SUCCEEDED`, `FAILED` or `TIMED_OUT`.
    pub fn status(&self) -> &'static str {
        let of_code = if self.exit_code == Some(0) { "SUCCEEDED" } else { "FAILED" };
        self.status.unwrap_or(of_code)
    }
}

fn says_what_became_of_it(_: &Outcome, fields: &mut Fields<'_>) {
    if !fields.has("exitCode") && !fields.has("status") {
        fields.error("status", "is required, or exitCode is");
    }
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_exit_code_says_what_became_of_it() {
        let status = |body: Value| Outcome::parse(&body).map(|read| read.status());
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
        let read = Lines::parse(&json!({"attempt": 2, "lines": ["a", "b"]})).unwrap();
        assert_eq!((read.text.as_str(), read.lease_s), ("a\nb\n", None));
        assert!(Lines::parse(&json!({"attempt": 2, "lines": [5]})).is_err());
        let wanted = ClaimQuery::parse(&json!({"jobTypes": ["CUSTOM"], "platform": "linux"})).unwrap();
        assert_eq!((wanted.types, wanted.platform.as_deref()), (Some(vec!["custom"]), Some("LINUX")));
        assert!(
            ClaimQuery::parse(&json!({"limit": 21})).is_err()
                && ClaimQuery::parse(&json!({"jobTypes": ["x"]})).is_err()
        );
    }
}
