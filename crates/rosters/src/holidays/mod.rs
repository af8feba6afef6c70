//! Holiday calendars ("Holidays" in `docs/interface/rosters.md`). What was known when a shift began decides, so
//! days and owners are dated: a change ends a row, and nothing is rewritten.

pub mod http;
pub mod reader;
pub mod row;
pub mod rules;
pub mod store;
mod view;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}
