//! Who is told, one after the other ("Escalation policies" in `docs/interface.md`).

pub mod http;
pub mod plan;
pub mod row;
pub mod rules;
pub mod store;
mod undo;
mod view;
pub mod wire;

pub use undo::Policies;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}
