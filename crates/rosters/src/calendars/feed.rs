//! The feeds: who is on call, as events that are worked out already.

use actix_web::{HttpRequest, HttpResponse, get, web};
use api::feed;
use base::timestamp::Timestamp;
use calendar::{
    Interval,
    ical::{self, Event},
};
use db::Conn;
use ports::{People, Person};

use super::store::{self, Of};
use crate::{
    lines::{Piece, Who},
    overrides,
    roster::{self, rules::user_id},
    schedule::Schedule,
};

/// What calendar programs are told wrote the feed.
const PRODUCT: &str = "Rosters";

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
    let (asked, people) = (feed::Asked::read(request, tenant)?, people.into_inner());
    let (tenant, hash, now) = (asked.tenant, asked.hash, asked.now);
    let text = asked
        .db
        .read(move |conn| {
            let open = store::opens(conn, &tenant, &of, &hash)? && people.is_active(conn, &tenant)?;
            if !open {
                return Err(feed::unknown().into());
            }
            told(conn, &*people, &tenant, &of, now)
        })
        .await?;
    Ok(feed::respond(text))
}

fn told(conn: &mut Conn, people: &dyn People, tenant: &str, of: &Of, now: Timestamp) -> db::Result<String> {
    let (from, until) = feed::range(now);
    let Some(range) = Interval::new(from, until) else { return Ok(ical::calendar(PRODUCT, "", &[])) };
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
            if wanted && !on_call.is_empty() && events.len() < feed::MOST_EVENTS {
                events.push(event(row, &schedule, &piece, &on_call));
            }
        }
    }
    let name = match (user, rosters.first()) {
        (None, Some(roster)) => roster.name.clone(),
        _ => "On call".to_owned(),
    };
    Ok(ical::calendar(PRODUCT, &name, &events))
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
