//! Holiday calendars over HTTP.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, answer, cpu, delete, get, post,
    spec::PageOf,
};
use base::{problem::FieldErrors, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::Tx;
use ports::{Authors, People, ReadsUrls};

use super::{
    row, rules, store, view,
    wire::{CalendarChange, HolidayCalendar, HolidayCalendarId, NewCalendar, NewHoliday},
};
use crate::{
    crew::user_id,
    dated_holidays::row::is_group,
    roster::{
        http::new_id,
        input::{UserGroupReference, UserReference, group_ids, user_ids},
    },
};

api::list! {
    /// The list of holiday calendars.
    pub HolidayCalendars by store::SORTS: SORT = "name"
}

/// Which calendars a search finds.
#[derive(Clone, Debug, api::Parameters)]
pub struct CalendarFilter {
    /// Only calendars whose name contains this, whatever the letter case.
    #[request(example = "Austria")]
    pub name: Option<String>,
}

/// Create a holiday calendar
///
/// For shifts, which name it in `holidays`, and for users and user groups of the tenant, who are away then. A partner's
/// calendar may stand in the rosters of its clients, too. What was known when a shift began decides: a holiday that is
/// entered later changes nothing that has been.
#[utoipa::path(
    operation_id = "createHolidayCalendar",
    request_body(content = NewCalendar, example = json!({
        "name": "Austria", "days": [{"date": "2026-12-25", "name": "Christmas Day"}]
    })),
    responses(
        (status = 200, description = "The new calendar", body = HolidayCalendar),
        (status = 409, description = "The tenant has a calendar of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/holidayCalendars")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    reads: web::Data<dyn ReadsUrls>,
    Body((mut new, mut wrong)): Body<(NewCalendar, FieldErrors)>,
) -> api::Result<HttpResponse> {
    check_url(&**reads, new.url.as_deref(), None, &mut wrong);
    read_ics(&mut new.days, new.ics.take(), context.now, &mut wrong).await?;
    context
        .write(move |tx, scope| {
            store::lock(tx.conn, scope.tenant_id())?;
            check_new(tx.conn, &**people, scope.tenant_id(), &new, wrong)?;
            let id = format!("HOL-{}", new_id());
            let calendar = rules::created(scope.tenant_id(), id, new, tx.author(), tx.now);
            store::insert(tx.conn, &calendar, tx.now)?;
            tx.record_change(None, Some(&calendar))?;
            answered(tx.conn, &**people, scope, &calendar)
        })
        .await
}

/// Checks that a URL may be read. The one that a calendar has already may be written back, though it is refused since.
fn check_url(reads: &dyn ReadsUrls, url: Option<&str>, before: Option<&str>, wrong: &mut FieldErrors) {
    // One that is empty is refused already.
    let url = url.filter(|url| !url.is_empty() && before != Some(*url));
    if let Some(Err(message)) = url.map(|url| reads.check_url(url)) {
        wrong.add("url", message);
    }
}

/// Puts the days of an iCalendar text in the place of those of a body. A long one takes longer than a worker may.
async fn read_ics(
    days: &mut Option<Vec<NewHoliday>>,
    ics: Option<String>,
    now: Timestamp,
    wrong: &mut FieldErrors,
) -> api::Result<()> {
    let Some(text) = ics else { return Ok(()) };
    match cpu::run(move |_| Ok(rules::read_ics(&text, now))).await? {
        Ok(read) => *days = Some(read),
        Err(message) => wrong.add("ics", message),
    }
    Ok(())
}

/// Checks the body of a new calendar.
///
/// # Errors
/// 400 that lists what is wrong in it, with the people who are not of the tenant.
pub fn check_new(
    conn: &mut Conn,
    people: &dyn People,
    tenant: &str,
    new: &NewCalendar,
    mut wrong: FieldErrors,
) -> Result<()> {
    check_owners(conn, people, tenant, (&new.users, &new.user_groups), &mut wrong)?;
    Ok(wrong.check()?)
}

/// The same of a change.
pub fn check_change(
    conn: &mut Conn,
    people: &dyn People,
    tenant: &str,
    change: &CalendarChange,
    mut wrong: FieldErrors,
) -> Result<()> {
    let users = change.users.as_deref().unwrap_or_default();
    let groups = change.user_groups.as_deref().unwrap_or_default();
    check_owners(conn, people, tenant, (users, groups), &mut wrong)?;
    Ok(wrong.check()?)
}

fn check_owners(
    conn: &mut Conn,
    people: &dyn People,
    tenant: &str,
    (users, groups): (&[UserReference], &[UserGroupReference]),
    wrong: &mut FieldErrors,
) -> Result<()> {
    let tenant = [tenant.to_owned()];
    let ids: Vec<String> = user_ids(users).iter().map(|id| user_id(id)).collect();
    let users_here = if ids.is_empty() { Vec::new() } else { people.users(conn, &tenant, &ids)? };
    let ids = group_ids(groups);
    let groups_here = if ids.is_empty() { Vec::new() } else { people.groups(conn, &tenant, &ids)? };
    let known: (BTreeSet<String>, BTreeSet<String>) = (
        users_here.into_iter().map(|user| user.id).collect(),
        groups_here.into_iter().map(|group| group.unique_id).collect(),
    );
    rules::check_owners(users, groups, (&known.0, &known.1), wrong);
    Ok(())
}

/// Search holiday calendars
///
/// A page of those of the tenant, at partner level of its clients too, without their days.
#[utoipa::path(
    operation_id = "searchHolidayCalendars",
    params(PageQuery<HolidayCalendars, CalendarFilter>),
    responses((status = 200, description = "A page of calendars", body = PageOf<HolidayCalendar>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/holidayCalendars/search")]
pub async fn search(
    context: RequestContext<PageQuery<HolidayCalendars, CalendarFilter>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let name = context.query.own.name.as_ref().map(|name| base::fold(name.trim())).filter(|name| !name.is_empty());
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::page(conn, &scope.scope(), name.as_deref(), sort, walk)?;
        let contents = store::contents(conn, &found.rows)?;
        let owners = contents.values().flat_map(|(_, owners)| owners.iter().map(String::as_str));
        let named = named(conn, &**people, scope, &found.rows, owners)?;
        let none = Default::default();
        Ok(found.map(|row| {
            let (days, owners) = contents.get(&row.id).unwrap_or(&none);
            view::one(&row, *days, &owners.iter().map(String::as_str).collect::<Vec<_>>(), &named)
        }))
    });
    page.await
}

/// Get a holiday calendar
#[utoipa::path(
    operation_id = "getHolidayCalendar",
    params(HolidayCalendarId),
    responses((status = 200, description = "The calendar", body = HolidayCalendar)),
    security(("bearer" = ["viewer"]))
)]
#[get("/holidayCalendars/{holidayCalendarId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<HolidayCalendarId>,
) -> api::Result<HttpResponse> {
    let read = context.read(move |conn, scope| {
        let calendar = row::HolidayCalendar::existing(conn, &scope.scope(), &id)?;
        Ok((shown(conn, &**people, scope, &calendar)?, calendar.version))
    });
    let (shown, version) = read.await?;
    // The tag is that of what people change, for `If-Match`; whom it names may change without it.
    answer::tagged(&shown, version)
}

/// Update a holiday calendar
///
/// What is left out stays as it is; `days` or `ics` has all of its days from now on.
#[utoipa::path(
    operation_id = "updateHolidayCalendar",
    params(HolidayCalendarId),
    request_body(content = CalendarChange),
    responses(
        (status = 200, description = "The calendar after the change", body = HolidayCalendar),
        (status = 409, description = "The tenant has another calendar of this name"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/holidayCalendars/{holidayCalendarId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    reads: web::Data<dyn ReadsUrls>,
    PathIds(id): PathIds<HolidayCalendarId>,
    Body((mut change, mut wrong)): Body<(CalendarChange, FieldErrors)>,
) -> api::Result<HttpResponse> {
    read_ics(&mut change.days, change.ics.take(), context.now, &mut wrong).await?;
    context
        .write(move |tx, scope| {
            let old = row::HolidayCalendar::locked(tx, scope, &id)?;
            check_url(&**reads, change.url.as_deref(), old.url.as_deref(), &mut wrong);
            check_change(tx.conn, &**people, &old.tenant_id, &change, wrong)?;
            let calendar = rules::changed(&old, change, tx.now);
            store::update(tx.conn, &calendar, tx.now)?;
            tx.record_change(Some(&old), Some(&calendar))?;
            answered(tx.conn, &**people, scope, &calendar)
        })
        .await
}

/// Delete a holiday calendar
///
/// Refused while shifts of rosters, or overrides of them that are not over, have it. What was a holiday stays one.
#[utoipa::path(
    operation_id = "deleteHolidayCalendar",
    params(HolidayCalendarId),
    responses(
        (status = 200, description = "Deleted; an empty object", body = Object),
        (status = 409, description = "Shifts or overrides have it"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/holidayCalendars/{holidayCalendarId}")]
pub async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<HolidayCalendarId>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = row::HolidayCalendar::locked(tx, scope, &id)?;
            remove(tx, &**people, &old)?;
            Ok(Answer::empty())
        })
        .await
}

/// Removes a calendar.
///
/// # Errors
/// 409 while shifts or overrides have it, those of a partner's clients among them.
pub fn remove(tx: &mut Tx<'_>, people: &dyn People, old: &row::HolidayCalendar) -> Result<()> {
    let mut rosters_of = people.below(tx.conn, &old.tenant_id)?;
    rosters_of.push(old.tenant_id.clone());
    store::delete(tx.conn, &rosters_of, &old.row, tx.now)?;
    tx.record_change(Some(old), None)
}

fn answered(
    conn: &mut Conn,
    people: &dyn People,
    scope: &RequestScope,
    calendar: &row::HolidayCalendar,
) -> Result<Answer> {
    Answer::entity(&shown(conn, people, scope, calendar)?, calendar.version)
}

fn shown(
    conn: &mut Conn,
    people: &dyn People,
    scope: &RequestScope,
    calendar: &row::HolidayCalendar,
) -> Result<HolidayCalendar> {
    let owners = calendar.owners.iter().map(String::as_str);
    let named = named(conn, people, scope, std::slice::from_ref(&calendar.row), owners)?;
    Ok(view::whole(calendar, &named))
}

/// Those whom calendars name.
fn named<'r>(
    conn: &mut Conn,
    people: &dyn People,
    scope: &RequestScope,
    rows: &'r [row::CalendarRow],
    owners: impl Iterator<Item = &'r str>,
) -> Result<view::Named> {
    let (groups, users): (Vec<&str>, Vec<&str>) = owners.partition(|id| is_group(id));
    let authors = rows.iter().map(|row| row.created_by.as_str());
    let users = Authors::load(conn, people, &scope.scope_and_partner(), authors.chain(users))?;
    let ids: BTreeSet<String> = groups.into_iter().map(str::to_owned).collect();
    let ids: Vec<String> = ids.into_iter().collect();
    let groups = if ids.is_empty() { Vec::new() } else { people.groups(conn, &scope.scope(), &ids)? };
    Ok(view::Named { users, groups })
}
