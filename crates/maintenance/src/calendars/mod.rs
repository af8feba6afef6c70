//! Feeds of windows for calendar programs ("Calendars of windows" in `docs/interface.md`).

pub mod feed;
pub mod http;
mod row;
pub mod store;

/// What stands in the way of paths with a parameter.
pub fn literal_routes(config: &mut api::Routes) {
    config.service(http::list_of_tenant);
}

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::list).service(http::delete).service(feed::read);
}
