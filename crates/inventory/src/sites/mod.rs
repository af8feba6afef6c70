//! Sites: the places where resources are.
//!
//! A site belongs to one tenant and holds resources of that tenant only. A resource is at one site or at none; the
//! resource's detail shows the site as its `location`.

pub mod http;
pub mod members;
pub mod row;
pub mod rules;
pub mod store;
pub mod wire;

#[cfg(test)]
pub mod tests;

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
