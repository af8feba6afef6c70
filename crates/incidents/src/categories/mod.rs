//! Categories that incidents are filed under, a tree ("Incident categories" in `docs/interface.md`).
//!
//! They belong to a tenant. A client sees those of its partner too, and files incidents under them, but changes its own
//! alone. Whoever changes the tree of a tenant is alone with it until the end of the transaction
//! ([`store::lock_tree`]): two moves could close a circle together.

pub mod http;
pub mod row;
pub mod rules;
pub mod store;
#[cfg(test)]
mod tests;
mod view;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .service(http::create)
        .service(http::list)
        .service(http::get)
        .service(http::update)
        .service(http::relocate)
        .service(http::delete);
}
