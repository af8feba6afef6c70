//! Users: deactivate, activate.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, Result, post};
use base::problem::Problem;
use outbox::Tx;

use crate::{
    Authenticator, api_keys, inbound, sessions,
    users::{
        http::change,
        row::Row,
        rules,
        wire::{User, UserId},
    },
};

/// Deactivate a user
///
/// The user stays listed wherever it is named, in groups and rosters too, but counts there as deactivated. API keys
/// that act as this person are revoked for good, and its sessions end: at once on the gateway that answers, within a
/// second on others. Deactivating a deactivated user changes nothing. The user of a program is in use until its API
/// key is revoked or over, or its inbound address is deleted.
#[utoipa::path(
    operation_id = "deactivateUser",
    params(UserId),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 409, description = "An API key or an inbound address acts as this user"),
        (status = 412, description = "The user has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/deactivate")]
pub(crate) async fn deactivate_user(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    change(&context, id, &authenticator, |tx, row, _| deactivated(tx, row)).await
}

/// A user who is not in use any more, and whose API keys and sessions have ended.
///
/// # Errors
/// 409 while a program acts as this user.
pub(crate) fn deactivated(tx: &mut Tx<'_>, row: &Row) -> db::Result<Row> {
    if let Some(key) = api_keys::store::name_of_program(tx.conn, &row.tenant_id, &row.id, tx.now)? {
        let detail = format!("The API key {key} acts as this user: revoke the key first.");
        return Err(Problem::conflict(detail).into());
    }
    if let Some(address) = inbound::store::name_of_program(tx.conn, &row.tenant_id, &row.id)? {
        let detail = format!("The inbound address {address} acts as this user: delete the address first.");
        return Err(Problem::conflict(detail).into());
    }
    let now = tx.now;
    api_keys::http::revoke_personal(tx, &row.tenant_id, &row.id, now)?;
    sessions::redeem::end_all(tx, &row.tenant_id, &row.id, now)?;
    Ok(rules::activated(row, false, now))
}

/// Activate a user
///
/// Reactivates a deactivated user; API keys that ended with it stay revoked. Activating an active user changes nothing.
/// A key that is restricted to certain operations activates users with the role `viewer` only.
#[utoipa::path(
    operation_id = "activateUser",
    params(UserId),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 412, description = "The user has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/activate")]
pub(crate) async fn activate_user(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let caller = Arc::clone(&context.caller);
    change(&context, id, &authenticator, move |_, row, now| Ok(rules::activated_by(&caller, row, now)?)).await
}
