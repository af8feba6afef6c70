//! What is wrong with the plans of all rosters of a tenant: gaps, and what they ask too much of somebody ("Conflicts"
//! in `docs/interface.md`).

pub mod http;
mod render;
mod rules;
mod wire;
