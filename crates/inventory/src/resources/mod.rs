//! Resources: the list, the detail, and every write.

pub mod addresses;
pub mod changes;
pub mod decommissioned;
pub mod detail;
pub mod filter;
pub mod http;
pub mod identities;
mod index;
pub mod input;
pub mod list;
pub mod lock;
pub mod predicate;
pub mod query;
pub mod rules;
pub mod store;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .tagged("Resources")
        .service(list::minimal)
        .service(list::search)
        .service(http::create)
        .service(http::get)
        .service(http::update)
        .service(http::delete)
        .service(http::decommission)
        .service(http::manage)
        .service(http::unmanage);
}
