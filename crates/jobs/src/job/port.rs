//! What other domains may ask.

use db::{Conn, Result};
use diesel::prelude::*;
use ports::RelatedJob;

use crate::schema::{job_resources, jobs};

/// Answers [`ports::Jobs`].
#[derive(Clone, Copy, Debug)]
pub struct Planned;

impl ports::Jobs for Planned {
    fn of_machines(&self, conn: &mut Conn, tenant: &str, machines: &[String], most: i64) -> Result<Vec<RelatedJob>> {
        let named = job_resources::table
            .filter(job_resources::tenant_id.eq(tenant))
            .filter(job_resources::resource_id.eq_any(machines))
            .select(job_resources::job_id);
        let rows: Vec<(String, String, String)> = jobs::table
            .filter(jobs::tenant_id.eq(tenant))
            .filter(jobs::id.eq_any(named))
            .order((jobs::name_key, jobs::id))
            .select((jobs::id, jobs::name, jobs::job_type))
            .limit(most)
            .load(conn)?;
        Ok(rows.into_iter().map(|(id, name, job_type)| RelatedJob { id, name, job_type }).collect())
    }
}
