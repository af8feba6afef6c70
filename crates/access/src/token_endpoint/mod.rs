//! The token endpoint, under its two paths: a token for key and secret ("Tenants and callers" in `docs/interface.md`).

pub(crate) mod http;
mod rules;
mod wire;
