//! Where the categories of hours on call begin: of a tenant that says so, else of its partner, else of the service
//! ("Hours" in `docs/interface/rosters.md`).

pub mod http;
pub mod row;
pub mod store;
pub mod undo;
pub mod wire;
