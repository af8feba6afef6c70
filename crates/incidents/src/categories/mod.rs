//! The tree of categories that incidents are filed under ("Incident categories" in `docs/interface.md`).
//!
//! Categories belong to a tenant. A client also sees the categories of its partner and files incidents under them, but
//! changes only its own. A change of the tree locks it until the end of the transaction ([`store::lock_of_tree`]): two
//! concurrent moves could close a circle.

mod filter;
pub mod http;
pub mod row;
pub mod rules;
pub mod store;
#[cfg(test)]
mod tests;
mod undo;
mod view;
pub mod wire;

pub use undo::Categories;

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
