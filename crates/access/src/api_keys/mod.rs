//! API keys: what a program calls with; each acts as a user ("Tenants and callers" in `docs/interface.md`).

pub(crate) mod http;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;
