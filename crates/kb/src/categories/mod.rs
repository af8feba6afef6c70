//! Categories of articles ("Knowledge base" in `docs/interface.md`).

mod below;
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
        .service(http::children)
        .service(http::restore)
        .service(http::get)
        .service(http::update)
        .service(http::relocate)
        .service(http::delete);
}
