//! Calendar addresses of windows: made, listed and revoked.

use actix_web::{HttpResponse, web};
use api::{
    Answer, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, answer, delete,
    feed::{self, Address, CreatedAddress, TenantAddress},
    get, post,
    spec::PageOf,
};
use db::Conn;
use ports::{Author, Authors};

use super::{row::Calendar, store};
use crate::{
    neighbours::Neighbours,
    window::{row::Window, wire::WindowId},
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
type ListedAddress = Address<Author>;

/// An address as it is told once.
type Created = CreatedAddress<Author>;

/// List all calendar addresses of maintenance windows
///
/// A page of those of the tenant, without their tokens: who made which, and when it ends. `of` is the window.
#[utoipa::path(
    operation_id = "listAllMaintenanceCalendars",
    params(PageQuery<Calendars>),
    responses((status = 200, description = "A page of addresses", body = PageOf<TenantAddress<Author>>)),
    security(("bearer" = ["admin"]))
)]
#[get("/scheduleMaintenances/calendars")]
pub async fn list_of_tenant(
    context: RequestContext<PageQuery<Calendars>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::page(conn, &scope.scope(), scope.now, sort, walk)?;
        let authors = authors(conn, &neighbours, scope, &found.rows)?;
        Ok(found.map(|row| row.listed(authors.of(&row.created_by))))
    });
    page.await
}

/// Create a calendar address of a maintenance window
///
/// For calendar programs, which subscribe to it: anyone who has the address reads when the window is open, without
/// another token. The address is shown once.
#[utoipa::path(
    operation_id = "createMaintenanceCalendar",
    params(WindowId),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/calendars")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    let token = feed::new_token()?;
    let origin = api::session::origin(context.request());
    context
        .write(move |tx, scope| {
            let window = Window::existing(tx.conn, &scope.scope(), &id)?;
            let row = store::insert(tx.conn, &window, &token, scope.author(), tx.now)?;
            tx.record_change(None, Some(&row))?;
            let authors = authors(tx.conn, &neighbours, scope, std::slice::from_ref(&row))?;
            let address = row.address(authors.of(&row.created_by));
            let place = format!("scheduleMaintenances/{}", window.id);
            Answer::once(&CreatedAddress::new(address.clone(), &origin, &window.tenant_id, &place, token), &address)
        })
        .await
}

/// List the calendar addresses of a maintenance window
///
/// Those in use, oldest first, without their tokens.
#[utoipa::path(
    operation_id = "listMaintenanceCalendars",
    params(WindowId),
    responses((status = 200, description = "The addresses", body = Vec<ListedAddress>)),
    security(("bearer" = ["operator"]))
)]
#[get("/scheduleMaintenances/{windowId}/calendars")]
pub async fn list(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    let addresses = context.read(move |conn, scope| {
        let window = Window::existing(conn, &scope.scope(), &id)?;
        let rows = store::list(conn, &window, scope.now)?;
        let authors = authors(conn, &neighbours, scope, &rows)?;
        Ok(rows.iter().map(|row| row.address(authors.of(&row.created_by))).collect::<Vec<_>>())
    });
    answer::ok(&addresses.await?)
}

/// Who made these addresses.
fn authors(conn: &mut Conn, neighbours: &Neighbours, scope: &RequestScope, rows: &[Calendar]) -> db::Result<Authors> {
    let makers = rows.iter().map(|row| row.created_by.as_str());
    Authors::load(conn, neighbours.people(), &scope.scope_and_partner(), makers)
}

/// Revoke a calendar address of a maintenance window
#[utoipa::path(
    operation_id = "deleteMaintenanceCalendar",
    params(WindowId, CalendarId),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}/calendars/{calendarId}")]
pub async fn delete(
    context: RequestContext,
    PathIds((id, calendar)): PathIds<(WindowId, CalendarId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let window = Window::existing(tx.conn, &scope.scope(), &id)?;
            let row = store::delete(tx.conn, &window, &calendar, tx.now)?;
            tx.record_change(Some(&row), None)?;
            Ok(Answer::empty())
        })
        .await
}
