//! Rosters and their shifts.
//!
//! A roster belongs to one tenant. Its shifts are stored in versions: an edit takes effect from now on, and who was on
//! call before does not change.

pub mod change;
pub mod crew;
pub mod documented;
pub mod http;
pub mod named;
pub mod plan;
pub mod rotation;
pub mod rules;
pub mod shown;
pub mod store;
pub mod versions;
pub mod wire;
