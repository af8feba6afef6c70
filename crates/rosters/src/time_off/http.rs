//! Time off over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, answer, delete, get, post,
    spec::PageOf,
};
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::Tx;
use ports::{Authors, People};

use super::{
    permissions, row, rules, store, view,
    wire::{NewTimeOff, TimeOff, TimeOffChange, TimeOffId, TimeOffRange},
};
use crate::{absences, roster::wire::UserId};

api::list! {
    /// The list of a user's time off.
    pub TimeOffs by store::SORTS: SORT = "from"
}

/// Enter time off
///
/// When a user of the tenant is away, at most 500 entries of each. Everybody writes their own; operators, integrators
/// and admins that of others, too.
#[utoipa::path(
    operation_id = "createTimeOff",
    params(UserId),
    request_body(content = NewTimeOff),
    responses(
        (status = 200, description = "The time off", body = TimeOff),
        (status = 409, description = "The user has 500 entries already"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/timeOff")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(UserId(user)): PathIds<UserId>,
    Body(new): Body<NewTimeOff>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = permissions::writable(tx.conn, &**people, scope, &user)?;
            let row = rules::created(&tenant, &user, new, tx.author(), tx.now);
            absences::store::lock_for_update(tx.conn, &tenant)?;
            store::insert(tx.conn, &row)?;
            tx.record_change(None, Some(&row))?;
            answered(tx.conn, &**people, scope, row)
        })
        .await
}

/// Search time off
///
/// A page of the time off of a user of the tenant, past entries included; they are kept for two years after their end.
#[utoipa::path(
    operation_id = "searchTimeOff",
    params(UserId, PageQuery<TimeOffs, TimeOffRange>),
    responses((status = 200, description = "A page of time off", body = PageOf<TimeOff>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/timeOff/search")]
pub async fn search(
    context: RequestContext<PageQuery<TimeOffs, TimeOffRange>>,
    people: web::Data<dyn People>,
    PathIds(UserId(user)): PathIds<UserId>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: TimeOffRange { from, to }, .. } = context.query.clone();
    if from.zip(to).is_some_and(|(from, to)| to <= from) {
        return Err(Problem::field("to", "must be after from").into());
    }
    let within = (from.map_or(i64::MIN, Timestamp::millis), to.map_or(i64::MAX, Timestamp::millis));
    let page = context.page(move |conn, scope, sort, walk| {
        let tenant = permissions::tenant_of(conn, &**people, scope, &user)?;
        let found = store::page(conn, (&tenant, &user), within, sort, walk)?;
        let named = authors(conn, &**people, scope, &found.rows)?;
        Ok(found.map(|row| view::one(row, &named)))
    });
    page.await
}

/// Get time off
#[utoipa::path(
    operation_id = "getTimeOff",
    params(UserId, TimeOffId),
    responses((status = 200, description = "The time off", body = TimeOff)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/timeOff/{timeOffId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((user, id)): PathIds<(UserId, TimeOffId)>,
) -> api::Result<HttpResponse> {
    let read = context.read(move |conn, scope| {
        permissions::tenant_of(conn, &**people, scope, &user)?;
        let row = existing(conn, scope, &user, &id)?;
        let named = authors(conn, &**people, scope, std::slice::from_ref(&row))?;
        let version = row.version;
        Ok((view::one(row, &named), version))
    });
    let (shown, version) = read.await?;
    // The tag is that of what people change, for `If-Match`; whom it names may change without it.
    answer::tagged(&shown, version)
}

/// Update time off
///
/// What is left out stays as it is.
#[utoipa::path(
    operation_id = "updateTimeOff",
    params(UserId, TimeOffId),
    request_body(content = TimeOffChange),
    responses(
        (status = 200, description = "The time off after the change", body = TimeOff),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/timeOff/{timeOffId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((user, id)): PathIds<(UserId, TimeOffId)>,
    Body(change): Body<TimeOffChange>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = locked(tx, scope, &**people, &user, &id)?;
            let row = rules::changed(&old, change, tx.now)?;
            store::update(tx.conn, &old, &row)?;
            tx.record_change(Some(&old), Some(&row))?;
            answered(tx.conn, &**people, scope, row)
        })
        .await
}

/// Delete time off
#[utoipa::path(
    operation_id = "deleteTimeOff",
    params(UserId, TimeOffId),
    responses(
        (status = 200, description = "Deleted; an empty object", body = Object),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[delete("/users/{userId}/timeOff/{timeOffId}")]
pub async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds((user, id)): PathIds<(UserId, TimeOffId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = locked(tx, scope, &**people, &user, &id)?;
            store::delete(tx.conn, &old, tx.now)?;
            tx.record_change(Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// The time off of a user with this id, or 404.
fn existing(conn: &mut Conn, scope: &RequestScope, user: &str, id: &str) -> Result<row::TimeOff> {
    let found = row::TimeOff::find(conn, &scope.scope(), id)?.filter(|row| row.user_id == user);
    Ok(found.ok_or_else(row::TimeOff::not_found)?)
}

/// The same, to be changed: locked, and compared with what the caller has seen.
fn locked(tx: &mut Tx<'_>, scope: &RequestScope, people: &dyn People, user: &str, id: &str) -> Result<row::TimeOff> {
    permissions::writable(tx.conn, people, scope, user)?;
    existing(tx.conn, scope, user, id)?;
    row::TimeOff::locked(tx, scope, id)
}

fn answered(conn: &mut Conn, people: &dyn People, scope: &RequestScope, row: row::TimeOff) -> Result<Answer> {
    let named = authors(conn, people, scope, std::slice::from_ref(&row))?;
    let version = row.version;
    Answer::entity(&view::one(row, &named), version)
}

/// Those whom these rows name.
fn authors(conn: &mut Conn, people: &dyn People, scope: &RequestScope, rows: &[row::TimeOff]) -> Result<Authors> {
    let ids = rows.iter().flat_map(|row| [row.user_id.as_str(), row.created_by.as_str()]);
    Authors::load(conn, people, &scope.scope_and_partner(), ids)
}
