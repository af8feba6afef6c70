//! Articles, in Markdown, with their history and a search for words ("Knowledge base" in `docs/interface.md`).

mod filter;
pub mod http;
pub mod port;
pub mod row;
pub mod rules;
mod search;
pub mod store;
mod undo;
mod view;
pub mod wire;
mod words;

pub use undo::Articles;
pub use words::BACKFILL as WORDS_BACKFILL;

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
