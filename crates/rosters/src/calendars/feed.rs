//! The feeds: who is on call, as events that are worked out already.

use actix_web::{HttpRequest, HttpResponse, get, http::header, web};
use api::clock;
use base::{problem::Problem, query::Query, tenant::TenantId, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Db};
use ports::{People, Person};

use super::{
    ical::{self, Event},
    store::{self, Of},
};
use crate::{
    lines::{Piece, Who},
    overrides,
    roster::{self, rules::user_id},
    schedule::Schedule,
};

/// What a feed tells: this long before now, in milliseconds, and this long after.
const PAST_MS: i64 = 90 * 86_400_000;
const FUTURE_MS: i64 = 366 * 86_400_000;

/// The most events of a feed; later ones are left out.
const MOST_EVENTS: usize = 10_000;

/// Read the calendar of a roster
///
/// An iCalendar feed of who was on call during the last 90 days and will be in the next 366, for calendar programs. The
/// token in the address is all that it takes.
#[utoipa::path(
    tag = "rosters",
    operation_id = "readRosterCalendar",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("token" = String, Query, description = "The token of a calendar address"),
    ),
    responses((status = 200, description = "The calendar", body = String, content_type = "text/calendar")),
    security(())
)]
#[get("/rosters/{rosterId}/calendar.ics")]
pub async fn of_roster(
    request: HttpRequest,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenant, id) = path.into_inner();
    answer(&request, people, &tenant, Of::Roster(id)).await
}

/// Read the calendar of a user
///
/// The same, of all the shifts that the user has in the rosters of the tenant.
#[utoipa::path(
    tag = "rosters",
    operation_id = "readUserCalendar",
    params(
        ("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007"),
        ("token" = String, Query, description = "The token of a calendar address"),
    ),
    responses((status = 200, description = "The calendar", body = String, content_type = "text/calendar")),
    security(())
)]
#[get("/rosters/users/{userId}/calendar.ics")]
pub async fn of_user(
    request: HttpRequest,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenant, id) = path.into_inner();
    answer(&request, people, &tenant, Of::User(user_id(&id))).await
}

async fn answer(
    request: &HttpRequest,
    people: web::Data<dyn People>,
    tenant: &str,
    of: Of,
) -> api::Result<HttpResponse> {
    let mut query = Query::parse(request.query_string())?;
    let token = query.text("token").unwrap_or_default();
    query.finish()?;
    let unknown = || Problem::not_found("The calendar was not found.");
    let tenant = TenantId::parse(tenant).ok_or_else(unknown)?.to_string();
    let db = request.app_data::<Db>().cloned();
    let db = db.ok_or_else(|| db::Error::Fault("a handler without database".to_owned()))?;
    let (people, now) = (people.into_inner(), clock::now());
    let text = db
        .read(move |conn| {
            let open = store::opens(conn, &tenant, &of, &token)? && people.is_active(conn, &tenant)?;
            if !open {
                return Err(unknown().into());
            }
            feed(conn, &*people, &tenant, &of, now)
        })
        .await?;
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/calendar; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "private, max-age=300"));
    Ok(response.body(text))
}

fn feed(conn: &mut Conn, people: &dyn People, tenant: &str, of: &Of, now: Timestamp) -> db::Result<String> {
    let at = |distance: i64| Timestamp::from_millis(now.millis() + distance);
    let Some(range) = Interval::new(at(-PAST_MS), at(FUTURE_MS)) else { return Ok(ical::calendar("", &[])) };
    let tenants = people.around(conn, tenant)?;
    let (rosters, user) = match of {
        Of::Roster(id) => (vec![roster::store::existing(conn, &[tenant.to_owned()], id)?], None),
        Of::User(id) => (roster::store::all(conn, tenant)?, Some(id)),
    };
    let mut events = Vec::new();
    for row in &rosters {
        let since = range.start().millis();
        let shifts = roster::store::shifts_since(conn, tenant, &row.id, since)?;
        let overrides = overrides::store::since(conn, tenant, &row.id, since)?;
        let schedule = Schedule::stored(&shifts, &overrides)?;
        let crowd = schedule.crowd(conn, people, &tenants)?;
        for piece in schedule.lines.pieces(range) {
            let on_call = schedule.people(piece.who, &crowd);
            let wanted = user.is_none_or(|id| on_call.iter().any(|person| person.id == *id));
            if wanted && !on_call.is_empty() && events.len() < MOST_EVENTS {
                events.push(event(row, &schedule, &piece, &on_call));
            }
        }
    }
    let name = match (user, rosters.first()) {
        (None, Some(roster)) => roster.name.clone(),
        _ => "On call".to_owned(),
    };
    Ok(ical::calendar(&name, &events))
}

fn event(row: &roster::store::Roster, schedule: &Schedule, piece: &Piece, on_call: &[&Person]) -> Event {
    let (shift_id, shift) = schedule.shift(piece).unwrap_or((row.id.as_str(), "Override"));
    let reason = match piece.who {
        Who::Shift(_) => "shift",
        Who::Override(place) => schedule.override_ids.get(place).map_or("override", String::as_str),
    };
    let people: Vec<String> = on_call.iter().map(|person| name(person)).collect();
    let reach = |person: &&Person| {
        let numbers = [&person.mobile_number, &person.phone_number, &person.email].into_iter().flatten();
        format!("{}: {}", name(person), numbers.map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    Event {
        uid: format!("{shift_id}-{}-{reason}@muster", piece.time.start().millis() / 1_000),
        time: piece.time,
        summary: format!("{} / {shift}: {}", row.name, people.join(", ")),
        description: on_call.iter().map(reach).collect::<Vec<_>>().join("\n"),
        sequence: row.sequence,
        modified: Timestamp::from_millis(row.modified_ms),
    }
}

fn name(person: &Person) -> String {
    let names = [&person.first_name, &person.last_name].into_iter().flatten();
    let name = names.map(String::as_str).collect::<Vec<_>>().join(" ");
    if name.is_empty() { person.login_name.clone() } else { name }
}
