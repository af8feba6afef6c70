//! Black-box tests of the contract (docs/interface.md), on SQLite and on Postgres.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod contract;
mod crashes;
mod docs;
mod etags;
mod harness;
mod house;
mod inventory;
mod isolation_matrix;
mod operations;
mod retries;
mod rosters;
mod secrets;
