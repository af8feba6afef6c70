//! Figures of alerts by what they have in common: how many there were, how many people were told, how long it took
//! until somebody answered and until they were over ("Figures of alerts" in `docs/interface/alerts.md`).
//!
//! The database joins, counts and sorts; what comes of it is read row by row, and added up by key. Where days have
//! packed copies of their alerts, those are counted instead ([`packed`]).

pub mod http;
mod packed;
mod read;
mod rules;
mod store;
mod wire;
