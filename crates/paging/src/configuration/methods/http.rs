//! Contact methods over HTTP. They are their owner's: that person and admins alone see and change them.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, RequestScope, answer, delete, get, post};
use base::problem::Problem;
use outbox::Tx;

use super::{
    permissions,
    row::{Destination, Method},
    rules, store,
    view::record_change,
    wire::{ContactMethod, ContactMethodId, MethodChange, NewMethod, PersonId},
};
use crate::Neighbours;

/// Add a contact method
///
/// A way to reach a person, at most 20. Nothing but a code is sent to it until it is verified. Only that person and
/// admins see it.
#[utoipa::path(
    operation_id = "createContactMethod",
    params(PersonId),
    request_body(content = NewMethod),
    responses(
        (status = 200, description = "The contact method", body = ContactMethod),
        (status = 409, description = "The person has 20 already"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/contactMethods")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(user): PathIds<PersonId>,
    Body(NewMethod(new)): Body<NewMethod>,
) -> api::Result<HttpResponse> {
    let trial = tried(new.destination().remove("template")).await?;
    context
        .write(move |tx, scope| {
            let (tenant, user) = permissions::person(tx.conn, &neighbours, scope, &user)?;
            permissions::may_verify(scope, new.verified)?;
            let (row, destination) = rules::created(&tenant, &user, &new, tx.now);
            let row = create_row(tx, &neighbours, row, &destination, trial.as_ref())?;
            Answer::entity(&ContactMethod::from(&row), row.version)
        })
        .await
}

/// Stores a new method that leads there; `trial` is that of its template, where it is to be tried.
///
/// # Errors
/// 400 for where nothing may be sent, 409 when the person has as many as there may be.
pub fn create_row(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    mut row: Method,
    destination: &Destination,
    trial: Option<&rules::Trial>,
) -> db::Result<Method> {
    rules::check(&row.kind, &row.preset, destination, trial, |url| neighbours.sends.check_url(url))?;
    row.set(&*neighbours.seals, destination)?;
    store::lock(&row.tenant_id, &row.user_id).take(tx.conn)?;
    store::insert(tx.conn, &row)?;
    record_change(tx, None, Some(&row))?;
    Ok(row)
}

/// List contact methods
///
/// Those of a person, at most 20, in the order in which they were made.
#[utoipa::path(
    operation_id = "listContactMethods",
    params(PersonId),
    responses((status = 200, description = "The contact methods", body = Vec<ContactMethod>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/contactMethods")]
pub async fn list(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(user): PathIds<PersonId>,
) -> api::Result<HttpResponse> {
    let rows = context.read(move |conn, scope| {
        let (tenant, user) = permissions::person(conn, &neighbours, scope, &user)?;
        store::of_user(conn, &tenant, &user)
    });
    answer::ok(&rows.await?.iter().map(ContactMethod::from).collect::<Vec<_>>())
}

/// Get a contact method
#[utoipa::path(
    operation_id = "getContactMethod",
    params(PersonId, ContactMethodId),
    responses(
        (status = 200, description = "The contact method", body = ContactMethod),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/contactMethods/{contactMethodId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds((user, id)): PathIds<(PersonId, ContactMethodId)>,
) -> api::Result<HttpResponse> {
    let row = context.read(move |conn, scope| {
        let (tenant, user) = permissions::person(conn, &neighbours, scope, &user)?;
        store::existing(conn, &tenant, &user, &id)
    });
    let row = row.await?;
    answer::entity(&context, &ContactMethod::from(&row), row.version)
}

/// Update a contact method
///
/// Fields left out stay as they are; an empty text removes a value. One that leads elsewhere has to be verified again,
/// and a password or token is not kept for another host.
#[utoipa::path(
    operation_id = "updateContactMethod",
    params(PersonId, ContactMethodId),
    request_body(content = MethodChange),
    responses(
        (status = 200, description = "The contact method after the change", body = ContactMethod),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/contactMethods/{contactMethodId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds((user, id)): PathIds<(PersonId, ContactMethodId)>,
    Body(change): Body<MethodChange>,
) -> api::Result<HttpResponse> {
    let is_other = change.template.is_some() || change.content_type.is_some();
    let template = if is_other { template_after(&context, &neighbours, (&user, &id), &change).await? } else { None };
    let trial = tried(template).await?;
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &neighbours, &user, &id)?;
            scope.check_version(old.version)?;
            permissions::may_verify(scope, change.verified)?;
            let before = old.open(&*neighbours.seals)?;
            let (row, destination) = rules::changed(&old, &before, &change, tx.now)?;
            if is_other && destination.get("template") != trial.as_ref().map(|trial| &trial.template) {
                return Err(Problem::conflict("The contact method was changed at the same moment.").into());
            }
            let row = change_row(tx, &neighbours, &old, row, &destination, trial.as_ref())?;
            Answer::entity(&ContactMethod::from(&row), row.version)
        })
        .await
}

/// Stores a method that has changed, and leads there now; `trial` as in [`create_row`].
///
/// # Errors
/// 400 for where nothing may be sent.
pub fn change_row(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    old: &Method,
    mut row: Method,
    destination: &Destination,
    trial: Option<&rules::Trial>,
) -> db::Result<Method> {
    let before = old.open(&*neighbours.seals)?;
    // The URL that it has already may be written back, though it is refused since.
    let is_known = |url: &str| before.get("url").is_some_and(|known| known == url);
    let check_url = |url: &str| if is_known(url) { Ok(()) } else { neighbours.sends.check_url(url) };
    rules::check(&row.kind, &row.preset, destination, trial, check_url)?;
    if *destination != before || row.preset != old.preset {
        row.set(&*neighbours.seals, destination)?;
    }
    store::update(tx.conn, &row)?;
    record_change(tx, Some(old), Some(&row))?;
    Ok(row)
}

/// Delete a contact method
///
/// Notification rules that name it skip it from then on.
#[utoipa::path(
    operation_id = "deleteContactMethod",
    params(PersonId, ContactMethodId),
    responses(
        (status = 200, description = "Deleted; an empty object", body = Object),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[delete("/users/{userId}/contactMethods/{contactMethodId}")]
pub async fn delete(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds((user, id)): PathIds<(PersonId, ContactMethodId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &neighbours, &user, &id)?;
            scope.check_version(old.version)?;
            store::delete(tx.conn, &old)?;
            record_change(tx, Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// What a template makes of a message, found out where nobody else waits for it.
async fn tried(template: Option<String>) -> api::Result<Option<rules::Trial>> {
    match template.filter(|text| !text.is_empty()) {
        Some(text) => Ok(Some(api::cpu::run(move |_| Ok(rules::Trial::of(text))).await?)),
        None => Ok(None),
    }
}

/// The template that a method would have after a change.
async fn template_after(
    context: &RequestContext,
    neighbours: &web::Data<Neighbours>,
    (user, id): (&PersonId, &ContactMethodId),
    change: &MethodChange,
) -> api::Result<Option<String>> {
    let neighbours = neighbours.clone();
    let user = user.clone();
    let id = id.clone();
    let said = change.destination();
    let template = context.read(move |conn, scope| {
        let (tenant, user) = permissions::person(conn, &neighbours, scope, &user)?;
        let before = store::existing(conn, &tenant, &user, &id)?.open(&*neighbours.seals)?;
        Ok(rules::laid_over(&before, &said).remove("template"))
    });
    template.await
}

/// The method that is to be changed; nobody else changes those of its person until the end of the transaction.
pub fn lock_for_update(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    neighbours: &Neighbours,
    user: &PersonId,
    id: &str,
) -> db::Result<Method> {
    let (tenant, user) = permissions::person(tx.conn, neighbours, scope, user)?;
    store::lock(&tenant, &user).take(tx.conn)?;
    store::existing(tx.conn, &tenant, &user, id)
}
