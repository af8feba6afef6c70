//! The time zones that rosters take.

use actix_web::{HttpRequest, HttpResponse, get};
use api::answer;
use base::query::Query;
use calendar::Zone;

use crate::roster::wire::TimeZone;

/// List time zones
///
/// In the order of their ids. Offset and abbreviation are those of standard time. Beside these, every other name of the
/// IANA database is taken.
#[utoipa::path(
    tag = "configuration",
    operation_id = "listTimeZones",
    responses((status = 200, description = "The time zones", body = Vec<TimeZone>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/timezones")]
pub async fn list(request: HttpRequest) -> api::Result<HttpResponse> {
    Query::parse(request.query_string())?.finish()?;
    answer::ok(&Zone::all().collect::<Vec<_>>())
}
