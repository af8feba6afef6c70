//! What domains ask about tenants and their people, answered ([`ports::People`], [`ports::Tenants`]).

use std::collections::HashMap;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{GroupHistory, Membership, People, PeopleGroup, Person, Tenants};

use crate::{facts, history, user_groups, users};

/// The tenants, users and user groups of the database.
#[derive(Clone, Copy, Debug)]
pub struct Directory;

impl People for Directory {
    fn users(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Person>> {
        let rows = users::find_many(conn, tenants, ids)?;
        Ok(rows.into_iter().map(Person::from).collect())
    }

    fn groups(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>> {
        let rows = user_groups::find_many(conn, tenants, ids)?;
        let mut members = user_groups::members_of_many(conn, &rows)?;
        let with_members = |row: user_groups::Row| {
            let members = members.remove(&row.id).unwrap_or_default();
            PeopleGroup { members, ..row.into() }
        };
        Ok(rows.into_iter().map(with_members).collect())
    }

    fn former_users(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        ids: &[String],
        since: Timestamp,
    ) -> Result<Vec<(Timestamp, Person)>> {
        let rows = history::users(conn, tenants, ids, since.millis())?;
        Ok(rows.into_iter().map(|row| (Timestamp::from_millis(row.until_ms), row.into())).collect())
    }

    fn former_groups(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        ids: &[String],
        since: Timestamp,
    ) -> Result<GroupHistory> {
        let groups = history::groups(conn, tenants, ids, since.millis())?;
        let groups = groups.into_iter().map(|row| (Timestamp::from_millis(row.until_ms), row.into())).collect();
        let member = |(group, user, since, until): (String, String, i64, Option<i64>)| Membership {
            group,
            user,
            since: Timestamp::from_millis(since),
            until: until.map(Timestamp::from_millis),
        };
        let members = history::members(conn, tenants, ids, since.millis())?.into_iter().map(member).collect();
        Ok(GroupHistory { groups, members })
    }

    fn may_act(&self, conn: &mut Conn, tenants: &[String], id: &str, now: Timestamp) -> Result<bool> {
        facts::may_act(conn, tenants, id, now)
    }

    fn may_operate(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        id: &str,
        operation: &str,
        now: Timestamp,
    ) -> Result<bool> {
        facts::may_operate(conn, tenants, id, operation, now)
    }

    fn revisions(&self, conn: &mut Conn, tenants: &[String]) -> Result<Vec<(String, i64)>> {
        facts::people_revisions(conn, tenants)
    }

    fn own_and_partner(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        facts::with_partner(conn, tenant)
    }

    fn below(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        facts::with_clients(conn, tenant)
    }

    fn administrators(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        facts::administrators(conn, tenant)
    }

    fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool> {
        facts::is_active(conn, tenant)
    }

    fn active(&self, conn: &mut Conn, tenants: &[String]) -> Result<Vec<String>> {
        facts::active(conn, tenants)
    }
}

impl Tenants for Directory {
    fn names(&self, conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
        facts::names(conn, ids)
    }

    fn partner(&self, conn: &mut Conn, tenant: &str) -> Result<String> {
        Ok(facts::with_partner(conn, tenant)?.pop().unwrap_or_else(|| tenant.to_owned()))
    }
}

/// Makes a person of a row of users, or of what it was.
macro_rules! person_of {
    ($row:path) => {
        impl From<$row> for Person {
            fn from(row: $row) -> Self {
                Self {
                    tenant_id: row.tenant_id,
                    id: row.id,
                    login_name: row.login_name,
                    first_name: row.first_name,
                    last_name: row.last_name,
                    email: row.email,
                    phone_number: row.phone_number,
                    mobile_number: row.mobile_number,
                    activated: row.activated,
                }
            }
        }
    };
}
person_of!(users::Row);
person_of!(history::User);

/// Makes a group, without its members, of a row of groups, or of what it was.
macro_rules! group_of {
    ($row:path) => {
        impl From<$row> for PeopleGroup {
            fn from(row: $row) -> Self {
                Self {
                    tenant_id: row.tenant_id,
                    unique_id: row.id,
                    name: row.name,
                    description: row.description,
                    created: Timestamp::from_millis(row.created_ms),
                    updated: row.updated_ms.map(Timestamp::from_millis),
                    activated: row.activated,
                    members: Vec::new(),
                }
            }
        }
    };
}
group_of!(user_groups::Row);
group_of!(history::Group);
