//! Pages: what was sent to whom through what, and what could not be ("Pages" in `docs/interface.md`).

pub mod facts;
pub mod http;
pub mod limits;
pub mod queue;
pub mod store;
pub mod test_page;
pub mod view;
pub mod wire;
