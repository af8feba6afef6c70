//! Questions across all rosters of a tenant: their timelines side by side with what they cover together, and when a
//! user is on call ("Across rosters" in `docs/interface.md`).

pub mod cache;
pub mod http;
pub mod render;
pub mod wire;
