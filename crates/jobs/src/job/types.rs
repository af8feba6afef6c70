//! The types of jobs, and `GET /jobs/types`.

use actix_web::HttpResponse;
use api::{Parameters, RequestContext, answer, get};
use serde::Serialize;
use utoipa::ToSchema;

/// What a job runs a script of the library by.
pub const CUSTOM: &str = "custom";

/// The one type that takes `configParams`.
pub const CONFIG_BACKUP: &str = "networkconfigbackup";

/// Every type, with what it does.
const TYPES: [(&str, &str); 15] = [
    ("adCheckList", "Checks a directory service against a list"),
    ("antispyware", "Updates anti-spyware definitions and scans"),
    ("antivirus", "Updates antivirus definitions and scans"),
    ("appaudit", "Lists installed applications"),
    ("assetinfo", "Collects hardware and software facts"),
    ("backupagent", "Backs up the settings of the agent"),
    ("diskdefrag", "Defragments disks"),
    ("exbpaCheckList", "Checks a mail server against a list of good practice"),
    ("missingPatchesRequest", "Looks for missing patches"),
    ("sqlreport", "Reports on a database server"),
    (CONFIG_BACKUP, "Backs up the configuration of network devices"),
    ("tempfilesreport", "Reports on temporary files"),
    ("appinstall", "Installs an application"),
    ("appupdate", "Updates an application"),
    (CUSTOM, "Runs a script of the library"),
];

/// The names of all types.
pub const NAMES: [&str; TYPES.len()] = {
    let mut names = [""; TYPES.len()];
    let mut index = 0;
    while index < TYPES.len() {
        names[index] = TYPES[index].0;
        index += 1;
    }
    names
};

/// The names of those that need no script: all but the last.
pub const WITHOUT_SCRIPT: [&str; NAMES.len() - 1] = {
    let mut names = [""; NAMES.len() - 1];
    names.copy_from_slice(NAMES.split_at(NAMES.len() - 1).0);
    names
};

/// A type of job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobType {
    /// What `script.jobType` takes.
    #[schema(example = "custom")]
    job_type: &'static str,
    /// What a job of this type does.
    #[schema(example = "Runs a script of the library")]
    description: &'static str,
    /// The part of `script` that this type has beside `jobType`: `approvalType`, `configParams` or `customScript`.
    #[schema(example = "customScript", pattern = "^(approvalType|configParams|customScript)$")]
    takes: &'static str,
    /// Does `muster runner` carry it out? The others are for runners of your own.
    #[schema(example = true)]
    built_in_runner: bool,
}

/// How much is told.
#[derive(Clone, Debug, Parameters)]
pub struct Brief {
    /// Only the names, as an array of strings; default false.
    #[request(default, example = false)]
    pub names: bool,
}

/// List job types
///
/// Every type that `script.jobType` takes; with `names=true` nothing but their names, an array of texts in place of one
/// of objects.
#[utoipa::path(
    operation_id = "listJobTypes",
    params(Brief),
    responses((status = 200, description = "All types", body = Vec<JobType>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/types")]
pub async fn list(context: RequestContext<Brief>) -> api::Result<HttpResponse> {
    if context.query.names {
        return answer::ok(&NAMES);
    }
    let shown = |&(job_type, description): &(&'static str, &'static str)| JobType {
        job_type,
        description,
        takes: match job_type {
            CUSTOM => "customScript",
            CONFIG_BACKUP => "configParams",
            _ => "approvalType",
        },
        built_in_runner: job_type == CUSTOM,
    };
    answer::ok(&TYPES.iter().map(shown).collect::<Vec<_>>())
}
