//! Files of desired state: `muster schema`, `muster export`, `muster plan` and `muster apply`, described in
//! docs/configuration.md.
//!
//! [`kinds`] is the table of what files describe; all else about their fields is read from the OpenAPI document.

mod apply;
mod check;
mod commands;
mod convert;
mod credentials;
mod diff;
mod documents;
mod export;
mod files;
mod folder;
mod json_schema;
mod keys;
mod kinds;
mod managed;
mod names;
mod node;
mod plan;
mod reader;
mod report;
mod service;
mod shape;
mod tenant;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

pub use self::{
    commands::{apply, export, plan, schema},
    folder::{files, write_files},
    reader::{ReadError, Reader, read},
};
