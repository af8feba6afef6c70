//! Rosters and their shifts.
//!
//! A roster belongs to one tenant. Its shifts are stored in versions: an edit takes effect from now on, and who was on
//! call before does not change.

mod filter;
pub mod http;
pub mod input;
pub mod moved;
pub mod named;
pub mod plan;
pub mod rotation;
pub mod row;
pub mod rules;
pub mod shift_schedule;
pub mod store;
pub mod versions;
pub mod view;
pub mod watches;
pub mod wire;
