//! How clients name users and groups.

use api::Request;

use crate::crew::user_id;

/// The most users of a shift or of a place of its rotation, and the most groups.
pub const MOST_REFERENCES: usize = 100;

/// A user, by its id.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "RosterUserReference", example = json!({"id": "USR0000000007"}))]
pub struct UserReference {
    /// `USR` and ten digits.
    #[request(filled, parse = trimmed)]
    pub id: String,
}

/// A user group, by its id.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(
    schema = "RosterUserGroupReference",
    example = json!({"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"})
)]
pub struct UserGroupReference {
    /// `USRGRP-<uuid>`.
    #[request(name = "uniqueId", filled, parse = trimmed)]
    pub id: String,
}

impl UserReference {
    /// The id in its documented letter case.
    pub fn user_id(&self) -> String {
        user_id(&self.id)
    }
}

/// The ids of users, as they were given.
pub fn user_ids(all: &[UserReference]) -> Vec<String> {
    all.iter().map(|user| user.id.clone()).collect()
}

/// The ids of groups.
pub fn group_ids(all: &[UserGroupReference]) -> Vec<String> {
    all.iter().map(|group| group.id.clone()).collect()
}

pub fn trimmed(text: String) -> Result<String, String> {
    Ok(text.trim().to_owned())
}
