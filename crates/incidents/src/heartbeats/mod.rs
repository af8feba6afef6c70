//! Heartbeats ("Heartbeats" in `docs/interface.md`): pings that are expected regularly, and whose absence opens an
//! alert.
//!
//! - [`wire`], [`row`], [`rules`], [`store`], [`http`]: heartbeats as entities
//! - [`filter`]: the search
//! - [`pings`]: received pings, gathered in memory and stored in batches
//! - [`watch`]: the thread that stores pings and reports missing ones
//!
//! A ping costs no transaction: a gateway keeps it in memory and stores pings once a second. A gateway that starts, or
//! that stood still, therefore gives overdue heartbeats one more interval: their pings may have been lost meanwhile.

mod filter;
pub mod http;
pub mod pings;
pub mod row;
pub mod rules;
pub mod store;
mod undo;
mod view;
pub mod watch;
pub mod wire;

pub use undo::Heartbeats as HeartbeatRestorer;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    let config = &mut config.tagged("Heartbeats");
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}

/// The operation outside a tenant: the address that is pinged.
pub fn root_routes(config: &mut api::Routes) {
    config.tagged("Heartbeats").service(http::ping).service(http::ping_by_post);
}
