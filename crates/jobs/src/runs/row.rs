//! The row of a run.

use db::Json;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::job_runs;

/// One row of `job_runs`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = job_runs, primary_key(tenant_id, job_id, due_ms))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Run {
    /// The tenant of its job.
    pub tenant_id: String,
    pub job_id: String,
    /// When it was due.
    pub due_ms: i64,
    /// `RUN-<uuid>`.
    pub id: String,
    /// What the job was called.
    pub job_name: String,
    /// What the job's type was.
    pub job_type: String,
    /// `schedule` or `manual`.
    pub cause: String,
    /// What has become of it.
    pub state: String,
    /// Why.
    pub reason: String,
    /// Must it wait while another run of its job is carried out?
    pub exclusive: bool,
    /// The windows that its resources were in when it became due.
    pub maintenance: Json<Vec<RunMaintenance>>,
    pub created_ms: i64,
    /// When a runner took it.
    pub started_ms: Option<i64>,
    /// When it was over.
    pub finished_ms: Option<i64>,
    /// How many times a runner took it.
    pub attempt: i64,
    /// When the lease ends.
    pub lease_ms: Option<i64>,
    /// How long a lease its runner asked for, in seconds.
    pub lease_s: i64,
    /// Who has it.
    pub runner: String,
    /// The user that the runner acts as.
    pub runner_user: String,
    /// The exit code of the program.
    pub exit_code: Option<i64>,
    /// How much output is kept.
    pub output_bytes: i64,
    /// Was there more?
    pub output_cut: bool,
    /// The API key that claimed it last.
    pub runner_key: String,
    /// The trace that it belongs to, as `traces::Context` writes it.
    pub trace: Option<String>,
}

/// A window that covered a resource of a job when a run of it became due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobRunMaintenance)]
pub struct RunMaintenance {
    /// The resource.
    pub resource_id: String,
    /// The window, `SM-<uuid>`.
    pub unique_id: String,
    /// The window's name.
    pub name: String,
    /// When it ends.
    pub until: String,
}
