//! What is well and what is not with the machine, the files and the database of a service, a line for each thing.

mod backups;
mod database;
mod replica;
mod report;
mod service;
mod upkeep;

pub use self::{
    report::{Report, Severity},
    service::ServiceNote,
};
