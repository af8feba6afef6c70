//! What clients see of runs ("Runs" in `docs/interface.md`).

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::{self, RunMaintenance};

api::path_id! {
    /// `RUN-<uuid>`
    pub RunId = "runId", "RUN-0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e", prefix "RUN-"
}

/// A run of a job.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobRun)]
pub struct Run {
    /// `RUN-<uuid>`.
    #[schema(example = "RUN-0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// Which job.
    pub job: RunJob,
    /// When it was due, or asked for.
    #[schema(value_type = String, example = "2026-11-20T02:00:00+0000")]
    pub due_date: Timestamp,
    /// `schedule` or `manual`.
    #[schema(pattern = "^(schedule|manual)$", example = "schedule")]
    pub trigger: String,
    /// `QUEUED`, `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `CANCELLED`, `SKIPPED` or `MISSED`.
    #[schema(
        pattern = "^(QUEUED|RUNNING|SUCCEEDED|FAILED|TIMED_OUT|CANCELLED|SKIPPED|MISSED)$",
        example = "SUCCEEDED"
    )]
    pub status: String,
    /// Why it has this status; left out when there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub reason: String,
    /// The windows that its resources were in when it became due; left out when there was none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub maintenance: Vec<RunMaintenance>,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T02:00:00+0000")]
    pub created_date: Timestamp,
    /// When a runner took it.
    #[schema(value_type = Option<String>)]
    pub started_date: Option<Timestamp>,
    /// When it was over.
    #[schema(value_type = Option<String>)]
    pub finished_date: Option<Timestamp>,
    /// How many times a runner took it.
    pub attempt: i64,
    /// Who has it, or had it last.
    pub runner: Option<Runner>,
    /// The exit code of the program.
    pub exit_code: Option<i64>,
    /// How much output is kept, in bytes.
    pub output_bytes: i64,
    /// Was there more output than is kept?
    pub output_truncated: bool,
    /// What it printed, both streams in the order in which they came; only when a single run is read.
    pub output: Option<String>,
}

/// The job of a run, as it was called when the run was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobRunJob)]
pub struct RunJob {
    /// UUID.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its type.
    #[schema(example = "custom")]
    pub job_type: String,
}

/// Who carries a run out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobRunner)]
pub struct Runner {
    /// What it calls itself; left out when it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "build-01")]
    pub name: Option<String>,
    /// The id of the user that it acts as.
    pub user_id: String,
}

impl Run {
    /// As it is shown.
    pub fn new(row: &row::Run) -> Self {
        let name = Some(row.runner.clone()).filter(|name| !name.is_empty());
        let runner = Runner { name, user_id: row.runner_user.clone() };
        Self {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            job: RunJob { id: row.job_id.clone(), name: row.job_name.clone(), job_type: row.job_type.clone() },
            due_date: Timestamp::from_millis(row.due_ms),
            trigger: row.cause.clone(),
            status: row.state.clone(),
            reason: row.reason.clone(),
            maintenance: row.maintenance.0.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            started_date: row.started_ms.map(Timestamp::from_millis),
            finished_date: row.finished_ms.map(Timestamp::from_millis),
            attempt: row.attempt,
            runner: (row.attempt > 0).then_some(runner),
            exit_code: row.exit_code,
            output_bytes: row.output_bytes,
            output_truncated: row.output_cut,
            output: None,
        }
    }
}
