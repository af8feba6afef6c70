//! Inbound addresses: where a monitor reports that can set neither header nor token request ("Inbound addresses" in
//! `docs/interface.md`). The address holds a token; who has it may report alerts at one tenant, and nothing else.

pub(crate) mod http;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;
