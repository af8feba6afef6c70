//! How the stream of changes is called; the head of `recipes.rs` says how to add one.

use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[op("GET /changes").asks("maxSeconds=0")];
