//! Bulk import and export: rows that create and update resources, and the same columns out.
//!
//! A body passes through in pieces: [`ndjson`], [`elements`] and [`csv`] cut it into lines, elements of an array and
//! records, [`columns`] says what cells mean, [`reader`] makes rows ([`row`]) of it, and [`apply`] carries them out a
//! batch at a time. No more than a batch is held. [`import`] does the same with files, among them the printout that
//! [`aws`] reads.

mod apply;
mod aws;
mod columns;
mod csv;
mod elements;
mod export;
mod export_row;
pub mod http;
pub mod import;
mod ndjson;
mod reader;
mod related;
mod row;
mod wire;

/// The operations. Their paths are literal, and come before those of one resource.
pub fn routes(config: &mut api::Routes) {
    config.tagged("Resources").service(http::bulk).service(export::export);
}
