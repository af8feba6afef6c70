//! Feeds of windows for calendar programs ("Calendars of windows" in `docs/interface.md`).

pub mod feed;
pub mod http;
pub mod store;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::create).service(http::list).service(http::delete).service(feed::read);
}
