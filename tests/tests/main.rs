//! Black-box tests of the contract (docs/interface.md), on SQLite and on Postgres.

mod contract;
mod harness;
mod inventory;
