//! Calendar addresses: made, listed and revoked.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{
    Answer, RequestContext, answer,
    feed::{self, Address, AddressOf, CreatedAddress},
    spec::PageOf,
};
use base::{Query, problem::Problem};
use db::Conn;
use outbox::{Change, Tx};
use ports::{Author, Authors, People};
use serde_json::json;

use super::store::{self, Of};
use crate::{
    crowd::Crowd,
    roster::{self, crew::user_id, http::tenants_of_people},
};

/// An address as it is listed.
type Listed = Address<Author>;

/// An address as it is told once.
type Created = CreatedAddress<Author>;

/// List all calendar addresses of rosters and users
///
/// A page of those of the tenant, without their tokens: who made which, and when it ends. `of` is the roster or the user.
#[utoipa::path(
    tag = "rosters",
    operation_id = "listCalendars",
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
#[get("/rosters/calendars")]
pub async fn list_of_tenant(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&["createdTime"], "createdTime", false);
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let (scope, tenants, people) = (context.scope(), tenants_of_people(&context), people.into_inner());
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &scope, sort, &walk)?;
        let makers = found.rows.iter().map(|row| row.created_by.as_str());
        let authors = Authors::load(conn, &*people, &tenants, makers)?;
        Ok(walk.answer(found.map(|row| row.listed(authors.of(&row.created_by)))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Create a calendar address of a roster
///
/// For calendar programs, which subscribe to it: whoever has the address reads who is on call, without another token.
/// The address is told once.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createRosterCalendar",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/{rosterId}/calendars")]
pub async fn create_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    create(context, people, Of::Roster(path.into_inner().1)).await
}

/// List the calendar addresses of a roster
///
/// Those in use, oldest first, without their tokens.
#[utoipa::path(
    tag = "rosters",
    operation_id = "listRosterCalendars",
    params(("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The addresses", body = Vec<Listed>)),
    security(("bearer" = ["operator"]))
)]
#[get("/rosters/{rosterId}/calendars")]
pub async fn list_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    list(context, people, Of::Roster(path.into_inner().1)).await
}

/// Revoke a calendar address of a roster
#[utoipa::path(
    tag = "rosters",
    operation_id = "deleteRosterCalendar",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("calendarId" = String, Path, description = "`CAL-<uuid>`", example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}/calendars/{calendarId}")]
pub async fn delete_of_roster(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    let (_, id, calendar) = path.into_inner();
    delete(context, people, Of::Roster(id), calendar).await
}

/// Create a calendar address of a user
///
/// The same, of all the shifts that a user of the tenant or its partner has in the rosters of the tenant.
#[utoipa::path(
    tag = "rosters",
    operation_id = "createUserCalendar",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses((status = 200, description = "The address", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/rosters/users/{userId}/calendars")]
pub async fn create_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    create(context, people, Of::User(path.into_inner().1)).await
}

/// List the calendar addresses of a user
#[utoipa::path(
    tag = "rosters",
    operation_id = "listUserCalendars",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses((status = 200, description = "The addresses", body = Vec<Listed>)),
    security(("bearer" = ["operator"]))
)]
#[get("/rosters/users/{userId}/calendars")]
pub async fn list_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    list(context, people, Of::User(path.into_inner().1)).await
}

/// Revoke a calendar address of a user
#[utoipa::path(
    tag = "rosters",
    operation_id = "deleteUserCalendar",
    params(
        ("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007"),
        ("calendarId" = String, Path, description = "`CAL-<uuid>`", example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f"),
    ),
    responses((status = 200, description = "Revoked; an empty object")),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/users/{userId}/calendars/{calendarId}")]
pub async fn delete_of_user(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    let (_, id, calendar) = path.into_inner();
    delete(context, people, Of::User(id), calendar).await
}

/// Where a calendar is looked for.
struct Place {
    people: web::Data<dyn People>,
    asked: Of,
    tenant: String,
    scope: Vec<String>,
    tenants: Vec<String>,
}

impl Place {
    fn new(context: &RequestContext, people: web::Data<dyn People>, asked: Of) -> Self {
        Self {
            people,
            asked,
            tenant: context.tenant.id.to_string(),
            scope: context.scope(),
            tenants: tenants_of_people(context),
        }
    }

    /// The tenant of the calendar, and whose it is; or 404.
    fn find(&self, conn: &mut Conn) -> db::Result<(String, Of)> {
        match &self.asked {
            Of::Roster(id) => {
                let roster = roster::store::existing(conn, &self.scope, id)?;
                Ok((roster.tenant_id, Of::Roster(roster.id)))
            }
            Of::User(id) => {
                let id = user_id(id);
                let crowd = Crowd::load(conn, &**self.people, &self.tenants, [], [id.clone()])?;
                crowd.user(&id).ok_or_else(|| Problem::not_found("The user was not found."))?;
                Ok((self.tenant.clone(), Of::User(id)))
            }
        }
    }

    /// Who made these addresses.
    fn authors(&self, conn: &mut Conn, rows: &[store::Calendar]) -> db::Result<Authors> {
        Authors::load(conn, &**self.people, &self.tenants, rows.iter().map(|row| row.created_by.as_str()))
    }
}

async fn create(context: RequestContext, people: web::Data<dyn People>, asked: Of) -> api::Result<HttpResponse> {
    let (place, author, now) = (Place::new(&context, people, asked), context.caller.user_id.clone(), context.now);
    let token = feed::new_token()?;
    context
        .write(move |tx, _| {
            let (tenant, of) = place.find(tx.conn)?;
            let row = store::insert(tx.conn, &tenant, &of, &token, &author, now.millis())?;
            note(tx, None, Some(&row));
            let authors = place.authors(tx.conn, std::slice::from_ref(&row))?;
            let address = row.address(authors.of(&row.created_by));
            Answer::once(&CreatedAddress::new(address.clone(), &tenant, &of.place(), token), &address)
        })
        .await
}

async fn list(context: RequestContext, people: web::Data<dyn People>, asked: Of) -> api::Result<HttpResponse> {
    let place = Place::new(&context, people, asked);
    let addresses = context.db.read(move |conn| {
        let (tenant, of) = place.find(conn)?;
        let rows = store::list(conn, &tenant, &of)?;
        let authors = place.authors(conn, &rows)?;
        Ok(rows.iter().map(|row| row.address(authors.of(&row.created_by))).collect::<Vec<_>>())
    });
    answer::ok(&addresses.await?)
}

async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    asked: Of,
    calendar: String,
) -> api::Result<HttpResponse> {
    let place = Place::new(&context, people, asked);
    context
        .write(move |tx, _| {
            let (tenant, of) = place.find(tx.conn)?;
            let row = store::delete(tx.conn, &tenant, &of, &calendar)?;
            note(tx, Some(&row), None);
            Ok(Answer::empty())
        })
        .await
}

/// Notes that a calendar address was made or revoked.
fn note(tx: &mut Tx<'_>, before: Option<&store::Calendar>, after: Option<&store::Calendar>) {
    let Some(row) = after.or(before) else { return };
    let state = |row: &store::Calendar| json!({"id": row.id, "rosterId": row.roster_id, "userId": row.user_id});
    tx.note(Change {
        tenant_id: row.tenant_id.clone(),
        entity: "RosterCalendar",
        entity_id: row.id.clone(),
        before: before.map(state),
        after: after.map(state),
        publish: false,
    });
}
