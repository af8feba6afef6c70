//! Users: people, and those that API keys act as ("Tenants and callers" in `docs/interface.md`). A partner's users are
//! seen at its clients as well, where rosters name them; they are changed at the partner alone.

pub(crate) mod http;
pub(crate) mod row;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;

pub use self::{row::Row, store::find_many};
