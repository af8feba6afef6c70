//! The knowledge base alone, on a new embedded database with the categories and articles of the demo company:
//! `cargo run -p kb --example serve`.

use std::sync::Arc;

use base::tenant::TenantId;
use db::{Conn, Result};
use ports::{People, PeopleGroup, Person};

/// The one user that there is: the caller, who writes everything.
struct Ann;

const ID: &str = "USR0000000001";

impl People for Ann {
    fn users(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Person>> {
        let ann = || Person {
            id: ID.to_owned(),
            login_name: "ann".to_owned(),
            first_name: Some("Ann".to_owned()),
            last_name: Some("Lee".to_owned()),
            email: Some("ann@example.net".to_owned()),
            activated: true,
            ..Person::default()
        };
        Ok(ids.iter().filter(|id| *id == ID).map(|_| ann()).collect())
    }

    fn groups(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<PeopleGroup>> {
        Ok(Vec::new())
    }

    fn revision(&self, _: &mut Conn, _: &[String]) -> Result<i64> {
        Ok(0)
    }

    fn around(&self, _: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        let mut around = vec![tenant.to_owned(), "msp_1".to_owned()];
        around.dedup();
        Ok(around)
    }

    fn is_active(&self, _: &mut Conn, _: &str) -> Result<bool> {
        Ok(true)
    }
}

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(kb::domain(), kb::extras(Arc::new(Ann)), |db| {
        kb::demo::fill(db, &TenantId::client(1), &[ID.to_owned()], api::clock::now())?;
        Ok(())
    })
}
