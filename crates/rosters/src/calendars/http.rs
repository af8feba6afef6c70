//! Calendar addresses: made, listed and revoked.

use actix_web::{HttpResponse, web};
use api::{
    Answer, PageQuery, PathIds, RequestContext, RequestScope, answer, delete,
    feed::{self, Address, CreatedAddress, TenantAddress},
    get, post,
    spec::PageOf,
};
use base::problem::Problem;
use db::Conn;
use ports::{Author, Authors, People};

use super::{
    row::{Calendar, CalendarOwner},
    store,
};
use crate::{
    people::RosterPeople,
    roster::{
        self,
        wire::{RosterId, UserId},
    },
};

api::path_id! {
    /// `CAL-<uuid>`.
    pub CalendarId = "calendarId", "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f", prefix "CAL-"
}

api::list! {
    /// The list of a tenant's calendar addresses.
    pub Calendars by store::SORTS: SORT = "createdTime"
}

/// An address as it is listed.
type Listed = Address<Author>;

/// An address as it is told once.
type Created = CreatedAddress<Author>;

/// List all calendar addresses of rosters and users
///
/// A page of those of the tenant, without their tokens: who made which, and when it ends. `of` is the roster or the
/// user.
#[utoipa::path(
    operation_id = "listCalendars",
    params(PageQuery<Calendars>),
    responses((status = 200, description = "A page of addresses", body = PageOf<TenantAddress<Author>>)),
    security(("bearer" = ["admin"]))
)]
#[get("/rosters/calendars")]
pub async fn list_of_tenant(
    context: RequestContext<PageQuery<Calendars>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::page(conn, &scope.scope(), scope.now, sort, walk)?;
        let authors = authors(conn, &**people, scope, &found.rows)?;
        Ok(found.map(|row| row.listed(authors.of(&row.created_by))))
    });
    page.await
}

/// Create a calendar address of a roster
///
/// For calendar programs, which subscribe to it: anyone who has the address reads who is on call, without another
/// token. The address is shown once.
#[utoipa::path(
    operation_id = "createRosterCalendar",
    params(RosterId),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/calendars")]
pub async fn create_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    create(context, people, CalendarOwner::Roster(id.0)).await
}

/// List the calendar addresses of a roster
///
/// Those in use, oldest first, without their tokens.
#[utoipa::path(
    operation_id = "listRosterCalendars",
    params(RosterId),
    responses((status = 200, description = "The addresses", body = Vec<Listed>)),
    security(("bearer" = ["operator"]))
)]
#[get("/rosters/{rosterId}/calendars")]
pub async fn list_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    list(context, people, CalendarOwner::Roster(id.0)).await
}

/// Revoke a calendar address of a roster
#[utoipa::path(
    operation_id = "deleteRosterCalendar",
    params(RosterId, CalendarId),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}/calendars/{calendarId}")]
pub async fn delete_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((id, calendar)): PathIds<(RosterId, CalendarId)>,
) -> api::Result<HttpResponse> {
    delete(context, people, CalendarOwner::Roster(id.0), calendar).await
}

/// Create a calendar address of a user
///
/// The same, for all the shifts that a user of the tenant or its partner has in the rosters of the tenant; at partner
/// level, in those of its clients too.
#[utoipa::path(
    operation_id = "createUserCalendar",
    params(UserId),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/users/{userId}/calendars")]
pub async fn create_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<UserId>,
) -> api::Result<HttpResponse> {
    create(context, people, CalendarOwner::User(id.0)).await
}

/// List the calendar addresses of a user
#[utoipa::path(
    operation_id = "listUserCalendars",
    params(UserId),
    responses((status = 200, description = "The addresses", body = Vec<Listed>)),
    security(("bearer" = ["operator"]))
)]
#[get("/rosters/users/{userId}/calendars")]
pub async fn list_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<UserId>,
) -> api::Result<HttpResponse> {
    list(context, people, CalendarOwner::User(id.0)).await
}

/// Revoke a calendar address of a user
#[utoipa::path(
    operation_id = "deleteUserCalendar",
    params(UserId, CalendarId),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/users/{userId}/calendars/{calendarId}")]
pub async fn delete_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((id, calendar)): PathIds<(UserId, CalendarId)>,
) -> api::Result<HttpResponse> {
    delete(context, people, CalendarOwner::User(id.0), calendar).await
}

async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    of: CalendarOwner,
) -> api::Result<HttpResponse> {
    let token = feed::new_token()?;
    let origin = api::session::origin(context.request());
    context
        .write(move |tx, scope| {
            check_own(scope, &of)?;
            let (tenant, of) = owner(tx.conn, &**people, scope, of)?;
            let author = tx.author().to_owned();
            let now_ms = tx.now.millis();
            let row = store::insert(tx.conn, &tenant, &of, &token, &author, now_ms)?;
            tx.record_change(None, Some(&row))?;
            let authors = authors(tx.conn, &**people, scope, std::slice::from_ref(&row))?;
            let address = row.address(authors.of(&row.created_by));
            Answer::once(&CreatedAddress::new(address.clone(), &origin, &tenant, &of.place(), token), &address)
        })
        .await
}

async fn list(context: RequestContext, people: web::Data<dyn People>, of: CalendarOwner) -> api::Result<HttpResponse> {
    let addresses = context.read(move |conn, scope| {
        let (tenant, of) = owner(conn, &**people, scope, of)?;
        let rows = store::list(conn, &tenant, &of, scope.now)?;
        let authors = authors(conn, &**people, scope, &rows)?;
        Ok(rows.iter().map(|row| row.address(authors.of(&row.created_by))).collect::<Vec<_>>())
    });
    answer::ok(&addresses.await?)
}

async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    of: CalendarOwner,
    calendar: CalendarId,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (tenant, of) = owner(tx.conn, &**people, scope, of)?;
            let row = store::delete(tx.conn, &tenant, &of, &calendar)?;
            tx.record_change(Some(&row), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// Refuses what a key that is restricted to certain operations would hand out of somebody else: it acts for its own
/// user.
fn check_own(scope: &RequestScope, of: &CalendarOwner) -> Result<(), Problem> {
    match of {
        CalendarOwner::User(id) if scope.caller.operations.is_some() && scope.author() != id => {
            Err(Problem::forbidden(
                "A key that is restricted to certain operations makes calendar addresses of its own user alone.",
            ))
        }
        _ => Ok(()),
    }
}

/// The tenant of the calendar, and whose it is as that is stored; or 404.
fn owner(
    conn: &mut Conn,
    people: &dyn People,
    scope: &RequestScope,
    of: CalendarOwner,
) -> db::Result<(String, CalendarOwner)> {
    match of {
        CalendarOwner::Roster(id) => {
            let roster = roster::store::existing(conn, &scope.scope(), &id)?;
            Ok((roster.tenant_id, CalendarOwner::Roster(roster.id)))
        }
        CalendarOwner::User(id) => {
            let staff = RosterPeople::load(conn, people, &scope.scope_and_partner(), [], [id.clone()])?;
            staff.user(&id).ok_or_else(|| Problem::not_found("The user was not found."))?;
            Ok((scope.tenant_id().to_owned(), CalendarOwner::User(id)))
        }
    }
}

/// Who made these addresses.
fn authors(conn: &mut Conn, people: &dyn People, scope: &RequestScope, rows: &[Calendar]) -> db::Result<Authors> {
    Authors::load(conn, people, &scope.scope_and_partner(), rows.iter().map(|row| row.created_by.as_str()))
}
