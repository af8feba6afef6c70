//! How people are reached ("Contact methods" in `docs/interface.md`).

pub mod http;
pub mod permissions;
pub mod row;
pub mod rules;
mod sealing;
pub mod store;
pub mod template;
mod undo;
pub mod view;
pub mod wire;

pub use undo::Methods;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::list).service(http::get).service(http::update).service(http::delete);
}
