//! Feeds for calendar programs, of a roster or of a user ("Calendars" in `docs/interface.md`).
//!
//! A calendar program has no token of the service; the address that it asks has one of its own, which opens this one
//! calendar and can be revoked. Of it the database has a hash.

mod feed;
mod http;
pub mod row;
pub mod store;

/// What stands in the way of paths with a parameter.
pub fn literal_routes(config: &mut api::Routes) {
    config.service(http::list_of_tenant);
}

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .service(http::create_of_roster)
        .service(http::list_of_roster)
        .service(http::delete_of_roster)
        .service(feed::of_roster)
        .service(http::create_of_user)
        .service(http::list_of_user)
        .service(http::delete_of_user)
        .service(feed::of_user);
}
