//! Signing in by OpenID Connect: authorization code with PKCE, by the crate `openidconnect` ("OpenID Connect" in
//! `docs/operations.md`).
//!
//! The gateway holds no state while a browser is at the issuer: the sign-in under way travels in a sealed cookie. So
//! any number of browsers may leave, and they may come back to any gateway.

mod fetch;
pub(crate) mod http;
pub(crate) mod identities;
mod people;
mod provider;
pub(crate) mod rules;

pub use fetch::{fetch, issuer};
pub use provider::{Fetch, FetchResult, Provider, Settings};
