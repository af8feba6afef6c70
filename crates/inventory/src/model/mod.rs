//! A resource as it is stored: its document, and the row that holds it.

pub mod document;
pub mod row;
