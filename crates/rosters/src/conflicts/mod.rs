//! What is wrong with the plans of all rosters of a tenant: gaps, and what they ask too much of somebody ("Conflicts"
//! in `docs/interface.md`).

pub mod http;
pub mod load;
pub mod parameters;
pub mod render;
pub mod rules;
pub mod wire;
