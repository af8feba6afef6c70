//! What helps somebody who works on an incident: articles to read, jobs to run.

use db::{Conn, Result};

/// An article of the knowledge base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownArticle {
    /// `KBA` and digits.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// The knowledge base.
pub trait Articles: Send + Sync {
    /// The active articles of these tenants, at most so many, that have all words of one of these texts: those of the first text
    /// first, and of a text the best first. A text without words, or with too many, finds none.
    fn about(&self, conn: &mut Conn, tenants: &[String], texts: &[String], most: usize) -> Result<Vec<KnownArticle>>;
}

/// A scheduled job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownJob {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What kind of job it is.
    pub job_type: String,
}

/// The scheduled jobs.
pub trait Jobs: Send + Sync {
    /// The jobs of a tenant that have one of these machines, by name, at most so many.
    fn of_machines(&self, conn: &mut Conn, tenant: &str, machines: &[String], most: i64) -> Result<Vec<KnownJob>>;
}
