//! API keys: create, list, revoke.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{At, Body, Result, answer, stream};
use base::problem::Problem;

use super::{
    store::{self, NewKey},
    wire::{ApiKey, CreatedApiKey, NewApiKey},
};
use crate::{Keeper, secrets};

/// Create an API key
///
/// Makes a key of the tenant of the path, and the user that it acts as. The answer is the only time that the secret is
/// shown.
#[utoipa::path(
    tag = "API keys",
    operation_id = "createApiKey",
    request_body = NewApiKey,
    responses(
        (status = 200, description = "The new key, with its secret", body = CreatedApiKey),
        (status = 409, description = "Another live key of the tenant has this name",
            body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/apiKeys")]
pub(crate) async fn create_api_key(at: At, body: Body) -> Result<HttpResponse> {
    at.no_query()?;
    let NewApiKey { name, role } = NewApiKey::read(&body.0)?;
    let secret = secrets::random()?;
    let new = NewKey { name, role, key: secrets::random()?.into_inner(), secret: secret.clone() };
    let (tenant, author, now) = (at.tenant.id.clone(), at.caller.user_id.clone(), at.now);
    let row = at.db.write(move |conn| store::insert(conn, &tenant, &new, Some(&author), now)).await?;
    let mut response = answer::ok(&CreatedApiKey::new(row, secret))?;
    let no_store = actix_web::http::header::HeaderValue::from_static("no-store");
    response.headers_mut().insert(actix_web::http::header::CACHE_CONTROL, no_store);
    Ok(response)
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
pub(crate) async fn list_api_keys(at: At) -> Result<HttpResponse> {
    at.no_query()?;
    let tenant = at.tenant.id.clone();
    stream::array(&at.db, move |conn, rows| {
        store::each(conn, &tenant, |row| {
            let key = ApiKey::from(row);
            let json = serde_json::to_vec(&key).map_err(|error| db::Error::Fault(error.to_string()))?;
            rows.push(|out| out.extend_from_slice(&json))
        })
    })
    .await
}

/// Revoke an API key
///
/// Its tokens die with it: at once on the gateway that answers, within five seconds on others. A caller may revoke its
/// own key.
#[utoipa::path(
    tag = "API keys",
    operation_id = "revokeApiKey",
    params(("apiKeyId" = String, Path, description = "`KEY-<uuid>`",
        example = "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/apiKeys/{apiKeyId}")]
pub(crate) async fn revoke_api_key(
    at: At,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    at.no_query()?;
    let (_, id) = path.into_inner();
    if !is_id(&id) {
        return Err(Problem::not_found("The API key was not found.").into());
    }
    let (tenant, now) = (at.tenant.id.clone(), at.now);
    at.db.write(move |conn| store::revoke(conn, &tenant, &id, now)).await?;
    keeper.forget_callers();
    Ok(answer::empty())
}

/// `KEY-<uuid>`; nothing else is looked up.
fn is_id(text: &str) -> bool {
    text.strip_prefix("KEY-").is_some_and(|rest| rest.len() == 36 && uuid::Uuid::try_parse(rest).is_ok())
}
