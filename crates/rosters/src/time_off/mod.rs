//! When people are away ("Time off" in `docs/interface.md`).

pub mod http;
mod permissions;
pub mod row;
pub mod rules;
pub mod store;
mod view;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}
