//! Which days were known to be holidays when: those of shifts, and those of people. What was known when something began
//! decides, so rosters read this; holiday calendars are changed in [`crate::holidays`].

pub mod dated;
pub mod own;
pub mod row;
pub mod store;
