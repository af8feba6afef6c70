//! Packed copies of the closed alerts of past days, for figures of many alerts.
//!
//! The rows of an alert and of its pages take some thousand bytes, and figures need some ten of them. So what figures
//! need of the closed alerts of each day that is over is kept once more, as one row of `alert_days`:
//!
//! - [`record`]: what figures need of an alert
//! - [`numbers`], [`pack`]: many of those as bytes, and back
//! - [`rows`]: the same from the rows of alerts and pages
//! - [`store`]: the rows of `alert_days`
//! - [`changes`]: who changes an alert of such a day, or who was told of it, removes its copy, in the same transaction
//! - [`worker`]: the thread that makes the copies

pub mod changes;
pub mod numbers;
pub mod pack;
pub mod record;
pub mod rows;
pub mod store;
#[cfg(test)]
pub mod tests;
pub mod worker;
