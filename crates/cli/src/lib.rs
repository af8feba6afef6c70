//! What people run at a terminal and scripts call, without a database: `muster api`, `muster schema`, `muster export`,
//! `muster plan`, `muster apply`, `muster completions` and `muster sink`.
//!
//! [`api()`] is a client of the interface. It has no list of operations: it reads command lines by the OpenAPI
//! document, which the caller makes. [`complete()`] tells a shell what may come next, and [`sink()`] prints what a
//! service sends.
//! This crate knows no domain, no database and nothing of how a service works; [`server`], [`files`],
//! [`write_files`] and [`read()`] are for other clients too.

mod api;
mod arguments;
mod call;
mod clock;
mod complete;
mod completions;
mod config;
mod connection;
mod content;
mod failure;
mod help;
mod operations;
mod options;
mod output;
mod pretty;
mod problem;
mod refusals;
mod request;
mod schema;
pub mod server;
mod sink;
mod table;
mod values;

pub use crate::{
    api::api,
    clock::now,
    completions::{complete, completions},
    config::{ReadError, Reader, apply, export, files, plan, read, schema, write_files},
    operations::current_name,
    options::{Api, Apply, Complete, Completions, ConnectionOptions, Export, Form, Plan, Sink},
    sink::sink,
};
