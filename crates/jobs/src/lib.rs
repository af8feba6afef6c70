//! Scheduled jobs, their runs, and the runners that carry them out.
//!
//! - [`job`]: jobs and their schedules
//! - [`scripts`]: the library of scripts that custom jobs run
//! - [`runs`]: what became of each due time; the work of runners
//! - [`scheduler`]: makes runs when they are due
//!
//! Operation 9 of `docs/interface.md`, and what is around it. When a job is due, `calendar` works out; which resources
//! there are, [`ports::Resources`] says, and whether they are in maintenance, [`ports::Maintenance`].

pub mod demo;
mod job;
mod runs;
mod scheduler;
mod schema;
mod scripts;
#[cfg(test)]
mod tests;
mod undo;

use std::sync::Arc;

use api::{Extras, Need, Routes, Tag};
use ports::{Maintenance, Notices, People, Resources};

pub use crate::{runs::port::Planned, scheduler::start_scheduler, undo::restorers};

static QUOTAS: [&db::Quota; 2] = [&job::store::QUOTA, &scripts::store::QUOTA];

/// What handlers take from [`extras`].
const NEEDS: &[Need] =
    &[Need::of::<dyn People>(), Need::of::<dyn Resources>(), Need::of::<dyn Maintenance>(), Need::of::<dyn Notices>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "jobs",
    both jobs0001_jobs,
    both jobs0002_claims_and_holds,
    both jobs0003_retention,
    both jobs0004_search,
    both jobs0005_frequent,
    both jobs0006_turns,
    both jobs0007_traces,
    each jobs0008_run_ids,
    each jobs0009_run_partitions,
)
.with_partitions(&[runs::store::PARTITIONED]);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[Tag {
    name: "Jobs",
    description: "Scheduled jobs, their scripts and runs, and the operations of the runners that carry them out.",
}];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "jobs",
        title: "Muster: scheduled jobs",
        tags: TAGS,
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[runs::store::RETENTION],
        quotas: &QUOTAS,
    }
}

/// Puts those who answer for people, for resources and for maintenance where the handlers look for them.
pub fn extras(
    people: Arc<dyn People>,
    resources: Arc<dyn Resources>,
    maintenance: Arc<dyn Maintenance>,
    notices: Arc<dyn Notices>,
) -> Extras {
    Extras::default().with(people).with(resources).with(maintenance).with(notices)
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    config
        .service(job::http::create)
        .service(job::http::search)
        .service(job::types::list)
        .service(scripts::http::create)
        .service(scripts::http::search)
        .service(scripts::http::get)
        .service(scripts::http::update)
        .service(scripts::http::delete)
        .service(runs::search::search)
        .service(runs::runner::claim)
        .service(runs::http::get)
        .service(runs::http::cancel)
        .service(runs::runner::heartbeat)
        .service(runs::runner::log)
        .service(runs::runner::result)
        .service(job::http::get)
        .service(job::http::update)
        .service(job::http::delete)
        .service(runs::http::run_now)
        .service(runs::http::run_now_by_get)
        .service(runs::http::list)
        .service(job::http::next);
}
