//! People, and how they sign in, by hand.

use api::{Role, clock};
use base::{body::Request as _, problem::Problem, secret::Secret, tenant::TenantId};
use db::Db;

use super::{existing, write};
use crate::{
    secrets, sessions,
    users::{self, wire::NewUser},
};

/// Makes a user of a tenant; answers its id.
pub fn create_user(db: &Db, tenant: &TenantId, login: &str, role: Role) -> anyhow::Result<String> {
    let body = serde_json::json!({"loginName": login, "role": role.as_str()});
    let new = NewUser::parse(&body).map_err(|problem| super::into_anyhow(problem.into()))?;
    let tenant = tenant.clone();
    let now = clock::now();
    write(db, "muster user create", now, move |tx| {
        existing(tx.conn, &tenant)?;
        let row = users::store::insert(tx.conn, &tenant, new, now)?;
        tx.record_change(None, Some(&row))?;
        Ok(row.id)
    })
}

/// Makes a link that signs in the user with this login name, and answers its code: here and never again.
pub fn sign_in_code(db: &Db, tenant: Option<&TenantId>, login: &str) -> anyhow::Result<Secret<String>> {
    let code = secrets::random()?;
    let tenant = tenant.cloned();
    let login = login.to_owned();
    let made = code.clone();
    let now = clock::now();
    write(db, "muster user sign-in", now, move |tx| {
        if let Some(tenant) = &tenant {
            existing(tx.conn, tenant)?;
        }
        let mut found = users::store::named(tx.conn, tenant.as_ref(), &login)?;
        if found.len() > 1 {
            let tenants: Vec<&str> = found.iter().map(|user| user.tenant_id.as_str()).collect();
            let detail = format!("Several tenants have a user {login}: say --tenant, one of {}.", tenants.join(", "));
            return Err(Problem::conflict(detail).into());
        }
        let unknown = || Problem::not_found(format!("There is no user {login}: `muster user create` makes one."));
        let user = found.pop().ok_or_else(unknown)?;
        users::store::lock(&user.id).take(tx.conn)?;
        sessions::rules::check_person(&user)?;
        sessions::http::new_link(tx, (&user.tenant_id, &user.id), &made, "", now)?;
        Ok(())
    })?;
    Ok(code)
}
