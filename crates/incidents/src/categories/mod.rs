//! Categories that incidents are filed under, a tree ("Incident categories" in `docs/interface.md`).
//!
//! They belong to a tenant. A client sees those of its partner too, and files incidents under them, but changes its own
//! alone. Whoever changes the tree of a tenant is alone with it until the end of the transaction ([`store::take_up`]):
//! two moves could close a circle together.

mod documented;
pub mod http;
pub mod rules;
mod shown;
pub mod store;
#[cfg(test)]
mod tests;
pub mod wire;

pub(crate) use self::shown::note;

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
