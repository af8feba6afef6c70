//! Read operations of Opsgenie's alert API.

use actix_web::{HttpRequest, HttpResponse, web};
use api::{answer, get};
use base::problem::Problem;
use db::Condition;
use serde_json::json;

use super::{
    AlertAlias, IdentifierQuery, admit, find,
    wire::{self, Data, Listing},
};
use crate::alerts::{filter, http::origin, inbound::Context, intake::Origin, row::Alert, store};

/// How many alerts a list has at most, and without `limit`.
const MOST: i64 = 100;
const USUAL: i64 = 20;

/// Get an alert as with Opsgenie
#[utoipa::path(
    operation_id = "getOpsgenieAlert",
    params(AlertAlias, IdentifierQuery),
    responses(
        (status = 200, description = "The alert", body = Data),
        (status = 401, description = "The key is not a token of an inbound address"),
        (status = 404, description = "The address has no such alert"),
    ),
    security(()),
)]
#[get("/v2/alerts/{alias}")]
pub async fn get(request: HttpRequest, path: web::Path<String>) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let now = at.now;
    let alert = of_alert(at, path.into_inner(), move |alert| Some(wire::alert(alert, now))).await?;
    answer::ok(&Data::of(alert))
}

/// List what belongs to an alert as with Opsgenie
#[utoipa::path(
    operation_id = "listOfOpsgenieAlert",
    params(
        AlertAlias,
        ("part" = String, Path, description = "`notes`, `logs` or `recipients`", example = "notes"),
        IdentifierQuery,
    ),
    responses(
        (status = 200, description = "The list", body = Listing),
        (status = 401, description = "The key is not a token of an inbound address"),
        (status = 404, description = "The address has no such alert, or there is no such list"),
    ),
    security(()),
)]
#[get("/v2/alerts/{alias}/{part}")]
pub async fn list_of(request: HttpRequest, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let (identifier, name) = path.into_inner();
    let read = move |alert: &Alert| match name.as_str() {
        "notes" => Some(wire::notes(alert)),
        "logs" => Some(wire::logs(alert)),
        "recipients" => Some(Vec::new()),
        _ => None,
    };
    answer::ok(&Listing::of(of_alert(at, identifier, read).await?))
}

/// What is read of an alert, or 404.
async fn of_alert<T: Send + 'static>(
    at: Context,
    identifier: String,
    read: impl FnOnce(&Alert) -> Option<T> + Send + 'static,
) -> api::Result<T> {
    let found = at.read(move |conn, scope| Ok(find(conn, &origin(scope), &identifier)?.first().and_then(read)));
    Ok(found.await?.ok_or_else(|| Problem::not_found("The alert was not found."))?)
}

/// Get the status of a request as with Opsgenie
///
/// Every request is processed before it is answered; the id of a request about an alert identifies the alert.
#[utoipa::path(
    operation_id = "getOpsgenieRequest",
    params(("requestId" = String, Path, description = "As a request was answered",
        example = "0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "The result", body = Data),
        (status = 401, description = "The key is not a token of an inbound address"),
    ),
    security(()),
)]
#[get("/v2/alerts/requests/{requestId}")]
pub async fn get_request(request: HttpRequest, path: web::Path<String>) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let id = format!("ALT-{}", path.into_inner());
    let now = at.now;
    let data = at.read(move |conn, scope| Ok(wire::request(find(conn, &origin(scope), &id)?.first(), now)));
    answer::ok(&Data::of(data.await?))
}

/// List alerts as with Opsgenie
///
/// Those of the address, newest first. Of `query`, `status: open` or `closed` and words of the message count.
#[utoipa::path(
    operation_id = "listOpsgenieAlerts",
    params(
        ("query" = Option<String>, Query, description = "Which alerts", example = "status: open"),
        ("limit" = Option<i64>, Query, description = "How many at most, 1 to 100; default 20"),
        ("offset" = Option<i64>, Query, description = "How many are skipped"),
    ),
    responses(
        (status = 200, description = "The alerts", body = Listing),
        (status = 401, description = "The key is not a token of an inbound address"),
    ),
    security(()),
)]
#[get("/v2/alerts")]
pub async fn list(request: HttpRequest) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let number = |name: &str| at.query.text(name).and_then(|text| text.parse::<i64>().ok());
    let page = (number("offset").unwrap_or(0).max(0), number("limit").unwrap_or(USUAL).clamp(1, MOST));
    let condition = search_condition(&at);
    let now = at.now;
    let rows = at.read(move |conn, scope| {
        let Origin { scope, sender, .. } = origin(scope);
        store::of_sender(conn, &scope, &sender, condition, page)
    });
    let (rows, _) = rows.await?;
    answer::ok(&Listing::of(rows.iter().map(|alert| wire::alert(alert, now)).collect()))
}

/// Count alerts as with Opsgenie
///
/// Those of the address that the list has.
#[utoipa::path(
    operation_id = "countOpsgenieAlerts",
    params(("query" = Option<String>, Query, description = "Which alerts", example = "status: open")),
    responses(
        (status = 200, description = "How many there are", body = Data),
        (status = 401, description = "The key is not a token of an inbound address"),
    ),
    security(()),
)]
#[get("/v2/alerts/count")]
pub async fn count(request: HttpRequest) -> api::Result<HttpResponse> {
    let at = admit(&request).await?;
    let condition = search_condition(&at);
    let count = at.read(move |conn, scope| {
        let Origin { scope, sender, .. } = origin(scope);
        Ok(store::of_sender(conn, &scope, &sender, condition, (0, 0))?.1)
    });
    answer::ok(&Data::of(json!({"count": count.await?})))
}

/// Which alerts a list is to have.
fn search_condition(at: &Context) -> Condition {
    filter::opsgenie_condition(&at.query.text("query").unwrap_or_default())
}
