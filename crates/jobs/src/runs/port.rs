//! What other domains may ask.

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::{Actor, Tx};
use ports::{Maintenance, RelatedJob, RunRequest, RunSummary};

use super::{manual, store};
use crate::{
    job::row::Job,
    schema::{job_resources, jobs},
};

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

    fn last_run(&self, conn: &mut Conn, tenant: &str, job: &str, most: usize) -> Result<Option<RunSummary>> {
        let Some(run) = store::last(conn, tenant, job)? else { return Ok(None) };
        let output = store::output_end(conn, tenant, &run.id, most)?;
        Ok(Some(RunSummary {
            state: run.state,
            reason: run.reason,
            exit_code: run.exit_code,
            created: Timestamp::from_millis(run.created_ms),
            finished: run.finished_ms.map(Timestamp::from_millis),
            output,
        }))
    }

    fn run(
        &self,
        conn: &mut Conn,
        request: &RunRequest<'_>,
        maintenance: &dyn Maintenance,
        now: Timestamp,
    ) -> Result<()> {
        let actor = Actor::without_change_set(request.user, request.by, request.request);
        Tx::run(conn, &actor, now, |tx| {
            let job = Job::lock_existing(tx.conn, &[request.tenant.to_owned()], request.job)?;
            manual::start(tx, maintenance, &job).map(drop)
        })
    }
}
