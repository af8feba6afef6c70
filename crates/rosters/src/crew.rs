//! Who stands in a shift, or in a place of its rotation. Pure.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// Ids, without repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crew {
    pub users: Vec<String>,
    /// Of user groups.
    pub groups: Vec<String>,
}

impl Crew {
    /// From what was given.
    pub fn new(users: &[String], groups: &[String]) -> Self {
        let distinct = |ids: &[String], read: fn(&str) -> String| {
            let mut seen = HashSet::new();
            ids.iter().map(|id| read(id)).filter(|id| seen.insert(id.clone())).collect()
        };
        Self { users: distinct(users, user_id), groups: distinct(groups, str::to_owned) }
    }

    /// Both together.
    pub fn and(&self, other: &Self) -> Self {
        let joined = |one: &[String], other: &[String]| [one, other].concat();
        Self::new(&joined(&self.users, &other.users), &joined(&self.groups, &other.groups))
    }
}

/// A user's id in its documented letter case.
pub fn user_id(text: &str) -> String {
    text.trim().to_ascii_uppercase()
}
