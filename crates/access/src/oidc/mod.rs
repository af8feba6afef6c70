//! Signing in by OpenID Connect: authorization code with PKCE, by the crate `openidconnect` ("OpenID Connect" in
//! `docs/operations.md`).
//!
//! Nothing is held here between leaving for the issuer and coming back: what has to be remembered travels, sealed, in a
//! cookie of the browser that left. So any number may leave, and come back to any gateway.

mod fetch;
pub(crate) mod http;
pub(crate) mod identities;
mod people;
mod provider;
pub(crate) mod rules;

pub use fetch::{check_issuer, fetch};
pub use provider::{Fetch, FetchResult, Provider, Settings};
