//! Who the people of a tenant are.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// A user ("Users" in `docs/interface.md`), as other domains show one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// `USR` and ten digits.
    pub id: String,
    /// Unique in its tenant.
    pub login_name: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// An address of electronic mail.
    pub email: Option<String>,
    /// As people write it.
    pub phone_number: Option<String>,
    /// As people write it.
    pub mobile_number: Option<String>,
    /// In use, or not any more?
    pub activated: bool,
}

/// A user group ("User groups" in `docs/interface.md`), as other domains show one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleGroup {
    /// `USRGRP-<uuid>`.
    pub unique_id: String,
    /// Unique in its tenant.
    pub name: String,
    /// Empty when there is none.
    pub description: String,
    /// When it was created.
    pub created: Timestamp,
    /// When it or its members changed last; `None` before the first change.
    pub updated: Option<Timestamp>,
    /// In use, or not any more?
    pub activated: bool,
    /// The ids of its members.
    pub members: Vec<String>,
}

/// Who the people of a tenant are.
///
/// The tenants of a question are those whose people count: for a record of a client, the client and its partner.
/// Unknown ids and those of other tenants are left out of the answers; who is not in use any more is in them.
pub trait People: Send + Sync {
    /// The users with these ids.
    fn users(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Person>>;

    /// The groups with these ids, with their members.
    fn groups(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>>;

    /// A number that differs whenever an answer about the people of these tenants may differ from an earlier one.
    fn revision(&self, conn: &mut Conn, tenants: &[String]) -> Result<i64>;

    /// The tenants whose people may stand in records of this one: itself and its partner.
    fn around(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>>;

    /// Is the tenant in use, not suspended?
    fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool>;
}
