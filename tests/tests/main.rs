//! Black-box tests of the contract (docs/interface.md), on SQLite and on Postgres.

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
mod secrets;
