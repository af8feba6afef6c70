//! Calendar addresses of windows: made, listed and revoked.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{
    Answer, RequestContext, answer,
    feed::{self, Address, AddressOf, CreatedAddress},
    spec::PageOf,
};
use base::Query;
use db::Conn;
use outbox::{Entity, Tx};
use ports::{Author, Authors};

use super::store;
use crate::{cover::Windows, window::store as windows};

/// An address as it is listed.
type Listed = Address<Author>;

/// An address as it is told once.
type Created = CreatedAddress<Author>;

/// List all calendar addresses of maintenance windows
///
/// A page of those of the tenant, without their tokens: who made which, and when it ends. `of` is the window.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "listAllMaintenanceCalendars",
    params(
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`createdTime`", example = "createdTime"),
    ),
    responses((status = 200, description = "A page of addresses", body = PageOf<AddressOf<Author>>)),
    security(("bearer" = ["admin"]))
)]
#[get("/scheduleMaintenances/calendars")]
pub async fn list_of_tenant(context: RequestContext<Query>, asked: web::Data<Windows>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&["createdTime"], "createdTime", false);
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let (scope, around) = (context.scope(), context.scope_and_partner());
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &scope, sort, &walk)?;
        let authors = authors(conn, &asked, &around, &found.rows)?;
        Ok(walk.answer(found.map(|row| row.listed(authors.of(&row.created_by)))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Create a calendar address of a maintenance window
///
/// For calendar programs, which subscribe to it: whoever has the address reads when the window is open, without another
/// token. The address is told once.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "createMaintenanceCalendar",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/calendars")]
pub async fn create(
    context: RequestContext,
    asked: web::Data<Windows>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, around, id) = (context.scope(), context.scope_and_partner(), path.into_inner().1);
    let (author, now) = (context.caller.user_id.clone(), context.now);
    let token = feed::new_token()?;
    context
        .write(move |tx, _| {
            let window = windows::existing(tx.conn, &scope, &id)?;
            let row = store::insert(tx.conn, &window, &token, &author, now)?;
            note(tx, None, Some(&row))?;
            let authors = authors(tx.conn, &asked, &around, std::slice::from_ref(&row))?;
            let address = row.address(authors.of(&row.created_by));
            let place = format!("scheduleMaintenances/{}", window.id);
            Answer::once(&CreatedAddress::new(address.clone(), &window.tenant_id, &place, token), &address)
        })
        .await
}

/// List the calendar addresses of a maintenance window
///
/// Those in use, oldest first, without their tokens.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "listMaintenanceCalendars",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The addresses", body = Vec<Listed>)),
    security(("bearer" = ["operator"]))
)]
#[get("/scheduleMaintenances/{windowId}/calendars")]
pub async fn list(
    context: RequestContext,
    asked: web::Data<Windows>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, around, id) = (context.scope(), context.scope_and_partner(), path.into_inner().1);
    let addresses = context.db.read(move |conn| {
        let window = windows::existing(conn, &scope, &id)?;
        let rows = store::list(conn, &window)?;
        let authors = authors(conn, &asked, &around, &rows)?;
        Ok(rows.iter().map(|row| row.address(authors.of(&row.created_by))).collect::<Vec<_>>())
    });
    answer::ok(&addresses.await?)
}

/// Who made these addresses; `around` are the tenants whose people may have.
fn authors(conn: &mut Conn, asked: &Windows, around: &[String], rows: &[store::Calendar]) -> db::Result<Authors> {
    Authors::load(conn, asked.people(), around, rows.iter().map(|row| row.created_by.as_str()))
}

/// Revoke a calendar address of a maintenance window
#[utoipa::path(
    tag = "maintenance",
    operation_id = "deleteMaintenanceCalendar",
    params(
        ("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("calendarId" = String, Path, description = "`CAL-<uuid>`", example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}/calendars/{calendarId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String, String)>) -> api::Result<HttpResponse> {
    let (scope, (_, id, calendar)) = (context.scope(), path.into_inner());
    context
        .write(move |tx, _| {
            let window = windows::existing(tx.conn, &scope, &id)?;
            let row = store::delete(tx.conn, &window, &calendar)?;
            note(tx, Some(&row), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// Notes that a calendar address was made or revoked.
fn note(tx: &mut Tx<'_>, before: Option<&store::Calendar>, after: Option<&store::Calendar>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "MaintenanceCalendar", id: &row.id, publish: false };
    let shown =
        |row: Option<&store::Calendar>| row.map(|row| (row.window_id.clone(), row.address(row.created_by.clone())));
    tx.note_shown(entity, shown(before).as_ref(), shown(after).as_ref())
}
