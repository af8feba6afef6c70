//! The ports of knowledge base articles and jobs that are related to an incident.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use serde::Serialize;
use utoipa::ToSchema;

use crate::Maintenance;

/// An article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RelatedArticle)]
pub struct RelatedArticle {
    /// `KBA` and digits.
    #[schema(example = "KBA0000000001")]
    pub id: String,
    /// Its title.
    #[schema(example = "What to do when a disk is full")]
    pub title: String,
}

/// The knowledge base.
pub trait Articles: Send + Sync {
    /// The active articles of these tenants, at most so many, that have all words of one of these texts: those of the
    /// first text first, and of a text the best first. A text without words, or with too many, finds none.
    fn about(&self, conn: &mut Conn, tenants: &[String], texts: &[String], most: usize) -> Result<Vec<RelatedArticle>>;

    /// The content of an article of one of these tenants, in Markdown; `None` when there is none.
    fn content(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<String>>;
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RelatedJob)]
pub struct RelatedJob {
    /// Its id.
    pub id: String,
    /// Its name.
    #[schema(example = "Clean up temporary files")]
    pub name: String,
    /// One of `GET /jobs/types`.
    #[schema(example = "custom")]
    pub job_type: String,
}

/// The newest run of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// One of the states of runs, such as `RUNNING`.
    pub state: String,
    /// The reason of its state; may be empty.
    pub reason: String,
    /// The exit code of its program.
    pub exit_code: Option<i64>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was over; `None` for one that waits or is under way.
    pub finished: Option<Timestamp>,
    /// The end of its output.
    pub output: String,
}

/// A request for a run, outside the interface.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The tenant of the job.
    pub tenant: &'a str,
    /// The id of the job.
    pub job: &'a str,
    /// The person who asks.
    pub user: &'a str,
    /// What stands in place of a key in the audit log.
    pub by: &'a str,
    /// The id of the request.
    pub request: &'a str,
}

/// The scheduled jobs.
pub trait Jobs: Send + Sync {
    /// The jobs of a tenant that have one of these machines, by name, at most so many.
    fn of_machines(&self, conn: &mut Conn, tenant: &str, machines: &[String], most: i64) -> Result<Vec<RelatedJob>>;

    /// The newest run of a job of the tenant, with at most so many bytes of the end of its output.
    fn last_run(&self, conn: &mut Conn, tenant: &str, job: &str, most: usize) -> Result<Option<RunSummary>>;

    /// Makes a run of a job at once.
    ///
    /// # Errors
    /// 404 for a job of another tenant, 409 while another run is open of a job that skips overlapping runs.
    fn run(
        &self,
        conn: &mut Conn,
        request: &RunRequest<'_>,
        maintenance: &dyn Maintenance,
        now: Timestamp,
    ) -> Result<()>;
}
