//! Heartbeats ("Heartbeats" in `docs/interface.md`): something is to be heard of again and again, and silence is the
//! alert.
//!
//! - [`wire`], [`row`], [`rules`], [`store`], [`http`]: heartbeats as entities
//! - [`filter`]: the search
//! - [`pings`]: what is heard, gathered in memory and stored in batches
//! - [`watch`]: who was not heard of in time
//!
//! A ping costs no transaction: a gateway remembers it and stores what it has heard once a second. That is why a
//! gateway that starts, or that stood still, gives whoever is overdue one more interval: the ping may have been lost
//! with what was down.

mod filter;
pub mod http;
pub mod pings;
pub mod row;
pub mod rules;
pub mod store;
mod view;
pub mod watch;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    let config = &mut config.tagged("Heartbeats");
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}

/// The operation outside a tenant: the address that is pinged.
pub fn root_routes(config: &mut api::Routes) {
    config.tagged("Heartbeats").service(http::ping).service(http::ping_by_post);
}
