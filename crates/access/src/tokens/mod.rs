//! Tokens: what a caller gets for its API key ("Tenants and callers" in `docs/interface.md`).

pub(crate) mod http;
pub(crate) mod rules;
pub(crate) mod store;
pub(crate) mod wire;
