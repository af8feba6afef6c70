//! Categories of articles ("Knowledge base" in `docs/interface.md`).

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
        .service(http::children)
        .service(http::restore)
        .service(http::get)
        .service(http::update)
        .service(http::relocate)
        .service(http::delete);
}
