//! The rows of a job and of its resources.

use db::Json;
use diesel::prelude::*;
use serde_json::Value;

use crate::schema::{job_resources, jobs};

/// One row of `jobs`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = jobs, primary_key(tenant_id, id), treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Job {
    pub tenant_id: String,
    /// UUID, ascending in time.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded.
    pub name_key: String,
    pub description: String,
    /// As `Schedule` reads it.
    pub schedule: Json<Value>,
    /// The name of its time zone; empty for GMT.
    pub zone: String,
    /// `startDate`.
    pub start_ms: i64,
    /// One of the types.
    pub job_type: String,
    /// What clients see of it, but for a script of the library.
    pub script: Json<Value>,
    /// Of a custom one, the script of the library.
    pub script_id: Option<i64>,
    /// Policy.
    pub misfire: String,
    /// How late a run may begin, in seconds.
    pub lateness_s: Option<i64>,
    /// Policy.
    pub overlap: String,
    /// How long a run may take, in seconds.
    pub time_limit_s: i64,
    /// Do runs become due?
    pub active: bool,
    /// When the next run is due.
    pub next_due_ms: Option<i64>,
    /// A user's id.
    pub created_by: String,
    pub created_ms: i64,
    /// A user's id.
    pub updated_by: String,
    pub updated_ms: i64,
    /// When the next run would have been due, of a job that is held: its tenant is suspended, or no run could be made.
    pub held_ms: Option<i64>,
    /// `jobQueued`, when it was given.
    pub job_queued: Option<bool>,
    /// Is it due more than 24 times on a day?
    pub frequent: bool,
    /// Is a run that does not end well an alert?
    pub alert_on_failure: bool,
    /// Was there an alert since the last run that ended well?
    pub alerting: bool,
    /// When alerts are to be told again what became of its last run, since they could not be.
    pub alarm_ms: Option<i64>,
}

/// One row of `job_resources`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = job_resources, treat_none_as_default_value = false)]
pub struct Resource {
    /// The tenant of the job.
    pub tenant_id: String,
    pub job_id: String,
    /// The resource.
    pub resource_id: String,
    /// The tenant of the resource.
    pub resource_tenant: String,
    /// Its place among the resources of the job.
    pub position: i64,
    /// What the client called it: `DEVICE` and the like.
    pub kind: String,
}
