//! Contact methods over HTTP. They are their owner's: that person and admins alone see and change them.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version};
use outbox::{Entity, Tx, Unpublished};

use super::{
    documented::ContactMethodInput,
    rules,
    store::{self, Row},
    wire::{Change, ContactMethod},
};
use crate::{Neighbours, whose};

/// Notes that a method is new, has changed or is gone.
pub fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "ContactMethod", id: &row.id, publish: false };
    let secret = |row: Option<&Row>| row.is_some_and(|row| !row.sealed.is_empty());
    let sealed = |row: Option<&Row>| row.map(|row| row.sealed.clone());
    let changed = sealed(before) != sealed(after) && (secret(before) || secret(after));
    let unpublished = changed.then(|| Unpublished::secret("url", secret(before), secret(after)));
    let shown = |row: Option<&Row>| row.map(ContactMethod::from);
    tx.note_shown_with(entity, shown(before).as_ref(), shown(after).as_ref(), unpublished.into_iter().collect())
}

/// Add a contact method
///
/// A way to reach a person, at most 20. Nothing but a code is sent to it until it is verified. Only that person and admins
/// see it.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "createContactMethod",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    request_body(content = ContactMethodInput),
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
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let asked = whose::Asked::of(&context, &path.into_inner().1);
    let change = Change::read(&body.0, true)?;
    let now_ms = context.now.millis();
    context
        .write(move |tx, _| {
            let (tenant, user) = asked.find(tx.conn, &neighbours)?;
            asked.may_verify(change.verified)?;
            let kind = change.kind.unwrap_or(rules::HTTP);
            let preset = if kind == rules::EMAIL { "" } else { change.preset.unwrap_or(rules::PRESETS[0].name) };
            let destination = rules::laid_over(&rules::Destination::new(), &change.fields);
            rules::check(kind, preset, &destination, |url| neighbours.sends.check_url(url))?;
            let mut row = Row {
                tenant_id: tenant,
                id: format!("CM-{}", uuid::Uuid::now_v7()),
                version: 1,
                user_id: user,
                name: change.name.unwrap_or_default(),
                kind: kind.to_owned(),
                preset: preset.to_owned(),
                settings: String::new(),
                sealed: String::new(),
                verified: change.verified.unwrap_or(false),
                code_hash: String::new(),
                code_until_ms: 0,
                code_tries: 0,
                created_ms: now_ms,
                updated_ms: now_ms,
            };
            row.set(&*neighbours.seals, &destination)?;
            store::take_up(tx.conn, &row.tenant_id, &row.user_id)?;
            store::insert(tx.conn, &row)?;
            note(tx, None, Some(&row))?;
            Answer::entity(&ContactMethod::from(&row), row.version)
        })
        .await
}

/// List contact methods
///
/// Those of a person, at most 20, in the order in which they were made.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "listContactMethods",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses((status = 200, description = "The contact methods", body = Vec<ContactMethod>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/contactMethods")]
pub async fn list(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let asked = whose::Asked::of(&context, &path.into_inner().1);
    let rows = context.db.read(move |conn| {
        let (tenant, user) = asked.find(conn, &neighbours)?;
        store::of_user(conn, &tenant, &user)
    });
    answer::ok(&rows.await?.iter().map(ContactMethod::from).collect::<Vec<_>>())
}

/// Get a contact method
#[utoipa::path(
    tag = "contact methods",
    operation_id = "getContactMethod",
    params(
        ("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007"),
        ("contactMethodId" = String, Path, description = "`CM-<uuid>`", example = "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"),
    ),
    responses((status = 200, description = "The contact method", body = ContactMethod)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/contactMethods/{contactMethodId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    let (_, user, id) = path.into_inner();
    let asked = whose::Asked::of(&context, &user);
    let row = context.db.read(move |conn| {
        let (tenant, user) = asked.find(conn, &neighbours)?;
        store::existing(conn, &tenant, &user, &id)
    });
    let row = row.await?;
    answer::entity(&context, &ContactMethod::from(&row), row.version)
}

/// Update a contact method
///
/// What is left out stays as it is; an empty text takes a value away. One that leads elsewhere has to be verified again, and
/// a password or token does not go along to another host.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "updateContactMethod",
    params(
        ("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007"),
        ("contactMethodId" = String, Path, description = "`CM-<uuid>`", example = "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"),
    ),
    request_body(content = ContactMethodInput),
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
    path: web::Path<(String, String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (_, user, id) = path.into_inner();
    let (asked, wanted) = (whose::Asked::of(&context, &user), context.if_match()?);
    let change = Change::read(&body.0, false)?;
    let now_ms = context.now.millis();
    context
        .write(move |tx, _| {
            let (tenant, user) = asked.find(tx.conn, &neighbours)?;
            asked.may_verify(change.verified)?;
            store::take_up(tx.conn, &tenant, &user)?;
            let old = store::existing(tx.conn, &tenant, &user, &id)?;
            check_version(wanted, old.version)?;
            if change.kind.is_some_and(|kind| kind != old.kind) {
                return Err(base::Problem::field("type", "cannot be changed: add another contact method").into());
            }
            let before = old.open(&*neighbours.seals)?;
            let destination = rules::laid_over(&before, &change.fields);
            let preset = match change.preset {
                Some(preset) if old.kind == rules::HTTP => preset.to_owned(),
                _ => old.preset.clone(),
            };
            rules::check(&old.kind, &preset, &destination, |url| neighbours.sends.check_url(url))?;
            let same = destination == before && preset == old.preset;
            // Another text is no other place.
            let place = |destination: &rules::Destination| {
                let mut place = destination.clone();
                place.retain(|name, _| name != "template" && name != "contentType");
                place
            };
            let leads_there = place(&destination) == place(&before) && preset == old.preset;
            let mut row = Row {
                version: old.version + 1,
                name: change.name.unwrap_or_else(|| old.name.clone()),
                preset,
                verified: change.verified.unwrap_or(old.verified && leads_there),
                code_hash: if leads_there { old.code_hash.clone() } else { String::new() },
                updated_ms: now_ms,
                ..old.clone()
            };
            if !same {
                row.set(&*neighbours.seals, &destination)?;
            }
            store::update(tx.conn, &row)?;
            note(tx, Some(&old), Some(&row))?;
            Answer::entity(&ContactMethod::from(&row), row.version)
        })
        .await
}

/// Delete a contact method
///
/// Notification rules that name it pass it over from then on.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "deleteContactMethod",
    params(
        ("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007"),
        ("contactMethodId" = String, Path, description = "`CM-<uuid>`", example = "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"),
    ),
    responses(
        (status = 200, description = "It is gone", body = Object),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[delete("/users/{userId}/contactMethods/{contactMethodId}")]
pub async fn delete(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String, String)>,
) -> api::Result<HttpResponse> {
    let (_, user, id) = path.into_inner();
    let (asked, wanted) = (whose::Asked::of(&context, &user), context.if_match()?);
    context
        .write(move |tx, _| {
            let (tenant, user) = asked.find(tx.conn, &neighbours)?;
            store::take_up(tx.conn, &tenant, &user)?;
            let old = store::existing(tx.conn, &tenant, &user, &id)?;
            check_version(wanted, old.version)?;
            store::delete(tx.conn, &old)?;
            note(tx, Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}
