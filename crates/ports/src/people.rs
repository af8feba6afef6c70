//! The port of users and user groups.

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// A user ("Users" in `docs/interface.md`), as other domains show one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `USR` and ten digits.
    pub id: String,
    /// Unique in its tenant.
    pub login_name: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// An email address.
    pub email: Option<String>,
    /// A telephone number, as people write it.
    pub phone_number: Option<String>,
    /// A telephone number, as people write it.
    pub mobile_number: Option<String>,
    /// In use, or not any more?
    pub activated: bool,
}

impl Person {
    /// Given and family name, or else the login name.
    pub fn full_name(&self) -> String {
        full_name(self.first_name.as_deref(), self.last_name.as_deref(), &self.login_name)
    }
}

/// Given and family name, or else the login name.
pub(crate) fn full_name(first_name: Option<&str>, last_name: Option<&str>, login_name: &str) -> String {
    let name = [first_name, last_name].into_iter().flatten().collect::<Vec<_>>().join(" ");
    if name.is_empty() { login_name.to_owned() } else { name }
}

/// A user group ("User groups" in `docs/interface.md`), as other domains show one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleGroup {
    /// The tenant that it belongs to.
    pub tenant_id: String,
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

/// Somebody's time in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The group's `uniqueId`.
    pub group: String,
    /// The user's id.
    pub user: String,
    /// Since when.
    pub since: Timestamp,
    /// Until when, this instant not included; `None` for who is a member now.
    pub until: Option<Timestamp>,
}

/// The history of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupHistory {
    /// Groups as they were until an instant, oldest first; who was in them, `members` says.
    pub groups: Vec<(Timestamp, PeopleGroup)>,
    /// Who was a member for a time, and who is one now but was not always. Other members were there from the beginning.
    pub members: Vec<Membership>,
}

/// The users and user groups of tenants.
///
/// The tenants of a question are those whose people count: for a record of a client, the client and its partner.
/// Unknown ids and those of other tenants are left out of the answers; who is not in use any more is in them.
pub trait People: Send + Sync {
    /// The users with these ids.
    fn users(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Person>>;

    /// The groups with these ids, with their members.
    fn groups(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>>;

    /// These users as they were until an instant after `since`, oldest first. Before the first change that is known, a
    /// user was always like that; a user that never changed is in no answer.
    fn former_users(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        ids: &[String],
        since: Timestamp,
    ) -> Result<Vec<(Timestamp, Person)>>;

    /// How these groups were after `since`, and who was in them.
    fn former_groups(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        ids: &[String],
        since: Timestamp,
    ) -> Result<GroupHistory>;

    /// May this user still act at this time? One who is in use may; of one that API keys act as, a key has to be live.
    fn may_act(&self, conn: &mut Conn, tenants: &[String], id: &str, now: Timestamp) -> Result<bool>;

    /// May this user now call this operation, which takes the role operator? A right from another source, such
    /// as being notified of an alert, does not count.
    fn may_operate(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        id: &str,
        operation: &str,
        now: Timestamp,
    ) -> Result<bool>;

    /// Of each of these tenants a number that differs whenever an answer about its people may differ from an earlier
    /// one, in the order of the tenants' ids. A tenant without people may be left out.
    fn revisions(&self, conn: &mut Conn, tenants: &[String]) -> Result<Vec<(String, i64)>>;

    /// The tenants whose people may stand in records of this one: itself and its partner.
    fn own_and_partner(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>>;

    /// The tenants whose records people of this one may stand in: itself and, of a partner, its clients.
    fn below(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>>;

    /// The users of a tenant that are administrators and in use, by id; programs are among them.
    fn administrators(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>>;

    /// Is the tenant in use, not suspended?
    fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool>;

    /// Those of these tenants that are in use, not suspended.
    fn active(&self, conn: &mut Conn, tenants: &[String]) -> Result<Vec<String>>;
}
