//! The time zones that rosters take.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{HeaderName, HeaderValue},
};
use api::{answer, get};
use base::query::Query;
use calendar::Zone;
use serde::Serialize;
use utoipa::ToSchema;

use crate::roster::wire::TimeZone;

/// Every time zone that is taken.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimeZoneDatabase)]
struct Database {
    /// The version of the IANA database.
    #[schema(example = "2026e")]
    version: &'static str,
    /// The zones of the interface, by their ids.
    #[schema(value_type = Vec<TimeZone>)]
    time_zones: Vec<Zone>,
    /// All other names of the IANA database, links among them; their ids are their names.
    #[schema(value_type = Vec<TimeZone>)]
    others: Vec<Zone>,
}

/// What is answered: the zones of the interface, or with `all=true` all.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum TimeZones {
    /// The zones of the interface.
    #[schema(value_type = Vec<TimeZone>)]
    Listed(Vec<Zone>),
    /// With `all=true`.
    All(Database),
}

/// List time zones
///
/// In the order of their ids. Offset and abbreviation are those of standard time. Beside these, every other name of the
/// IANA database is taken: with `all=true` the answer is an object that has those too, and the version of the database,
/// which is also the header `X-Time-Zone-Database` of either answer.
#[utoipa::path(
    operation_id = "listTimeZones",
    params(("all" = Option<bool>, Query, description = "Every name of the IANA database, and its version; default \
                                                        false", example = false)),
    responses((
        status = 200,
        description = "The time zones; with `all=true` a `TimeZoneDatabase`",
        body = TimeZones,
        headers(("X-Time-Zone-Database" = String, description = "The version of the IANA database"))
    )),
    security(("bearer" = ["viewer"]))
)]
#[get("/api/v2/cfg/timezones")]
pub async fn list(request: HttpRequest) -> api::Result<HttpResponse> {
    let mut query = Query::parse(request.query_string())?;
    let all = query.boolean("all", false);
    query.finish()?;
    let version = Zone::database_version();
    let time_zones: Vec<Zone> = Zone::all().collect();
    let mut answer = answer::ok(&if all {
        TimeZones::All(Database { version, time_zones, others: Zone::others().collect() })
    } else {
        TimeZones::Listed(time_zones)
    })?;
    answer.headers_mut().insert(HeaderName::from_static("x-time-zone-database"), HeaderValue::from_static(version));
    Ok(answer)
}
