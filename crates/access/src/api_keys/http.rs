//! API keys: create, list, get, rotate, revoke.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, OptionalBody, RequestContext, Result, answer, delete, get, post, stream};
use base::{tenant::TenantId, timestamp::Timestamp};
use outbox::{Entity, Tx, Unpublished};

use super::{
    rules,
    store::{self, NewKey},
    wire::{ApiKey, ApiKeyRotation, CreatedApiKey, NewApiKey},
};
use crate::{Keeper, secrets};

/// Create an API key
///
/// Makes a key of the tenant of the path, and the user that it acts as; with `userId` it acts as that person. The answer is
/// the only time that the secret is shown. With `operations` the key may call those and nothing else. A caller who is restricted itself makes keys for its
/// own operations only.
#[utoipa::path(
    tag = "API keys",
    operation_id = "createApiKey",
    request_body = NewApiKey,
    responses(
        (status = 200, description = "The new key, with its secret", body = CreatedApiKey),
        (status = 409, description = "Another live key of the tenant has this name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/apiKeys")]
pub(crate) async fn create_api_key(context: RequestContext, body: Body) -> Result<HttpResponse> {
    let NewApiKey { name, role, operations, expires_at, user_id } =
        NewApiKey::read(&body.0, context.operations()?, context.now)?;
    rules::check_within(context.caller.operations.as_deref(), operations.as_deref())?;
    rules::check_names(&context.caller, user_id.as_deref())?;
    let (new, secret) = NewKey::random(name, role)?;
    let new = NewKey { operations, expires: expires_at, person: user_id, ..new };
    let (tenant, author, now) = (context.tenant.id.clone(), context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let row = store::insert(tx.conn, &tenant, &new, Some(&author), now)?;
            record_change(tx, None, Some(&row))?;
            let version = row.version;
            Ok(Answer::once(&CreatedApiKey::new(row.clone(), secret), &ApiKey::from(row))?.of_version(version))
        })
        .await
}

/// Records that a key changed: it is new, gone, or has another secret.
pub(crate) fn record_change(
    tx: &mut Tx<'_>,
    before: Option<&store::Row>,
    after: Option<&store::Row>,
) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity::audited("ApiKey", &row.tenant_id, &row.id);
    let shown = |row: Option<&store::Row>| row.cloned().map(ApiKey::from);
    let secret = Unpublished::secret("secret", before.is_some(), after.is_some());
    tx.note_shown_with(entity, shown(before).as_ref(), shown(after).as_ref(), vec![secret])
}

/// List API keys
///
/// The live keys of the tenant of the path, oldest first, without their secrets; not those of a partner's clients.
#[utoipa::path(
    tag = "API keys",
    operation_id = "listApiKeys",
    responses((status = 200, description = "The keys", body = Vec<ApiKey>)),
    security(("bearer" = ["admin"])),
)]
#[get("/apiKeys")]
pub(crate) async fn list_api_keys(context: RequestContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.clone();
    stream::array(&context.db, move |conn, rows| {
        store::each(conn, &tenant, |row| {
            let key = ApiKey::from(row);
            let json = serde_json::to_vec(&key).map_err(|error| db::Error::Fault(error.to_string()))?;
            rows.push(|out| out.extend_from_slice(&json))
        })
    })
    .await
}

/// Get an API key
///
/// A live key of the tenant of the path, without its secrets.
#[utoipa::path(
    tag = "API keys",
    operation_id = "getApiKey",
    params(("apiKeyId" = String, Path, description = "`KEY-<uuid>`",
        example = "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The key", body = ApiKey)),
    security(("bearer" = ["admin"])),
)]
#[get("/apiKeys/{apiKeyId}")]
pub(crate) async fn get_api_key(context: RequestContext, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    let id = id_of(path)?;
    let tenant = context.tenant.id.clone();
    let row = context.db.point(move |conn| store::find(conn, &tenant, &id)).await?;
    let version = row.version;
    // When it was used last changes without a version.
    answer::tagged(&ApiKey::from(row), version)
}

/// Rotate an API key
///
/// Gives the key a new secret, which only this answer shows. The secret before stays valid, so that the key's users can
/// change over one by one, until the key is rotated again: a key has two live secrets at most. `revokePrevious` drops
/// it at once, as when it has leaked. The tokens that were got with a dropped secret die with it: at once on the gateway
/// that answers, within five seconds on others.
#[utoipa::path(
    tag = "API keys",
    operation_id = "rotateApiKey",
    params(("apiKeyId" = String, Path, description = "`KEY-<uuid>`",
        example = "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<ApiKeyRotation>, description = "May be left out"),
    responses(
        (status = 200, description = "The key, with its new secret", body = CreatedApiKey),
        (status = 412, description = "It has been rotated since"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/apiKeys/{apiKeyId}/rotate")]
pub(crate) async fn rotate_api_key(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: OptionalBody,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let id = id_of(path)?;
    let ApiKeyRotation { revoke_previous } = ApiKeyRotation::read(&body.0)?;
    let secret = secrets::random()?;
    let (tenant, now, new, wanted) = (context.tenant.id.clone(), context.now, secret.clone(), context.if_match()?);
    let caller = Arc::clone(&context.caller);
    let done = context.write(move |tx, _| {
        store::lock_for_update(tx.conn, &tenant, &id, wanted)?;
        let narrowed = store::find(tx.conn, &tenant, &id)?.narrowed();
        rules::check_within(caller.operations.as_deref(), narrowed.as_deref())?;
        let key = store::rotate(tx.conn, &tenant, &id, &new, revoke_previous, now)?;
        record_change(tx, Some(&key.before), Some(&key.after))?;
        let version = key.after.version;
        Ok(Answer::once(&CreatedApiKey::new(key.after.clone(), secret), &ApiKey::from(key.after))?.of_version(version))
    });
    let answer = done.await?;
    keeper.forget_callers();
    Ok(answer)
}

/// Revoke an API key
///
/// Its tokens die with it: at once on the gateway that answers, within five seconds on others. A caller may revoke its
/// own key. The last admin key of a partner cannot be revoked: nobody could make another.
#[utoipa::path(
    tag = "API keys",
    operation_id = "revokeApiKey",
    params(("apiKeyId" = String, Path, description = "`KEY-<uuid>`",
        example = "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
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
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let id = id_of(path)?;
    let (tenant, now, wanted) = (context.tenant.id.clone(), context.now, context.if_match()?);
    let done = context.write(move |tx, _| {
        store::lock_for_update(tx.conn, &tenant, &id, wanted)?;
        let row = store::revoke(tx.conn, &tenant, &id, now)?;
        record_change(tx, Some(&row), None)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    keeper.forget_callers();
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
        record_change(tx, Some(&row), None)?;
    }
    Ok(())
}

/// Revokes the live keys that act as a person, and notes it of each.
pub(crate) fn revoke_personal(tx: &mut Tx<'_>, tenant: &str, user_id: &str, now: Timestamp) -> db::Result<()> {
    let Some(tenant) = TenantId::parse(tenant) else { return Ok(()) };
    for id in store::personal(tx.conn, &tenant, user_id)? {
        let row = store::revoke(tx.conn, &tenant, &id, now)?;
        record_change(tx, Some(&row), None)?;
    }
    Ok(())
}

/// The id in the path.
fn id_of(path: web::Path<(String, String)>) -> Result<String> {
    let (_, id) = path.into_inner();
    if rules::is_id(&id) { Ok(id) } else { Err(rules::unknown().into()) }
}
