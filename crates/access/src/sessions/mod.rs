//! People who sign in: links that do so once, the sessions of their browsers, and the pages between ("Signing in" in
//! `docs/interface.md`).

pub(crate) mod browser;
pub(crate) mod http;
pub(crate) mod limited;
pub(crate) mod links;
pub(crate) mod pages;
pub(crate) mod redeem;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;

pub use rules::url as sign_in_url;
