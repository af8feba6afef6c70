//! The rosters alone, on a new embedded database, with three people and a group: `cargo run -p rosters --example
//! rosters`.

use std::sync::Arc;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{GroupHistory, People, PeopleGroup, Person};

/// Three people and a group, in memory.
struct Few;

const NAMES: [(&str, &str, &str); 3] = [("ann", "Ann", "Lee"), ("bob", "Bob", "Roy"), ("eve", "Eve", "Kim")];
const GROUP: &str = "USRGRP-00000000-0000-4000-8000-000000000001";

fn everybody() -> Vec<Person> {
    let person = |(number, (login, first, last)): (i32, &(&str, &str, &str))| Person {
        tenant_id: "client_1".to_owned(),
        id: format!("USR{number:010}"),
        login_name: (*login).to_owned(),
        first_name: Some((*first).to_owned()),
        last_name: Some((*last).to_owned()),
        email: Some(format!("{login}@example.net")),
        phone_number: Some(format!("+1 555 010{number}")),
        mobile_number: Some(format!("+1 555 020{number}")),
        activated: true,
    };
    (1..).zip(&NAMES).map(person).collect()
}

impl People for Few {
    fn users(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Person>> {
        Ok(everybody().into_iter().filter(|person| ids.contains(&person.id)).collect())
    }

    fn groups(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<PeopleGroup>> {
        let group = PeopleGroup {
            tenant_id: "client_1".to_owned(),
            unique_id: GROUP.to_owned(),
            name: "Everybody".to_owned(),
            description: String::new(),
            created: Timestamp::from_millis(0),
            updated: None,
            activated: true,
            members: everybody().into_iter().map(|person| person.id).collect(),
        };
        Ok(vec![group].into_iter().filter(|group| ids.contains(&group.unique_id)).collect())
    }

    fn revisions(&self, _: &mut Conn, _: &[String]) -> Result<Vec<(String, i64)>> {
        Ok(Vec::new())
    }

    fn own_and_partner(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned(), "msp_1".to_owned()])
    }

    fn is_active(&self, _: &mut Conn, _: &str) -> Result<bool> {
        Ok(true)
    }

    fn former_users(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<Vec<(Timestamp, Person)>> {
        Ok(Vec::new())
    }

    fn former_groups(&self, _: &mut Conn, _: &[String], _: &[String], _: Timestamp) -> Result<GroupHistory> {
        Ok(GroupHistory::default())
    }

    fn may_act(&self, _: &mut Conn, _: &[String], _: &str, _: Timestamp) -> Result<bool> {
        Ok(true)
    }

    fn may_operate(&self, _: &mut Conn, _: &[String], _: &str, _: &str, _: Timestamp) -> Result<bool> {
        Ok(true)
    }

    fn below(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        Ok(vec![tenant.to_owned()])
    }

    fn administrators(&self, _: &mut Conn, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn active(&self, _: &mut Conn, tenants: &[String]) -> Result<Vec<String>> {
        Ok(tenants.to_vec())
    }
}

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(
        rosters::domain(),
        rosters::extras(Arc::new(Few), Arc::new(ports::Standalone), Arc::new(ports::Standalone)),
        |_| Ok(()),
    )
}
