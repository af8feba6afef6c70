//! Articles, in Markdown, with their history and a search for words ("Knowledge base" in `docs/interface.md`).

mod documented;
pub mod http;
pub mod rules;
mod search;
mod shown;
pub mod store;
pub mod wire;

pub(crate) use self::shown::note;

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
pub fn routes(config: &mut api::Routes) {
    config
        .service(http::create)
        .service(http::list)
        .service(search::search)
        .service(http::restore)
        .service(http::get)
        .service(http::update)
        .service(http::delete)
        .service(http::versions);
}
