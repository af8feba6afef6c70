//! Tenants: partners and their clients ("Tenants and callers" in `docs/interface.md`).

pub(crate) mod http;
pub(crate) mod levels;
pub(crate) mod row;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;
