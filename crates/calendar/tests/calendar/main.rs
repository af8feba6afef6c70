//! The calendar from outside: example values, properties, and an independent slow implementation that agrees.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may panic as the tests do")]

mod cost;
mod due;
mod examples;
mod generate;
mod properties;
mod slow;
mod windows;
