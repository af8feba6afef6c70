//! Rosters and their shifts.
//!
//! A roster belongs to one tenant. Its shifts are stored in versions: an edit takes effect from now on, and who was on
//! call before does not change.

pub mod documented;
pub mod http;
pub mod rules;
pub mod shown;
pub mod store;
pub mod wire;
