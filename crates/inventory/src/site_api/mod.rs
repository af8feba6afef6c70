//! The operations on sites and on the resources at them.

pub mod http;
pub mod members;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .tagged("Sites")
        .service(http::create)
        .service(http::search)
        .service(http::minimal)
        .service(http::get)
        .service(http::update)
        .service(http::delete)
        .service(http::list_members)
        .service(http::add_members)
        .service(http::remove_members);
}
