//! Bindings of the issuer's accounts to users.

use base::{tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::{Entity, Tx};
use serde::Serialize;

use super::rules::{self, Account};
use crate::{
    mailbox::Mailbox,
    schema::{user_identities, users},
    users as people,
};

/// How many people with similar addresses are compared. With more, nobody is found.
const MOST: usize = 1_000;

/// An account of an issuer, and the user that it is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = user_identities, treat_none_as_default_value = false)]
pub(super) struct Row {
    pub(super) tenant_id: String,
    pub(super) issuer: String,
    pub(super) subject: String,
    pub(super) user_id: String,
    pub(super) created_ms: i64,
}

/// A binding in the audit log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IdentityRecord<'r> {
    issuer: &'r str,
    subject: &'r str,
}

/// The person whom this account is bound to, or is to be bound to: a tenant, a user, and whether it is new.
pub(super) fn find(
    conn: &mut Conn,
    (issuer, account): (&str, &Account),
    tenant: Option<&TenantId>,
    by_email: bool,
) -> Result<(String, String, bool)> {
    let bound: Option<Row> = user_identities::table
        .filter(user_identities::issuer.eq(issuer))
        .filter(user_identities::subject.eq(&account.subject))
        .get_result(conn)
        .optional()?;
    if let Some(row) = bound {
        let elsewhere = tenant.is_some_and(|tenant| tenant.as_str() != row.tenant_id);
        return if elsewhere { Err(rules::no_user().into()) } else { Ok((row.tenant_id, row.user_id, false)) };
    }
    let email = account.verified_email.as_ref().filter(|_| by_email).ok_or_else(rules::no_user)?;
    let mailbox = Mailbox::parse(email).ok_or_else(rules::no_user)?;
    let alike = users::table.filter(users::email_fold.eq_any(mailbox.folds())).filter(users::activated.eq(true));
    let alike = alike.limit(i64::try_from(MOST).unwrap_or(i64::MAX));
    let mut rows: Vec<people::Row> = match tenant {
        Some(tenant) => alike.filter(users::tenant_id.eq(tenant.as_str())).load(conn)?,
        None => alike.load(conn)?,
    };
    if rows.len() >= MOST {
        return Err(rules::no_user().into());
    }
    // The index knows folded addresses, which several mailboxes may share.
    rows.retain(|row| row.email.as_deref().and_then(Mailbox::parse).as_ref() == Some(&mailbox));
    let mut found = Vec::new();
    for row in rows {
        let is_bound = is_bound(conn, &row.tenant_id, &row.id, issuer)?;
        found.push((row, is_bound));
    }
    let user = rules::single_match(found)?;
    Ok((user.tenant_id, user.id, true))
}

/// The accounts that are bound to a person.
pub(super) fn of_user(conn: &mut Conn, tenant: &str, user_id: &str) -> Result<Vec<Row>> {
    let bound = user_identities::table
        .filter(user_identities::tenant_id.eq(tenant))
        .filter(user_identities::user_id.eq(user_id));
    Ok(bound.order(user_identities::issuer).load(conn)?)
}

fn is_bound(conn: &mut Conn, tenant: &str, user_id: &str, issuer: &str) -> Result<bool> {
    Ok(of_user(conn, tenant, user_id)?.iter().any(|row| row.issuer == issuer))
}

/// Binds an account to a person, and notes it.
pub(super) fn bind(tx: &mut Tx<'_>, row: &Row) -> Result<()> {
    people::store::lock(&row.user_id).take(tx.conn)?;
    if is_bound(tx.conn, &row.tenant_id, &row.user_id, &row.issuer)? {
        return Err(rules::no_user().into());
    }
    diesel::insert_into(user_identities::table).values(row).execute(tx.conn)?;
    record_change(tx, row, true)
}

/// Parts an account from its person, and notes it.
pub(super) fn unbind(tx: &mut Tx<'_>, row: &Row) -> Result<()> {
    let this = user_identities::table.find((&row.tenant_id, &row.issuer, &row.subject));
    diesel::delete(this).execute(tx.conn)?;
    record_change(tx, row, false)
}

fn record_change(tx: &mut Tx<'_>, row: &Row, is_bound: bool) -> Result<()> {
    let record = IdentityRecord { issuer: &row.issuer, subject: &row.subject };
    let entity = Entity::audited("UserIdentity", &row.tenant_id, &row.user_id);
    tx.record_view(entity, Some(&record).filter(|_| !is_bound), Some(&record).filter(|_| is_bound))
}

/// Gives a person the role that the issuer says, and notes it.
pub(super) fn promote(tx: &mut Tx<'_>, tenant: &str, user_id: &str, role: api::Role, now: Timestamp) -> Result<()> {
    people::store::lock(user_id).take(tx.conn)?;
    let home = TenantId::parse(tenant).ok_or_else(|| db::Error::Fault(format!("tenant {tenant}")))?;
    let before = people::store::find_at(tx.conn, &home, user_id)?.ok_or_else(people::rules::unknown)?;
    let change = people::wire::UserChange { role: Some(role), ..people::wire::UserChange::default() };
    let after = people::rules::changed(&before, change, now);
    if after != before {
        people::store::update(tx.conn, &before, &after)?;
        tx.record_change(Some(&before), Some(&after))?;
    }
    Ok(())
}
