//! Alerts ("Alerts" in `docs/interface.md`): what monitors report, one alert for each problem, however often it is
//! reported.
//!
//! - [`report`], [`formats`]: what monitors send
//! - [`inbound`]: where those send it that can set no header
//! - [`opsgenie`]: what else clients of Opsgenie's alert API call there
//! - [`intake`]: what becomes of it; the decisions are in [`rules`]
//! - [`batch`]: what is known of the problems that are reported, and what becomes of it
//! - [`room`], [`crowding`]: how many may be open, and who is told in time
//! - [`lookup`]: which resources it names
//! - [`windows`]: what becomes of alerts when their maintenance window is over
//! - [`filter`]: the search
//! - [`kinds`]: the words that the service itself has for alerts
//!
//! # What subscribers hear
//! Every change is published as an action on the entity `ALERT`, with the alert as [`wire::Alert`] before and after,
//! and so is what a rule of an integration event or of a maintenance window is compared with, and what `$alert.…` is
//! filled from. Which change it was stands in `lastEvent` of the state after. Integration events take `ALERT` with the
//! event type `NONE` only: they are meant to react to every action on it, and to choose by their rules.

pub(crate) mod actions;
mod alert;
mod batch;
mod crowding;
mod filter;
pub(crate) mod formats;
mod history;
pub mod http;
pub mod inbound;
pub mod intake;
pub mod kinds;
pub(crate) mod lookup;
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
mod windows;
mod wire;

pub use notices::Noticed;
pub use room::QUOTA;
pub use store::{RETENTION, RETENTION_OF_PROBLEMS};
pub use windows::Escalator;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .tagged("Alerts")
        .service(http::create)
        .service(http::create_many)
        .service(http::alertmanager)
        .service(http::search)
        .service(http::get)
        .service(http::acknowledge)
        .service(http::unacknowledge)
        .service(http::suppress)
        .service(http::unsuppress)
        .service(http::close);
}

/// The operations outside a tenant: inbound addresses, which know theirs.
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
