//! The levels that other services of this kind have beside partners and clients.

use actix_web::{HttpRequest, HttpResponse};
use api::{Result, answer, get};
use base::query::Query;

use super::wire::ClientMinimal;

/// List channels
///
/// Tenants above partners. A partner is the highest level here, so the list is empty.
#[utoipa::path(
    operation_id = "listChannels",
    responses((status = 200, description = "No tenants", body = Vec<ClientMinimal>, example = json!([]))),
    security(("bearer" = ["viewer"])),
)]
#[get("/api/v2/cfg/tenants/channels")]
pub(crate) async fn channels(request: HttpRequest) -> Result<HttpResponse> {
    none(&request)
}

/// List network operations centres
///
/// Tenants that look after other tenants. A partner does that for its clients here, so the list is empty.
#[utoipa::path(
    operation_id = "listNocs",
    responses((status = 200, description = "No tenants", body = Vec<ClientMinimal>, example = json!([]))),
    security(("bearer" = ["viewer"])),
)]
#[get("/api/v2/cfg/tenants/nocs")]
pub(crate) async fn nocs(request: HttpRequest) -> Result<HttpResponse> {
    none(&request)
}

/// A client that asks for these levels gets the truth, which a refusal would not tell it.
fn none(request: &HttpRequest) -> Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    answer::ok(&Vec::<ClientMinimal>::new())
}
