//! Black-box tests of the contract (docs/interface.md), on SQLite and on Postgres.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::cloned_ref_to_slice_refs, reason = "an array of one reads like the array of several beside it")]

mod alerts;
mod background;
mod campaign;
mod changes;
mod clients;
mod compatibility;
mod console;
mod contract;
mod docs;
mod etags;
mod harness;
mod house;
mod imports;
mod incidents;
mod integrations;
mod inventory;
mod isolation_matrix;
mod jobs;
mod kb;
mod maintenance;
mod operations;
mod packages;
mod paging;
mod people;
mod retries;
mod rosters;
mod secrets;
mod tables;
mod template;
mod upgrades;
mod words;
