//! Sessions and sign-in links: one's own, and for an admin those of the tenant's people.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{Answer, HomeContext, PathIds, RequestContext, Result, answer, delete, get, post};
use base::{secret::Secret, timestamp::Timestamp};
use outbox::Tx;

use super::{
    links,
    redeem::{end, end_all},
    rules, store,
    wire::{Session, SessionId, SignInLink, SignInLinkReplay},
};
use crate::{
    Authenticator, filters, secrets,
    users::{self, wire::UserId},
};

/// List my sessions
///
/// The sessions of the user that the caller acts as, newest first; `current` is the one that asks.
#[utoipa::path(
    operation_id = "listMySessions",
    responses((status = 200, description = "The sessions, at most 20", body = Vec<Session>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/api/v2/me/sessions")]
pub(crate) async fn list_my_sessions(HomeContext(context): HomeContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.to_string();
    let user = context.caller.user_id.clone();
    let now = context.now;
    let rows = context.db.read(move |conn| store::of_user(conn, &tenant, &user, now)).await?;
    let mut sessions: Vec<Session> = rows.into_iter().map(Session::from).collect();
    for session in &mut sessions {
        session.current = context.caller.session() == Some(&session.id);
    }
    answer::ok(&sessions)
}

/// End one of my sessions
///
/// It ends at once on the gateway that answers, within a second on others.
#[utoipa::path(
    operation_id = "endMySession",
    params(SessionId),
    responses(
        (status = 200, description = "An empty object", body = Object, example = json!({})),
        (status = 404, description = "The caller's user has no such session"),
    ),
    security(("bearer" = ["viewer"])),
)]
#[delete("/api/v2/me/sessions/{sessionId}")]
pub(crate) async fn end_my_session(
    HomeContext(context): HomeContext,
    path: web::Path<String>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let id = path.into_inner();
    let now = context.now;
    let tenant = context.tenant.id.to_string();
    let user = context.caller.user_id.clone();
    ended(&context, &authenticator, move |tx| end_one(tx, (&tenant, &user), &id, now)).await
}

/// List the sessions of a user
///
/// Newest first. A client does not see those of its partner's users.
#[utoipa::path(
    operation_id = "listUserSessions",
    params(UserId),
    responses((status = 200, description = "The sessions, at most 20", body = Vec<Session>)),
    security(("bearer" = ["admin"])),
)]
#[get("/users/{userId}/sessions")]
pub(crate) async fn list_user_sessions(context: RequestContext, PathIds(id): PathIds<UserId>) -> Result<HttpResponse> {
    let now = context.now;
    let here = filters::writable("users.tenant_id", &context.tenant);
    let rows = context.db.read(move |conn| {
        let user = users::store::find(conn, here, &id)?;
        store::of_user(conn, &user.tenant_id, &user.id, now)
    });
    answer::ok(&rows.await?.into_iter().map(Session::from).collect::<Vec<_>>())
}

/// End the sessions of a user
///
/// Ends all of them, and revokes sign-in links that were not used yet: at once on the gateway that answers, within a
/// second on others.
#[utoipa::path(
    operation_id = "endUserSessions",
    params(UserId),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/users/{userId}/sessions")]
pub(crate) async fn end_user_sessions(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let now = context.now;
    let here = filters::writable("users.tenant_id", &context.tenant);
    ended(&context, &authenticator, move |tx| {
        let user = users::store::find(tx.conn, here, &id)?;
        end_all(tx, &user.tenant_id, &user.id, now)
    })
    .await
}

/// End a session of a user
///
/// It ends at once on the gateway that answers, within a second on others.
#[utoipa::path(
    operation_id = "endUserSession",
    params(UserId, SessionId),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/users/{userId}/sessions/{sessionId}")]
pub(crate) async fn end_user_session(
    context: RequestContext,
    PathIds((user, session)): PathIds<(UserId, SessionId)>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let now = context.now;
    let here = filters::writable("users.tenant_id", &context.tenant);
    ended(&context, &authenticator, move |tx| {
        let user = users::store::find(tx.conn, here, &user)?;
        end_one(tx, (&user.tenant_id, &user.id), &session, now)
    })
    .await
}

/// Make a sign-in link
///
/// The person who opens the link and presses the button there is signed in as this user: once, within ten minutes. Give
/// it to that user only; this answer is the only time that it is shown. A user has at most five links; another one ends
/// the oldest. A key that is restricted to certain operations cannot make links.
#[utoipa::path(
    operation_id = "createSignInLink",
    params(UserId),
    responses(
        (status = 200, description = "The link", body = SignInLink),
        (status = 409, description = "The user is deactivated, or belongs to a program"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/signInLink")]
pub(crate) async fn create_sign_in_link(context: RequestContext, PathIds(id): PathIds<UserId>) -> Result<HttpResponse> {
    let here = filters::writable("users.tenant_id", &context.tenant);
    let code = secrets::random()?;
    let origin = api::session::origin(context.request());
    let caller = Arc::clone(&context.caller);
    let now = context.now;
    context
        .write(move |tx, _| {
            users::store::lock(&id).take(tx.conn)?;
            let user = users::store::find(tx.conn, here, &id)?;
            rules::check_maker(&caller, &user)?;
            rules::check_person(&user)?;
            let made = (user.tenant_id.as_str(), user.id.as_str());
            let link = new_link(tx, made, &code, &caller.user_id, now)?;
            let url = rules::url(&origin, &code).into_inner();
            let expires = Timestamp::from_millis(link.expires_ms);
            Answer::once(&SignInLink { url, expires }, &SignInLinkReplay { expires })
        })
        .await
}

/// Makes a link of a user, and notes it.
pub(crate) fn new_link(
    tx: &mut Tx<'_>,
    of: (&str, &str),
    code: &Secret<String>,
    created_by: &str,
    now: Timestamp,
) -> db::Result<links::Row> {
    let (link, ended) = links::insert(tx.conn, of, code, created_by, now)?;
    secrets::record_change(tx, None, Some(&link))?;
    ended.iter().try_for_each(|old| secrets::record_change(tx, Some(old), None))?;
    Ok(link)
}

fn end_one(tx: &mut Tx<'_>, (tenant, user): (&str, &str), id: &str, now: Timestamp) -> db::Result<()> {
    let found = if rules::is_id(id) { store::of_user(tx.conn, tenant, user, now)? } else { Vec::new() };
    let session = found.into_iter().find(|session| session.id == id).ok_or_else(rules::unknown)?;
    end(tx, &session)
}

async fn ended(
    context: &RequestContext,
    authenticator: &Authenticator,
    work: impl FnOnce(&mut Tx<'_>) -> db::Result<()> + Send + 'static,
) -> Result<HttpResponse> {
    let done = context.write(move |tx, _| {
        work(tx)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}
