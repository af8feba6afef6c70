//! API keys: create, list, get, rotate, revoke.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, Caller, OptionalBody, PathIds, RequestContext, Result, answer, delete, get, post, stream};
use base::{problem::FieldErrors, secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::Conn;
use outbox::Tx;

use super::{
    rules,
    store::{self, NewKey},
    wire::{ApiKey, ApiKeyId, ApiKeyRotation, CreatedApiKey, NewApiKey},
};
use crate::{Authenticator, callers, secrets, users};

/// Create an API key
///
/// Makes a key of the tenant of the path, and the user that it acts as; with `userId` it acts as that person. The
/// answer is the only time that the secret is shown. With `operations` the key may call those and nothing else. A
/// caller who is restricted itself makes keys for its own operations only, which act as nobody else and end no later
/// than it does.
#[utoipa::path(
    operation_id = "createApiKey",
    request_body = NewApiKey,
    responses(
        (status = 200, description = "The new key, with its secret", body = CreatedApiKey,
            headers(("ETag" = String, description = "The version of the record, for `If-Match`"))),
        (status = 409, description = "Another live key of the tenant has this name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/apiKeys")]
pub(crate) async fn create_api_key(
    context: RequestContext,
    Body((given, wrong)): Body<(NewApiKey, FieldErrors)>,
) -> Result<HttpResponse> {
    given.check(wrong, context.operations()?, context.now)?;
    let NewApiKey { name, role, operations, expires_at, user_id } = given;
    let operations = operations.map(callers::sort_operations);
    rules::check_within(context.caller.operations.as_deref(), operations.as_deref())?;
    rules::check_names(&context.caller, user_id.as_deref())?;
    rules::check_end(&context.caller, expires_at)?;
    let (new, secret) = NewKey::random(name, role)?;
    let new = NewKey { operations, expires: expires_at, person: user_id, ..new };
    context
        .write(move |tx, scope| {
            check_ends_with_caller(tx.conn, &scope.caller, new.person.as_deref())?;
            let row = store::insert(tx.conn, &scope.tenant.id, &new, Some(scope.author()), tx.now)?;
            answered(tx, None, row, secret)
        })
        .await
}

/// May this caller hand out a secret of a key that acts as this person, `None` for a program's? A person's key that is
/// restricted to certain operations ends with the person, and so does what it hands out.
fn check_ends_with_caller(conn: &mut Conn, caller: &Caller, person: Option<&str>) -> db::Result<()> {
    if caller.operations.is_none() || person.is_some() {
        return Ok(());
    }
    match users::store::find_at(conn, &caller.home, &caller.user_id)? {
        Some(user) if user.is_program() => Ok(()),
        _ => Err(rules::outlives_person().into()),
    }
}

/// Records that a key is new or has another secret, and answers it with that.
fn answered(
    tx: &mut Tx<'_>,
    before: Option<&store::Row>,
    after: store::Row,
    secret: Secret<String>,
) -> db::Result<Answer> {
    secrets::record_change(tx, before, Some(&after))?;
    let version = after.version;
    Ok(Answer::once(&CreatedApiKey::new(&after, secret), &ApiKey::from(&after))?.of_version(version))
}

/// List API keys
///
/// The live keys of the tenant of the path, oldest first, without their secrets; not those of a partner's clients.
#[utoipa::path(
    operation_id = "listApiKeys",
    responses((status = 200, description = "The keys", body = Vec<ApiKey>)),
    security(("bearer" = ["admin"])),
)]
#[get("/apiKeys")]
pub(crate) async fn list_api_keys(context: RequestContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.clone();
    stream::array(&context, move |conn, rows| store::each(conn, &tenant, |row| rows.push_json(&ApiKey::from(&row))))
        .await
}

/// Get an API key
///
/// A live key of the tenant of the path, without its secrets.
#[utoipa::path(
    operation_id = "getApiKey",
    params(ApiKeyId),
    responses((status = 200, description = "The key", body = ApiKey)),
    security(("bearer" = ["admin"])),
)]
#[get("/apiKeys/{apiKeyId}")]
pub(crate) async fn get_api_key(context: RequestContext, PathIds(id): PathIds<ApiKeyId>) -> Result<HttpResponse> {
    let tenant = context.tenant.id.clone();
    let row = context.db.point(move |conn| store::find(conn, &tenant, &id)).await?;
    let version = row.version;
    // When it was used last changes without a version.
    answer::tagged(&ApiKey::from(&row), version)
}

/// Rotate an API key
///
/// Gives the key a new secret, which only this answer shows. The secret before stays valid, so that the key's users can
/// change over one by one, until the key is rotated again: a key has two live secrets at most. `revokePrevious` drops
/// it at once, as when it has leaked. The tokens that were got with a dropped secret die with it: at once on the
/// gateway that answers, within a second on others. A caller who is restricted to certain operations rotates only
/// keys that may do no more than it may, for no longer, and that act as no other person.
#[utoipa::path(
    operation_id = "rotateApiKey",
    params(ApiKeyId),
    request_body(content = Option<ApiKeyRotation>, description = "May be left out"),
    responses(
        (status = 200, description = "The key, with its new secret", body = CreatedApiKey,
            headers(("ETag" = String, description = "The version of the record, for `If-Match`"))),
        (status = 412, description = "It has been rotated since"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/apiKeys/{apiKeyId}/rotate")]
pub(crate) async fn rotate_api_key(
    context: RequestContext,
    PathIds(id): PathIds<ApiKeyId>,
    OptionalBody(ApiKeyRotation { revoke_previous }): OptionalBody<ApiKeyRotation>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let secret = secrets::random()?;
    let done = context.write(move |tx, scope| {
        let key = store::lock_for_update(tx.conn, scope, &id)?;
        rules::check_within(scope.caller.operations.as_deref(), key.narrowed().as_deref())?;
        rules::check_names(&scope.caller, key.person())?;
        check_ends_with_caller(tx.conn, &scope.caller, key.person())?;
        rules::check_end(&scope.caller, key.expires_ms.map(Timestamp::from_millis))?;
        let rotated = store::rotate(tx.conn, &scope.tenant.id, &id, &secret, revoke_previous, tx.now)?;
        answered(tx, Some(&rotated.before), rotated.after, secret)
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}

/// Revoke an API key
///
/// Its tokens die with it: at once on the gateway that answers, within a second on others. A caller may revoke its
/// own key. The last admin key of a partner cannot be revoked: nobody could make another.
#[utoipa::path(
    operation_id = "revokeApiKey",
    params(ApiKeyId),
    responses(
        (status = 200, description = "An empty object", body = Object, example = json!({})),
        (status = 409, description = "It is the last admin key of the partner"),
        (status = 412, description = "It has been rotated since"),
    ),
    security(("bearer" = ["admin"])),
)]
#[delete("/apiKeys/{apiKeyId}")]
pub(crate) async fn revoke_api_key(
    context: RequestContext,
    PathIds(id): PathIds<ApiKeyId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let done = context.write(move |tx, scope| {
        store::lock_for_update(tx.conn, scope, &id)?;
        let row = store::revoke(tx.conn, &scope.tenant.id, &id, tx.now)?;
        secrets::record_change(tx, Some(&row), None)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}

/// Revokes all live keys of a client, and notes it of each.
pub(crate) fn revoke_all(tx: &mut Tx<'_>, client: &str, now: Timestamp) -> db::Result<()> {
    let Some(client) = TenantId::parse(client) else { return Ok(()) };
    let mut ids = Vec::new();
    store::each(tx.conn, &client, |key| {
        ids.push(key.id);
        Ok(())
    })?;
    for id in ids {
        let row = store::revoke(tx.conn, &client, &id, now)?;
        secrets::record_change(tx, Some(&row), None)?;
    }
    Ok(())
}

/// Revokes the live keys that act as a person, and notes it of each.
pub(crate) fn revoke_personal(tx: &mut Tx<'_>, tenant: &str, user_id: &str, now: Timestamp) -> db::Result<()> {
    let Some(tenant) = TenantId::parse(tenant) else { return Ok(()) };
    for id in store::personal(tx.conn, &tenant, user_id)? {
        let row = store::revoke(tx.conn, &tenant, &id, now)?;
        secrets::record_change(tx, Some(&row), None)?;
    }
    Ok(())
}
