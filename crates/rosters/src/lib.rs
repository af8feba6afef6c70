//! Rosters: who is on call, when, and through which shift.
mod schema;
