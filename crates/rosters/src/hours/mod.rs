//! How long people are on call, by category ("Hours" in `docs/interface/rosters.md`).

pub mod groups;
pub mod http;
pub mod load;
pub mod render;
pub mod sums;
#[cfg(test)]
mod tests;
pub mod wire;
