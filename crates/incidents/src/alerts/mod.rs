//! Alerts ("Alerts" in `docs/interface.md`): one alert for each problem that monitors report, however often they report
//! it.
//!
//! - [`report`], [`formats`]: reports, and the formats of monitors
//! - [`inbound`]: inbound addresses, for monitors that cannot set a header
//! - [`opsgenie`]: further operations of Opsgenie's alert API at inbound addresses
//! - [`intake`]: from reports to alerts; the decisions are in [`rules`]
//! - [`batch`]: the problems and alerts that one request changes, in memory
//! - [`acknowledged`]: who acknowledged alerts from before that was stored
//! - [`history`]: open alerts of machines that the inventory no longer has
//! - [`room`], [`crowding`]: the limit on open alerts, and the warning before it is reached
//! - [`lookup`]: the resources that reports name
//! - [`windows`]: alerts whose maintenance window is over
//! - [`filter`]: the search
//! - [`counts`]: counts of what a search finds
//! - [`worked`]: how long people worked on alerts
//! - [`figures`]: figures by service, owner, roster, person, resource or route
//! - [`days`]: packed copies of past days, for figures of many alerts
//! - [`actions`], [`bulk`]: actions of people, on one alert or on all that a search finds
//! - [`kinds`]: the words that the service itself has for alerts
//!
//! # Events
//! Every change is published as an action on the entity `ALERT`, with the alert as [`wire::Alert`] before and after.
//! Rules of integration events and maintenance windows are compared with the same document, and `$alert.…` is filled
//! from it. `lastEvent` of the state after names the change. Integration events take `ALERT` with the event type `NONE`
//! only: they react to every action on it, and choose by their rules.

mod acknowledged;
pub(crate) mod actions;
mod alert;
mod batch;
mod bulk;
mod counts;
mod covers;
mod crowding;
mod days;
mod figures;
mod filter;
pub(crate) mod formats;
mod history;
pub mod http;
pub mod inbound;
pub mod intake;
pub mod kinds;
pub(crate) mod lookup;
mod notes;
mod notices;
mod opsgenie;
pub(crate) mod report;
mod room;
mod row;
pub(crate) mod rules;
mod schema;
pub(crate) mod store;
#[cfg(test)]
pub(crate) mod tests;
mod undo;
mod windows;
mod wire;
mod worked;

pub use acknowledged::BACKFILL as ACKNOWLEDGED;
pub use days::{store::TABLE as PACKED_DAYS, worker::start_alert_days};
pub use notices::NoticeIntake;
pub use room::QUOTA;
pub use store::{PARTITIONED, RETENTION, RETENTION_OF_PROBLEMS};
pub use undo::Alerts;
pub use windows::start_escalator;
pub use worked::AcknowledgedAlerts;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .tagged("Alerts")
        .service(http::create)
        .service(http::create_many)
        .service(http::alertmanager)
        .service(http::search)
        .service(counts::count_alerts)
        .service(figures::http::get_figures)
        .service(bulk::act)
        .service(http::get)
        .service(http::acknowledge)
        .service(http::unacknowledge)
        .service(http::suppress)
        .service(http::unsuppress)
        .service(http::close)
        .service(notes::add);
}

/// The operations outside a tenant: inbound addresses, each of which belongs to one.
pub fn root_routes(config: &mut api::Routes) {
    config
        .tagged("Inbound addresses")
        .service(inbound::report_plain)
        .service(inbound::report_in_format)
        .service(inbound::enqueue)
        .service(inbound::create_event)
        .service(inbound::enqueue_change)
        .service(inbound::opsgenie_create)
        .service(opsgenie::list)
        .service(opsgenie::count)
        .service(opsgenie::get_request)
        .service(opsgenie::get)
        .service(opsgenie::delete)
        .service(opsgenie::acknowledge)
        .service(opsgenie::close)
        .service(opsgenie::act)
        .service(opsgenie::execute)
        .service(opsgenie::update)
        .service(opsgenie::remove)
        .service(opsgenie::list_of);
}
