//! What domains ask about tenants and their people ([`ports::People`], [`ports::Tenants`]), answered by `access`.

use std::collections::HashMap;

use access::{facts, user_groups, users};
use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{People, PeopleGroup, Person, Tenants};

/// The tenants, users and user groups that `access` keeps.
pub struct Directory;

impl People for Directory {
    fn users(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Person>> {
        let rows = users::find_many(conn, tenants, ids)?;
        Ok(rows.into_iter().map(person).collect())
    }

    fn groups(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>> {
        let rows = user_groups::find_many(conn, tenants, ids)?;
        let group = |row: user_groups::Row| {
            let members = user_groups::members_of(conn, &row.tenant_id, &row.id)?;
            Ok(PeopleGroup {
                unique_id: row.id,
                name: row.name,
                description: row.description,
                created: Timestamp::from_millis(row.created_ms),
                updated: row.updated_ms.map(Timestamp::from_millis),
                activated: row.activated,
                members: members.into_iter().map(|member| member.id).collect(),
            })
        };
        rows.into_iter().map(group).collect()
    }

    fn revision(&self, conn: &mut Conn, tenants: &[String]) -> Result<i64> {
        facts::people_revision(conn, tenants)
    }

    fn around(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        facts::with_partner(conn, tenant)
    }

    fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool> {
        facts::is_active(conn, tenant)
    }
}

impl Tenants for Directory {
    fn names(&self, conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
        facts::names(conn, ids)
    }
}

fn person(row: users::Row) -> Person {
    Person {
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
