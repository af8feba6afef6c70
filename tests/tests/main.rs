//! Black-box tests of the contract (docs/interface.md), on SQLite and on Postgres.

mod contract;
mod docs;
mod harness;
mod house;
mod inventory;
mod isolation_matrix;
mod operations;
