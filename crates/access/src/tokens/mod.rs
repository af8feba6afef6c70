//! Tokens: what a caller gets for its API key ("Tenants and callers" in `docs/interface.md`).

pub(crate) mod rules;
pub(crate) mod store;
