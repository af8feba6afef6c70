//! Integration events over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, List, PageQuery, PathIds, RequestContext, RequestScope, answer, cpu, delete, get, post, spec::PageOf,
};
use base::{
    Fields, Problem,
    body::ignored,
    matching::{Exhausted, Meter, has_expressions},
    page::MAX_PAGE_SIZE,
    timestamp::Timestamp,
};
use db::{Conn, Json};
use outbox::Tx;
use serde_json::Value;

use crate::{
    delivery::{queue, store as deliveries},
    egress::Guard,
    event::{
        filter::Criteria,
        record,
        row::Row,
        store,
        wire::{Event, EventId, Input, ParsedEvent, Placeholders},
    },
    installed::{row::Row as Integration, store as installations, wire::IntegrationId},
    notifier::Secrets,
    placeholders::{self, Entity},
    services::Services,
    vault::Vault,
};

const PREFIX: &str = "INTG-EVENT-";
/// Where an event has its notifier.
const NOTIFIER: &str = "notifier";

/// The most events of one integration.
const MOST: usize = 20_000;

/// Create an integration event
///
/// Under a new id. All fields are optional; without `entity` and `eventType`, or without a notifier, the event does not
/// fire.
#[utoipa::path(
    operation_id = "createIntegrationEvent",
    params(IntegrationId),
    request_body(content = Input, example = json!({
        "name": "Ticket for an incident", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "eventPayload": "{\"title\": \"$incident.subject\"}"
    })),
    responses((status = 200, description = "The new event", body = Event)),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event")]
pub async fn create(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(integration): PathIds<IntegrationId>,
    body: Body,
) -> api::Result<HttpResponse> {
    put(context, services, integration, None, body).await
}

/// Configure an integration event
///
/// Updates the event, or creates it under this id when it does not exist. Fields left out of an update stay as they
/// are, those of `notifier` too; a notifier that is pointed at another host needs its secrets again.
#[utoipa::path(
    operation_id = "configureIntegrationEvent",
    params(IntegrationId, EventId),
    request_body(content = Input, example = json!({
        "name": "Ticket for an incident", "entity": "INCIDENT", "eventType": "CREATE", "useBaseNotifier": false,
        "notifier": {"type": "REST_API", "baseURI": "https://example.net/api", "authType": "BASIC",
            "userName": "muster", "password": "…"},
        "endPointURI": "/tickets", "thirdPartyEventType": "POST", "headers": [{"key": "X-Source", "value": "muster"}],
        "payload": "eyJ0aXRsZSI6ICIkaW5jaWRlbnQuc3ViamVjdCJ9"
    })),
    responses(
        (status = 200, description = "The event", body = Event),
        (status = 409, description = "Another integration of the tenant has an event of this id"),
        (status = 412, description = "The event has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}")]
pub async fn configure(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
    body: Body,
) -> api::Result<HttpResponse> {
    put(context, services, integration, Some(id), body).await
}

/// The id as it is stored, when it is one.
fn canonical(id: &str) -> Option<String> {
    let uuid = id.get(..PREFIX.len()).filter(|start| start.eq_ignore_ascii_case(PREFIX)).and(id.get(PREFIX.len()..))?;
    let parsed = uuid::Uuid::parse_str(uuid).ok()?;
    (uuid.len() == 36).then(|| format!("{PREFIX}{parsed}"))
}

async fn put(
    context: RequestContext,
    services: web::Data<Services>,
    integration: IntegrationId,
    id: Option<EventId>,
    body: Body,
) -> api::Result<HttpResponse> {
    let Body(body) = checked(body).await?;
    context
        .write(move |tx, scope| {
            let meter = &Meter::new(Meter::WRITE);
            let now = scope.now;
            let integration = installations::lock_for_update(tx.conn, &scope.scope(), &integration)?;
            let tenant = integration.tenant_id.clone();
            let known = match &id {
                Some(id) => {
                    let canonical = canonical(id).ok_or_else(store::none)?;
                    store::find(tx.conn, &tenant, &integration.id, &canonical)?
                }
                None => None,
            };
            let row = match known {
                Some(old) => {
                    scope.check_version(old.version)?;
                    change_row(tx, (&services.vault, &services.guard, meter), &integration, &old, &body)?
                }
                None => {
                    // A version of something that is named and not there matches nothing.
                    if id.is_some() {
                        scope.check_version(0)?;
                    }
                    if let Some(id) = id.as_deref().and_then(canonical) {
                        make_room(tx.conn, &tenant, id, now)?;
                    }
                    create_row(tx, (&services.vault, &services.guard, meter), &integration, id.as_deref(), &body, now)?
                }
            };
            Answer::entity(&Event::of(&row, integration.notifier()), row.version)
        })
        .await
}

/// Removes what an event that was deleted has left under an id that another one is to have, whose it is not.
fn make_room(conn: &mut Conn, tenant: &str, id: String, now: Timestamp) -> db::Result<()> {
    let lane = (tenant.to_owned(), id.clone());
    store::clear_gone(conn, tenant, &[id].into(), now)?;
    if queue::is_gone(conn, &lane)? {
        let mut problem = Problem::conflict(
            "The event of this id was deleted, and its deliveries are being removed; ask again in a moment.",
        );
        problem.retry_after = Some(1);
        return Err(problem.into());
    }
    Ok(())
}

/// Checks the expressions of a body before the write, which need not compile them then: others wait for a write.
async fn checked(body: Body) -> api::Result<Body> {
    if !has_expressions(&body.0) {
        return Ok(body);
    }
    cpu::run(move |meter| {
        // What is wrong or not known is told with all that is, when the whole is read.
        drop(ignored::collect(|| {
            let mut fields = Fields::of(&body.0);
            fields.object("filterCriteria").map(|mut criteria| Criteria::read(&mut criteria, meter))
        }));
        match meter.is_exhausted() {
            true => Err(Problem::field("filterCriteria", Exhausted.to_string()).into()),
            false => Ok(body),
        }
    })
    .await
}

/// Stores a new event of an integration.
pub fn create_row(
    tx: &mut Tx<'_>,
    (vault, guard, meter): (&Vault, &Guard, &Meter),
    integration: &Integration,
    id: Option<&str>,
    body: &Value,
    now: Timestamp,
) -> db::Result<Row> {
    let mut read = ParsedEvent::of(body, None, integration.notifier().as_ref(), guard, meter)?;
    let tenant = &integration.tenant_id;
    let id = match id {
        Some(id) => canonical(id).ok_or_else(store::none)?,
        None => format!("{PREFIX}{}", uuid::Uuid::new_v4()),
    };
    if store::is_taken(tx.conn, tenant, &id)? {
        return Err(Problem::conflict("Another integration of this tenant has an event with this id.").into());
    }
    if store::count(tx.conn, tenant, &integration.id)? >= MOST {
        return Err(Problem::conflict(format!("An integration has at most {MOST} events.")).into());
    }
    number(&mut read, tx, None)?;
    let mut row = Row {
        tenant_id: tenant.clone(),
        id,
        integration_id: integration.id.clone(),
        version: 1,
        active: true,
        inactive_because: String::new(),
        config: Json::default(),
        secrets: String::new(),
        created_ms: now.millis(),
        updated_ms: None,
        gone: false,
    };
    row.set(vault, &read.config, &read.secrets)?;
    store::insert(tx.conn, &row)?;
    record::change_with(tx, integration, None, Some(&row), Secrets::default().changes(&read.secrets, NOTIFIER))?;
    Ok(row)
}

/// Changes an event of an integration as a body says.
///
/// # Errors
/// 400 that lists every field that is wrong.
pub fn change_row(
    tx: &mut Tx<'_>,
    (vault, guard, meter): (&Vault, &Guard, &Meter),
    integration: &Integration,
    old: &Row,
    body: &Value,
) -> db::Result<Row> {
    let config = old.config.0.clone();
    let secrets = old.open_secrets(vault)?;
    let mut read = ParsedEvent::of(body, Some((&config, &secrets)), integration.notifier().as_ref(), guard, meter)?;
    number(&mut read, tx, config.filter_criteria.map(|criteria| criteria.id))?;
    let mut row = old.changed(tx.now);
    row.set(vault, &read.config, &read.secrets)?;
    store::update(tx.conn, &row)?;
    record::change_with(tx, integration, Some(old), Some(&row), secrets.changes(&read.secrets, NOTIFIER))?;
    // How it did before says nothing of how it does now.
    queue::clear_failures(tx.conn, &(row.tenant_id.clone(), row.id.clone()))?;
    Ok(row)
}

/// Gives criteria without a number the former one, or a new one.
fn number(read: &mut ParsedEvent, tx: &mut Tx<'_>, former: Option<i64>) -> db::Result<()> {
    if let Some(criteria) = read.config.filter_criteria.as_mut().filter(|criteria| criteria.id == 0) {
        criteria.id = match former.filter(|id| *id != 0) {
            Some(id) => id,
            None => db::next_id(tx.conn, "integration_filters")?,
        };
    }
    Ok(())
}

/// Get an integration event
#[utoipa::path(
    operation_id = "getIntegrationEvent",
    params(IntegrationId, EventId),
    responses((status = 200, description = "The event", body = Event)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/{installedIntgId}/event/{eventId}")]
pub async fn get(
    context: RequestContext,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let (integration, row) = existing(conn, &tenant.scope(), &integration, &id)?;
        Answer::entity(&Event::of(&row, integration.notifier()), row.version)
    });
    answered.await
}

/// The list of the events of an integration.
#[derive(Clone, Debug)]
pub struct Events;

impl List for Events {
    const SORT: &'static str = store::ORDER.name;
}

/// List the events of an integration
///
/// A page of them, oldest first.
#[utoipa::path(
    operation_id = "listIntegrationEvents",
    params(IntegrationId, PageQuery<Events>),
    responses((status = 200, description = "A page of events", body = PageOf<Event>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/{installedIntgId}/events")]
pub async fn list(
    context: RequestContext<PageQuery<Events>>,
    PathIds(id): PathIds<IntegrationId>,
) -> api::Result<HttpResponse> {
    let walk = context.query.walk.clone();
    let page = context.read_many(move |conn, scope| {
        let integration = installations::existing(conn, &scope.scope(), &id)?;
        let found = store::page(conn, &integration.tenant_id, &integration.id, &walk)?;
        Ok(walk.answer(found.map(|row| Event::of(&row, integration.notifier()))))
    });
    answer::ok(&page.await?)
}

/// Delete an integration event
///
/// With its deliveries, delivered or not. Nothing of it is shown or sent any more; many deliveries are removed in the
/// minutes after.
#[utoipa::path(
    operation_id = "deleteIntegrationEvent",
    params(IntegrationId, EventId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[delete("/integrations/installed/{installedIntgId}/event/{eventId}")]
pub async fn delete(
    context: RequestContext,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (integration, row) = lock_for_update(tx, scope, &integration, &id)?;
            store::delete(tx.conn, std::slice::from_ref(&row), tx.now)?;
            record::change(tx, &integration, Some(&row), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// Activate an integration event
///
/// It fires again, and pending deliveries are sent.
#[utoipa::path(
    operation_id = "activateIntegrationEvent",
    params(IntegrationId, EventId),
    responses(
        (status = 200, description = "The event", body = Event),
        (status = 412, description = "The event has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}/activate")]
pub async fn activate(
    context: RequestContext,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
) -> api::Result<HttpResponse> {
    switch(context, integration, id, true).await
}

/// Deactivate an integration event
///
/// It does not fire any more, and pending deliveries wait.
#[utoipa::path(
    operation_id = "deactivateIntegrationEvent",
    params(IntegrationId, EventId),
    responses(
        (status = 200, description = "The event", body = Event),
        (status = 412, description = "The event has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}/deactivate")]
pub async fn deactivate(
    context: RequestContext,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
) -> api::Result<HttpResponse> {
    switch(context, integration, id, false).await
}

async fn switch(
    context: RequestContext,
    integration: IntegrationId,
    id: EventId,
    active: bool,
) -> api::Result<HttpResponse> {
    if active {
        let named = (integration.clone(), id.clone());
        let bring_forward = move |conn: &mut Conn, scope: &RequestScope| {
            let (_, row) = existing(conn, &scope.scope(), &named.0, &named.1)?;
            scope.check_version(row.version)?;
            let of = deliveries::DeliveriesOf::Event(&row.id);
            Ok(!row.active && deliveries::bring_forward(conn, &row.tenant_id, of, scope.now)?)
        };
        context.in_steps(bring_forward).await?;
    }
    context
        .write(move |tx, scope| {
            let (integration, old) = lock_for_update(tx, scope, &integration, &id)?;
            let row = switch_row(tx, &integration, old, active)?;
            Answer::entity(&Event::of(&row, integration.notifier()), row.version)
        })
        .await
}

/// Activates or deactivates an event.
pub fn switch_row(tx: &mut Tx<'_>, integration: &Integration, old: Row, active: bool) -> db::Result<Row> {
    if old.active == active {
        return Ok(old);
    }
    let row = Row { active, inactive_because: String::new(), ..old.changed(tx.now) };
    store::update(tx.conn, &row)?;
    if active {
        let of = deliveries::DeliveriesOf::Event(&row.id);
        deliveries::bring_forward_in_place(tx.conn, &row.tenant_id, of, tx.now)?;
        deliveries::release(tx.conn, &row.tenant_id, &row.id, tx.now)?;
        queue::clear_failures(tx.conn, &(row.tenant_id.clone(), row.id.clone()))?;
    }
    record::change(tx, integration, Some(&old), Some(&row))?;
    Ok(row)
}

/// The list of the placeholders of an entity.
#[derive(Clone, Debug)]
pub struct PlaceholderList;

impl List for PlaceholderList {
    const SORT: &'static str = "name";
    const PAGE_SIZE: u32 = MAX_PAGE_SIZE;
}

/// List the placeholders of an entity
///
/// What a template of its events may hold. `.*` stands for any further names; `$<entity>.previous.…` is the state
/// before an update.
#[utoipa::path(
    operation_id = "listPlaceholders",
    params(
        ("entity" = String, Path, description = "An entity of events", example = "INCIDENT"),
        PageQuery<PlaceholderList>,
    ),
    responses((status = 200, description = "The placeholders", body = Placeholders)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/events/placeHolders/{entity}")]
pub async fn place_holders(
    context: RequestContext<PageQuery<PlaceholderList>>,
    PathIds(entity): PathIds<String>,
) -> api::Result<HttpResponse> {
    let walk = context.query.walk.clone();
    let entity = Entity::find(&entity);
    let entity = entity.ok_or_else(|| {
        let known = Entity::WORDS.join(", ");
        Problem::not_found(format!("Entity not found; events are about one of: {known}"))
    })?;
    let prefix = entity.prefix();
    let plain = entity.properties().iter().map(|name| format!("${prefix}.{name}"));
    let open = entity.open().iter().map(|name| format!("${prefix}.{name}.*"));
    let of_event = placeholders::EVENT.iter().map(|name| format!("$event.{name}"));
    let date = entity.properties().iter().find(|name| name.ends_with("Date")).copied().unwrap_or("createdDate");
    let page = walk.answer(walk.of_all(plain.chain(open).chain(of_event).collect(), String::clone));
    answer::ok(&Placeholders {
        entity: entity.word(),
        place_holders: page.results.clone(),
        page,
        functions: vec![format!("$utils.convertDate(${prefix}.{date},'yyyy-MM-dd HH:mm:ss')")],
    })
}

/// An event and its integration.
pub fn existing(conn: &mut db::Conn, scope: &[String], integration: &str, id: &str) -> db::Result<(Integration, Row)> {
    let integration = installations::existing(conn, scope, integration)?;
    let row = match canonical(id) {
        Some(id) => store::find(conn, &integration.tenant_id, &integration.id, &id)?,
        None => None,
    };
    Ok((integration, row.ok_or_else(store::none)?))
}

/// The event that is to be changed, which nobody else changes until the end of the transaction.
fn lock_for_update(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    integration: &str,
    id: &str,
) -> db::Result<(Integration, Row)> {
    let (seen, _) = existing(tx.conn, &scope.scope(), integration, id)?;
    installations::lock_tenant(tx.conn, &seen.tenant_id)?;
    let (integration, row) = existing(tx.conn, &scope.scope(), integration, id)?;
    scope.check_version(row.version)?;
    Ok((integration, row))
}
