//! User groups: people who are named together ("Tenants and callers" in `docs/interface.md`). Members are users of the
//! group's tenant and of its partner. As with users, a partner's groups are seen at its clients and changed at the
//! partner alone.

pub(crate) mod http;
pub(crate) mod members;
pub(crate) mod row;
pub(crate) mod rules;
pub(crate) mod store;
mod view;
pub(crate) mod wire;

pub use members::of_many as members_of_many;
pub use row::Row;
pub use store::find_many;
