//! Reporters: API keys and inbound addresses that can only report alerts, for example for an integration.

use std::collections::HashSet;

use api::{Caller, Role};
use base::{problem::Problem, secret::Secret, tenant::TenantId};
use db::Conn;
use outbox::Tx;

use crate::{
    api_keys::{
        self,
        store::{self as keys, NewKey},
    },
    inbound, secrets,
};

/// May this caller let somebody report? One that is restricted to certain operations only when it may do so itself.
///
/// # Errors
/// 403.
pub fn check(caller: &Caller) -> Result<(), Problem> {
    api_keys::rules::check_lets_report(caller)
}

/// A new API key of this name that reports alerts at a tenant: its id, key and secret.
///
/// # Errors
/// 409 when a live key has the name, or the tenant has as many as it may have.
pub fn by_key(tx: &mut Tx<'_>, tenant: &str, name: &str, author: &str) -> db::Result<(String, String, Secret<String>)> {
    let (new, secret) = NewKey::random(name.to_owned(), Role::Operator)?;
    let new = NewKey { operations: Some(api_keys::rules::REPORTS.map(str::to_owned).to_vec()), ..new };
    let row = keys::insert(tx.conn, &id_of(tenant)?, &new, Some(author), tx.now)?;
    secrets::record_change(tx, None, Some(&row))?;
    Ok((row.id, new.key, secret))
}

/// A new inbound address of this name: its id and token.
///
/// # Errors
/// 409 when an address has the name, or the tenant has as many as it may have.
pub fn by_address(tx: &mut Tx<'_>, tenant: &str, name: &str, author: &str) -> db::Result<(String, Secret<String>)> {
    let token = secrets::random()?;
    let row = inbound::store::insert(tx.conn, &id_of(tenant)?, name, &token, author, tx.now)?;
    secrets::record_change(tx, None, Some(&row))?;
    Ok((row.id, token))
}

/// Those of these keys and addresses of some tenants that have not ended.
pub fn live(conn: &mut Conn, tenants: &[&str], ids: &[&str]) -> db::Result<HashSet<String>> {
    let mut live: HashSet<String> = keys::live_among(conn, tenants, ids)?.into_iter().collect();
    live.extend(inbound::store::among(conn, tenants, ids)?);
    Ok(live)
}

/// Ends a key or an address of a tenant; no error if it is gone already.
pub fn end(tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()> {
    let tenant = id_of(tenant)?;
    let ended = if api_keys::rules::is_id(id) {
        keys::revoke(tx.conn, &tenant, id, tx.now).and_then(|row| secrets::record_change(tx, Some(&row), None))
    } else {
        inbound::store::remove(tx.conn, &tenant, id).and_then(|row| secrets::record_change(tx, Some(&row), None))
    };
    match ended {
        Err(db::Error::Problem(problem)) if problem.kind == base::problem::Kind::NotFound => Ok(()),
        other => other,
    }
}

fn id_of(tenant: &str) -> db::Result<TenantId> {
    Ok(TenantId::parse(tenant).ok_or_else(|| Problem::not_found("The tenant was not found."))?)
}
