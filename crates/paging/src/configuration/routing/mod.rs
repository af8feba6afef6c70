//! Which alerts go to which policy ("Alert routes" in `docs/interface.md`).

pub mod choose;
pub mod http;
pub mod row;
mod rules;
pub mod store;
mod undo;
mod view;
pub mod wire;

pub use undo::Routes;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}
