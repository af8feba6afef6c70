//! Accounts of issuers that people sign in with: one's own, and for an admin those of the tenant's people.

use actix_web::{HttpResponse, web};
use api::{Answer, HomeContext, PathIds, RequestContext, Result, answer, delete, get};
use base::timestamp::Timestamp;
use outbox::Tx;
use serde::Serialize;
use utoipa::ToSchema;

use super::people::{self, Row};
use crate::{
    Authenticator, filters,
    sessions::{self, rules::Method},
    users::{self, wire::UserId},
};

/// An account of an issuer that is bound to a person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "issuer": "https://login.example", "subject": "248289761001", "createdDate": "2026-11-20T20:37:00+0000"
}))]
pub(crate) struct UserIdentity {
    /// The issuer, as it calls itself.
    pub(crate) issuer: String,
    /// The permanent id of the account at the issuer.
    pub(crate) subject: String,
    /// When it was bound.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
}

impl From<Row> for UserIdentity {
    fn from(row: Row) -> Self {
        let created_date = Timestamp::from_millis(row.created_ms);
        Self { issuer: row.issuer, subject: row.subject, created_date }
    }
}

/// List my accounts at issuers
///
/// With which one signs in by OpenID Connect, as the user that the caller acts as.
#[utoipa::path(
    operation_id = "listMyIdentities",
    responses((status = 200, description = "The accounts, one for each issuer", body = Vec<UserIdentity>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/api/v2/me/identities")]
pub(crate) async fn list_my_identities(HomeContext(context): HomeContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.to_string();
    let user = context.caller.user_id.clone();
    let rows = context.db.read(move |conn| people::of_user(conn, &tenant, &user)).await?;
    answer::ok(&rows.into_iter().map(UserIdentity::from).collect::<Vec<_>>())
}

/// Part from my accounts at issuers
///
/// No account signs in as the caller's user any more, and sessions that began so end, the one that asks among them.
/// Where people are bound by their addresses, the next one who signs in with a verified address of that user is bound
/// anew.
#[utoipa::path(
    operation_id = "deleteMyIdentities",
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["viewer"])),
)]
#[delete("/api/v2/me/identities")]
pub(crate) async fn delete_my_identities(
    HomeContext(context): HomeContext,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let tenant = context.tenant.id.to_string();
    let user = context.caller.user_id.clone();
    let now = context.now;
    let done = context.write(move |tx, _| {
        unbind(tx, &tenant, &user, now)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}

/// List the accounts of a user at issuers
///
/// With which the user signs in by OpenID Connect. A client does not see those of its partner's users.
#[utoipa::path(
    operation_id = "listUserIdentities",
    params(UserId),
    responses((status = 200, description = "The accounts, one for each issuer", body = Vec<UserIdentity>)),
    security(("bearer" = ["admin"])),
)]
#[get("/users/{userId}/identities")]
pub(crate) async fn list_user_identities(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
) -> Result<HttpResponse> {
    let here = filters::writable("users.tenant_id", &context.tenant);
    let rows = context.db.read(move |conn| {
        let user = users::store::find(conn, here, &id)?;
        people::of_user(conn, &user.tenant_id, &user.id)
    });
    answer::ok(&rows.await?.into_iter().map(UserIdentity::from).collect::<Vec<_>>())
}

/// Part a user from its accounts at issuers
///
/// As when somebody was bound to an account of somebody else: no account signs in as the user any more, and sessions
/// that began so end, at once on the gateway that answers, within five seconds on others. Where people are bound by
/// their addresses, the next one who signs in with a verified address of the user is bound anew: change the address
/// first, if need be.
#[utoipa::path(
    operation_id = "deleteUserIdentities",
    params(UserId),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/users/{userId}/identities")]
pub(crate) async fn delete_user_identities(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let here = filters::writable("users.tenant_id", &context.tenant);
    let now = context.now;
    let done = context.write(move |tx, _| {
        let user = users::store::find(tx.conn, here, &id)?;
        unbind(tx, &user.tenant_id, &user.id, now)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}

/// Removes the bindings of a user, and ends the sessions that began by them.
fn unbind(tx: &mut Tx<'_>, tenant: &str, user_id: &str, now: Timestamp) -> db::Result<()> {
    users::store::lock(user_id).take(tx.conn)?;
    for row in people::of_user(tx.conn, tenant, user_id)? {
        people::unbind(tx, &row)?;
    }
    for session in sessions::store::of_user(tx.conn, tenant, user_id, now)? {
        if session.method == Method::Oidc.as_str() {
            sessions::redeem::end(tx, &session)?;
        }
    }
    Ok(())
}
