//! The words that the service itself has for alerts. Monitors may use others.

use actix_web::{HttpRequest, HttpResponse};
use api::{answer, get};
use base::query::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    alert::{MAINTENANCE, MONITORING},
    formats::APPS,
};

/// What reports that name no `app` came by.
const REST: &str = "REST API";

/// A word for alerts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AlertWord, example = json!({"id": 1, "name": "Monitoring"}))]
pub struct AlertWord {
    /// Its place in the list.
    id: usize,
    /// The word.
    name: &'static str,
}

/// List alert types
///
/// The usual values of `alertType`; a monitor may send others.
#[utoipa::path(
    operation_id = "listAlertTypes",
    responses((status = 200, description = "The types", body = Vec<AlertWord>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/alertTypes")]
pub async fn types(request: HttpRequest) -> api::Result<HttpResponse> {
    words(&request, &[MONITORING, MAINTENANCE])
}

/// List alert technologies
///
/// The ways in which alerts come in.
#[utoipa::path(
    operation_id = "listAlertTechnologies",
    responses((status = 200, description = "The ways", body = Vec<AlertWord>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/alertTechnologies")]
pub async fn technologies(request: HttpRequest) -> api::Result<HttpResponse> {
    words(&request, &std::iter::once(REST).chain(APPS).collect::<Vec<_>>())
}

fn words(request: &HttpRequest, words: &[&'static str]) -> api::Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    answer::ok(&(1..).zip(words).map(|(id, name)| AlertWord { id, name }).collect::<Vec<_>>())
}
