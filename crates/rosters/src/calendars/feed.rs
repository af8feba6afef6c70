//! The feeds: who is on call, as events that are worked out already.

use std::collections::BTreeSet;

use actix_web::{HttpRequest, HttpResponse, web};
use api::{feed, get};
use base::timestamp::{DAY_MS, Timestamp};
use calendar::{
    Day, Interval, Zone,
    ical::{self, Event},
};
use db::Conn;
use ports::{People, Person};

use super::{row::CalendarOwner, store};
use crate::{
    cache::RosterCache,
    dated_holidays::own::OwnHolidays,
    duty::{Duties, Duty, NEVER},
    filter::{Filter, chosen},
    lines,
    roster::{
        self,
        wire::{RosterId, UserId},
    },
    schedule::Schedule,
    time_off::{self, row::TimeOff},
};

/// What calendar programs are told wrote the feed.
const PRODUCT: &str = "Rosters";

/// Read the calendar of a roster
///
/// An iCalendar feed of who was on call during the last 90 days and will be in the next 366, and of the holidays of the
/// shifts, for calendar programs. The token in the address is the only credential.
#[utoipa::path(
    operation_id = "readRosterCalendar",
    params(
        RosterId,
        ("token" = String, Query, description = "The token of a calendar address"),
    ),
    responses(
        (
            status = 200, description = "The calendar", body = String, content_type = "text/calendar",
            headers(("ETag" = String, description = "The version of the calendar"))
        ),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(())
)]
#[get("/rosters/{rosterId}/calendar.ics")]
pub async fn of_roster(
    request: HttpRequest,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenant, id) = path.into_inner();
    answer(&request, (people, known), &tenant, CalendarOwner::Roster(RosterId::from(id).0)).await
}

/// Read the calendar of a user
///
/// The same, for all the shifts that the user has in the rosters of the tenant, at partner level in those of its
/// clients too, with the holidays of these rosters, and for a user of the tenant with their own holidays and for when
/// they are away.
#[utoipa::path(
    operation_id = "readUserCalendar",
    params(
        UserId,
        ("token" = String, Query, description = "The token of a calendar address"),
    ),
    responses(
        (
            status = 200, description = "The calendar", body = String, content_type = "text/calendar",
            headers(("ETag" = String, description = "The version of the calendar"))
        ),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(())
)]
#[get("/rosters/users/{userId}/calendar.ics")]
pub async fn of_user(
    request: HttpRequest,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (tenant, id) = path.into_inner();
    answer(&request, (people, known), &tenant, CalendarOwner::User(UserId::from(id).0)).await
}

async fn answer(
    request: &HttpRequest,
    (people, known): (web::Data<dyn People>, web::Data<RosterCache>),
    tenant: &str,
    of: CalendarOwner,
) -> api::Result<HttpResponse> {
    let asked = feed::FeedRequest::read(request, tenant)?;
    let people = people.into_inner();
    let tenant = asked.tenant;
    let hash = asked.hash;
    let now = asked.now;
    let text = asked
        .db
        .read(move |conn| {
            let address = store::opened(conn, &tenant, &of, &hash, now)?.ok_or_else(feed::unknown)?;
            // It tells what its maker may read, for as long as that is somebody who may.
            let around = people.own_and_partner(conn, &tenant)?;
            let open = people.is_active(conn, &tenant)? && people.may_act(conn, &around, &address.created_by, now)?;
            if !open {
                return Err(feed::unknown().into());
            }
            render_feed(conn, (&*people, &known), &tenant, &of, now)
        })
        .await?;
    Ok(feed::respond(request, text))
}

fn render_feed(
    conn: &mut Conn,
    (people, known): (&dyn People, &RosterCache),
    tenant: &str,
    of: &CalendarOwner,
    now: Timestamp,
) -> db::Result<String> {
    let (from, until) = feed::range(now);
    let Some(range) = Interval::new(from, until) else { return Ok(ical::calendar(PRODUCT, "", &[])) };
    let around = people.own_and_partner(conn, tenant)?;
    let (rosters, user) = match of {
        CalendarOwner::Roster(id) => (vec![roster::store::existing(conn, &[tenant.to_owned()], id)?], None),
        CalendarOwner::User(id) => (of_person(conn, (people, known), (tenant, &around), id, range)?, Some(id)),
    };
    let mut events = Vec::new();
    let mut holidays: BTreeSet<(Day, String)> = BTreeSet::new();
    for row in &rosters {
        // People of a partner stand in rosters of its clients.
        let own = [row.tenant_id.clone()];
        let tenants: Vec<String> = own.iter().chain(around.iter().filter(|one| !own.contains(one))).cloned().collect();
        let mut schedule = Schedule::load(conn, row, &tenants, range.start())?;
        let staff = schedule.people(conn, people, &tenants, range.start())?;
        if user.is_none_or(|id| schedule.may_name(id, &staff)) {
            holidays.extend(schedule.holidays_within(range).into_iter().map(|one| (one.day, one.name.clone())));
        }
        let mut duties = Duties::new(&schedule, &staff).named_at(now);
        for duty in duties.within(range, lines::LineSelection::All).0 {
            let wanted = user.is_none_or(|id| duty.users.iter().any(|known| known == id));
            if wanted && !duty.users.is_empty() && events.len() < feed::MOST_EVENTS {
                // Programs know an event by when it starts: that does not depend on the range.
                let whole = duties.whole_of(duty, range);
                let on_call: Vec<&Person> =
                    whole.users.iter().filter_map(|id| staff.user_at(id, whole.time.start())).collect();
                events.push(event(row, &schedule, &whole, &on_call));
            }
        }
    }
    if let Some(user) = user {
        events.extend(away(conn, people, tenant, user, range)?);
        holidays.extend(own_holidays(conn, people, tenant, user, range)?);
    }
    events.extend(holidays.into_iter().filter_map(|(day, name)| holiday(day, &name)));
    events.truncate(feed::MOST_EVENTS);
    let name = match (user, rosters.first()) {
        (None, Some(roster)) => roster.name.clone(),
        _ => "On call".to_owned(),
    };
    Ok(ical::calendar(PRODUCT, &name, &events))
}

/// A holiday, which is the same event in every feed.
fn holiday(day: Day, name: &str) -> Option<Event> {
    let time = day.within(Zone::GMT)?;
    let is_named = !name.is_empty();
    Some(Event {
        uid: format!("holiday-{day}-{:x}@muster", name.bytes().fold(0_u64, hashed)),
        time,
        is_endless: false,
        date: Some(day),
        summary: if is_named { format!("Holiday: {name}") } else { "Holiday".to_owned() },
        description: String::new(),
        sequence: 0,
        modified: Timestamp::from_millis(0),
    })
}

/// FNV-1a, which tells names apart in a UID.
fn hashed(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
}

/// The rosters in which a person may be on call: those of the tenant and, of a partner, of its clients that are in use.
fn of_person(
    conn: &mut Conn,
    (people, known): (&dyn People, &RosterCache),
    (tenant, around): (&str, &[String]),
    user: &str,
    range: Interval,
) -> db::Result<Vec<roster::row::Roster>> {
    let below = people.below(conn, tenant)?;
    let scope = people.active(conn, &below)?;
    let tenants: Vec<String> = scope.iter().chain(around.iter().filter(|one| !scope.contains(one))).cloned().collect();
    let all = known.read(conn, people, (&scope, &tenants), range.start())?;
    let filter = Filter { user: Some(user.to_owned()), ..Filter::default() };
    let ids: Vec<String> =
        chosen(&all, range, &filter).iter().map(|(_, roster)| roster.stored.id().to_owned()).collect();
    roster::store::present(conn, &scope, &ids)
}

/// When a user of the tenant is away. Why is for those who read of the time off, not for who has the address.
fn away(conn: &mut Conn, people: &dyn People, tenant: &str, user: &str, range: Interval) -> db::Result<Vec<Event>> {
    let found = people.users(conn, &[tenant.to_owned()], &[user.to_owned()])?;
    let Some(person) = found.first() else { return Ok(Vec::new()) };
    let rows = time_off::store::of_user(conn, tenant, user, range)?;
    let event = |row: TimeOff| {
        let time = Interval::new(Timestamp::from_millis(row.start_ms), Timestamp::from_millis(row.end_ms))?;
        Some(Event {
            uid: format!("{}@muster", row.id),
            time,
            is_endless: false,
            date: None,
            summary: format!("Away: {}", person.full_name()),
            description: String::new(),
            sequence: row.version - 1,
            modified: Timestamp::from_millis(row.updated_ms),
        })
    };
    Ok(rows.into_iter().filter_map(event).collect())
}

/// The holidays of a user of the tenant that were known when they began.
fn own_holidays(
    conn: &mut Conn,
    people: &dyn People,
    tenant: &str,
    user: &str,
    range: Interval,
) -> db::Result<Vec<(Day, String)>> {
    let own = OwnHolidays::load_user(conn, people, &[tenant.to_owned()], user, range.start())?;
    let shown = own.into_iter().filter(|one| {
        let day = one.day.within(Zone::GMT);
        day.is_some_and(|day| day.intersection(range).is_some() && one.is_known(day.start()))
    });
    Ok(shown.map(|one| (one.day, one.name)).collect())
}

fn event(row: &roster::row::Roster, schedule: &Schedule, duty: &Duty<'_>, on_call: &[&Person]) -> Event {
    let (shift_id, shift) = schedule.shift(duty.shift).unwrap_or((row.id.as_str(), "Override"));
    let relief = duty.by.and_then(|place| schedule.overrides.get(place));
    let reason = relief.map_or("shift", |relief| relief.id.as_str());
    let people: Vec<String> = on_call.iter().map(|person| person.full_name()).collect();
    let reach = |person: &&Person| {
        let numbers = [&person.mobile_number, &person.phone_number, &person.email].into_iter().flatten();
        format!("{}: {}", person.full_name(), numbers.map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    let changes = schedule.absence_changes;
    // What has no end is told as a day that repeats: an end that moves on with the clock would change the event.
    let is_endless = duty.time.end() == NEVER;
    let first_day = Timestamp::from_millis(duty.time.start().millis().saturating_add(DAY_MS));
    let time = if is_endless { Interval::new(duty.time.start(), first_day) } else { None };
    Event {
        uid: format!("{shift_id}-{}-{reason}@muster", duty.time.start().millis() / 1_000),
        time: time.unwrap_or(duty.time),
        is_endless,
        date: None,
        summary: format!("{} / {shift}: {}", row.name, people.join(", ")),
        description: on_call.iter().map(reach).collect::<Vec<_>>().join("\n"),
        // Turns move when people are away, though nobody changes the roster then.
        sequence: row.sequence.saturating_add(changes.count),
        modified: Timestamp::from_millis(row.modified_ms.max(changes.latest_ms)),
    }
}
