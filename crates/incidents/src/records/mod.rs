//! The incidents themselves ("Incidents" in `docs/interface.md`).
//!
//! # Events
//! Every action is published on the entity `INCIDENT`, with the state before and after as
//! [`document`] makes it: integration events compare their rules with it, and fill `$incident.…` from it by path. It
//! is made there and nowhere else.

pub mod demo;
pub mod document;
mod filter;
pub mod http;
mod notes;
pub(crate) mod port;
mod references;
mod related;
pub mod row;
pub mod rules;
pub mod store;
mod tickets;
mod undo;
mod view;
pub mod wire;

pub use undo::Incidents;

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
pub fn routes(config: &mut api::Routes) {
    config
        .service(http::create)
        .service(http::search)
        .service(http::get)
        .service(related::related)
        .service(http::update)
        .service(http::close)
        .service(notes::create)
        .service(notes::list);
}
