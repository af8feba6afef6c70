//! How the operations of scheduled jobs are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /jobs").sends(JOB).refers(JOB_REFERENCES),
    op("GET /jobs/search").filters(&["queryString=id:$job", "queryString=resourceId:$resource"]),
    op("GET /jobs/types"),
    op("POST /jobs/scripts").sends(JOB_SCRIPT),
    op("GET /jobs/scripts/search").filters(&["queryString=id:$jobScript", "queryString=name:$jobScript.name"]),
    op("GET /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]),
    op("POST /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]).sends(JOB_SCRIPT),
    op("DELETE /jobs/scripts/{scriptId}").ids(&[Kind::JobScript]),
    op("GET /jobs/runs/search").filters(&[
        "queryString=jobId:$job",
        "queryString=id:$jobRun",
        "queryString=resourceId:$resource",
    ]),
    op("POST /jobs/runs/claim").sends(JOB_CLAIM),
    op("GET /jobs/runs/{runId}").ids(&[Kind::JobRun]),
    op("POST /jobs/runs/{runId}/cancel").ids(&[Kind::JobRun]),
    op("POST /jobs/runs/{runId}/heartbeat").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1}"#).of_claimer(),
    op("POST /jobs/runs/{runId}/log").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1, "lines": ["$new"]}"#).of_claimer(),
    op("POST /jobs/runs/{runId}/result").ids(&[Kind::JobRun]).sends(r#"{"attempt": 1, "exitCode": 0}"#).of_claimer(),
    op("GET /jobs/{jobId}").ids(&[Kind::Job]),
    op("POST /jobs/{jobId}").ids(&[Kind::Job]).sends(JOB).refers(JOB_REFERENCES),
    op("DELETE /jobs/{jobId}").ids(&[Kind::Job]),
    op("POST /jobs/{jobId}/run").ids(&[Kind::Job]),
    op("GET /jobs/{jobId}/run").ids(&[Kind::Job]).changes(),
    op("GET /jobs/{jobId}/runs").ids(&[Kind::Job]),
    op("GET /jobs/{jobId}/next").ids(&[Kind::Job]),
];
