//! The ports of knowledge base articles and jobs that are related to an incident.

use db::{Conn, Result};
use serde::Serialize;
use utoipa::ToSchema;

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

/// The scheduled jobs.
pub trait Jobs: Send + Sync {
    /// The jobs of a tenant that have one of these machines, by name, at most so many.
    fn of_machines(&self, conn: &mut Conn, tenant: &str, machines: &[String], most: i64) -> Result<Vec<RelatedJob>>;
}
