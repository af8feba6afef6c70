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

use std::sync::Arc;

use actix_web::web;
use api::Routes;
use ports::{Maintenance, Notices, People, Resources};

pub use crate::{job::port::Planned, scheduler::Scheduler};

static QUOTAS: [&db::Quota; 2] = [&job::store::QUOTA, &scripts::store::QUOTA];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "jobs",
        title: "Muster: scheduled jobs",
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        migrations: db::migrations!("jobs"),
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
) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let people: web::Data<dyn People> = web::Data::from(people);
    let resources: web::Data<dyn Resources> = web::Data::from(resources);
    let maintenance: web::Data<dyn Maintenance> = web::Data::from(maintenance);
    let notices: web::Data<dyn Notices> = web::Data::from(notices);
    move |config: &mut web::ServiceConfig| {
        config.app_data(people.clone()).app_data(resources.clone());
        config.app_data(maintenance.clone()).app_data(notices.clone());
    }
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
