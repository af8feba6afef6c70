//! Figures of all alerts of a range of which packed days have a copy ([`days`](crate::alerts::days)).
//!
//! Whole days that have a copy are read from it; the rest of the range, and what is open of those days, is read from
//! the rows and packed in memory, so that one code counts both. It goes over them some times: what there is of each
//! value (`values`), then when things happened (`spread`) and which problems came back (`repeats`) for the keys of the
//! answer.

mod answer;
mod repeats;
mod sources;
mod spread;
#[cfg(test)]
mod tests;
mod values;

pub use answer::{Answer, KeysOf, answer};
