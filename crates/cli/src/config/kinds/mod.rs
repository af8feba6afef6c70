//! The kinds of objects that files describe. Everything else about their fields is in the OpenAPI document.

mod bodies;
mod kind;
mod table;

pub use self::kind::{BELOW, BESIDE, Key, Kind, List, SHIFT, Spelling};

use self::table::KINDS;

/// A kind by its word.
pub fn kind(name: &str) -> Option<&'static Kind> {
    all().iter().find(|kind| kind.name == name)
}

/// All kinds.
pub fn all() -> &'static [Kind] {
    &KINDS
}
