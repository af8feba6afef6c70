//! Some people for `--demo`.

use api::Role;
use base::{tenant::TenantId, timestamp::Timestamp};
use db::Db;
use diesel::prelude::*;
use outbox::{Actor, Tx};

use crate::{
    schema,
    users::{self, wire::NewUser},
};

/// First name, last name, telephone.
const PEOPLE: [(&str, &str, &str); 6] = [
    ("Anna", "Huber", "+43 1 5550 101"),
    ("Jakob", "Maier", "+43 1 5550 102"),
    ("Grace", "Miller", "+1 512 555 0103"),
    ("Luis", "Ortega", "+1 512 555 0104"),
    ("Mei", "Tan", "+65 5550 0105"),
    ("Arjun", "Nair", "+65 5550 0106"),
];

/// Adds them to a tenant and answers their ids; none when the tenant has people already.
pub fn fill(db: &Db, tenant: &TenantId, now: Timestamp) -> db::Result<Vec<String>> {
    let tenant = tenant.clone();
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| {
        Tx::run(conn, &actor, now, |tx| {
            use schema::users::dsl;
            let known = dsl::users.filter(dsl::tenant_id.eq(tenant.as_str())).select(dsl::id);
            if known.first::<String>(tx.conn).optional()?.is_some() {
                return Ok(Vec::new());
            }
            let add = |(first, last, number): &(&str, &str, &str)| {
                let login = format!("{first}.{last}").to_lowercase();
                let new = NewUser {
                    email: Some(format!("{login}@example.com")),
                    mobile_number: Some((*number).to_owned()),
                    ..NewUser::named(login, first, last, Role::Operator)
                };
                Ok(users::store::insert(tx.conn, &tenant, new, now)?.id)
            };
            PEOPLE.iter().map(add).collect()
        })
    })
}
