//! Who has an address, and until when it gets no further mail.

use base::{hex, tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::Retention;

use super::rules::Recipient;
use crate::{
    mailbox::Mailbox,
    schema::{sign_in_mails, tenants, users},
    secrets, sessions, users as people,
};

/// How many users with similar addresses are compared.
const MOST: i64 = 1_000;

/// Pauses that have ended are forgotten.
pub(crate) const RETENTION: Retention = Retention::of("sign_in_mails", "until_ms", 60_000);

/// The pause of an address, as a tenant has it.
#[derive(Clone, Debug, PartialEq, Eq, Insertable)]
#[diesel(table_name = sign_in_mails, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    id: String,
    until_ms: i64,
}

/// The id of a mailbox, the same for each of its spellings.
pub(super) fn id_of(mailbox: &Mailbox) -> String {
    hex(&secrets::hash(&mailbox.to_string()))
}

/// The people of all tenants who have this address and may sign in, oldest first.
pub(super) fn recipients(conn: &mut Conn, mailbox: &Mailbox) -> Result<Vec<Recipient>> {
    let rows: Vec<(people::Row, String)> = users::table
        .inner_join(tenants::table.on(tenants::id.eq(users::tenant_id)))
        .filter(users::email_fold.eq_any(mailbox.folds()))
        .filter(users::activated.eq(true))
        .filter(tenants::suspended.eq(false))
        .filter(tenants::terminated.eq(false))
        .order((users::created_ms, users::id))
        .limit(MOST)
        .select((users::all_columns, tenants::name))
        .load(conn)?;
    Ok(rows.into_iter().filter_map(|(user, tenant_name)| recipient(user, tenant_name, mailbox)).collect())
}

/// A user as the recipient of a mail; `None` for one who has another address, or may not sign in.
fn recipient(user: people::Row, tenant_name: String, mailbox: &Mailbox) -> Option<Recipient> {
    sessions::rules::check_person(&user).ok()?;
    // The index knows folded addresses, which several mailboxes may share.
    let email = user.email.filter(|email| Mailbox::parse(email).as_ref() == Some(mailbox))?;
    Some(Recipient { tenant_id: user.tenant_id, tenant_name, user_id: user.id, login_name: user.login_name, email })
}

/// Is this user as it was when it was chosen? Nobody changes it until the transaction ends.
pub(super) fn is_unchanged(conn: &mut Conn, user: &Recipient, mailbox: &Mailbox) -> Result<bool> {
    let home =
        TenantId::parse(&user.tenant_id).ok_or_else(|| db::Error::Fault(format!("tenant {}", user.tenant_id)))?;
    people::store::lock(&user.user_id).take(conn)?;
    let found = people::store::find_at(conn, &home, &user.user_id)?;
    Ok(found.and_then(|row| recipient(row, user.tenant_name.clone(), mailbox)).as_ref() == Some(user))
}

/// Begins a pause of an address at these tenants; `false` when there is one already. Of two gateways one gets `true`.
pub(super) fn begin_pause(
    conn: &mut Conn,
    id: &str,
    tenants: &[String],
    now: Timestamp,
    until_ms: i64,
) -> Result<bool> {
    db::Lock::of("sign-in mail", id).take(conn)?;
    let running =
        sign_in_mails::table.filter(sign_in_mails::id.eq(id)).filter(sign_in_mails::until_ms.gt(now.millis()));
    let running: i64 = running.count().get_result(conn)?;
    if running > 0 {
        return Ok(false);
    }
    for tenant in tenants {
        diesel::delete(sign_in_mails::table.find((tenant, id))).execute(conn)?;
        let row = Row { tenant_id: tenant.clone(), id: id.to_owned(), until_ms };
        diesel::insert_into(sign_in_mails::table).values(&row).execute(conn)?;
    }
    Ok(true)
}

/// Makes the pause of an address at these tenants last until then.
pub(super) fn extend_pause(conn: &mut Conn, id: &str, tenants: &[String], until_ms: i64) -> Result<()> {
    for tenant in tenants {
        diesel::update(sign_in_mails::table.find((tenant, id)))
            .set(sign_in_mails::until_ms.eq(until_ms))
            .execute(conn)?;
    }
    Ok(())
}
