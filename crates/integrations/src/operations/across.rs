//! The search for deliveries across events.

use std::{collections::HashMap, ops::Deref};

use actix_web::HttpResponse;
use api::{List, PageQuery, Parameters, RequestContext, get, spec::PageOf};
use base::{
    problem::Problem,
    query_string::{self, Term},
    text::fold,
    timestamp::Timestamp,
};
use db::{Condition, Conn, Json, Result};
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    delivery::{
        row::Row,
        store::{self, LONGEST_ABOUT},
        wire::{Delivery, DeliveryId, STATUSES},
    },
    event::{
        config::{ACTIONS, Config},
        store::is_any_gone,
        wire::EventId,
    },
    installed::wire::IntegrationId,
    schema::{integration_events, integrations},
    template::Entity,
};

/// The list of the deliveries of all events.
#[derive(Clone, Debug)]
pub struct Deliveries;

impl List for Deliveries {
    const SORT: &'static str = "createdTime";
    const DESCENDING: bool = true;
    const FILTER: &'static str = "status:failed+entity:INCIDENT";

    fn sorts() -> Vec<&'static str> {
        vec![Self::SORT]
    }
}

/// Which deliveries are listed.
#[derive(Clone, Debug, Parameters)]
pub struct DeliveryQuery {
    /// `pending`, `delivered` or `failed`.
    #[request(words = STATUSES, default = "", example = "failed")]
    pub status: &'static str,
    /// Created at or after it.
    #[request(example = "2026-11-20T20:37:00Z")]
    pub start_time: Option<Timestamp>,
    /// Created before it.
    #[request(example = "2026-11-21T20:37:00Z")]
    pub end_time: Option<Timestamp>,
}

/// The variables of a search.
const VARIABLES: [&str; 10] = [
    "id",
    "status",
    "eventId",
    "integrationId",
    "integrationName",
    "entity",
    "eventType",
    "entityId",
    "startTime",
    "endTime",
];

/// A delivery, with its integration, its event and the entity that it is about.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationDeliveryFound)]
pub struct DeliveryListItem {
    /// The delivery.
    #[serde(flatten)]
    delivery: Delivery,
    /// The integration.
    integration: NameReference,
    /// The event of it that made the delivery.
    event: NameReference,
    /// The kind of entity that it is about.
    #[schema(example = "INCIDENT")]
    entity: String,
    /// The action on that entity.
    #[schema(example = "CREATE")]
    event_type: String,
    /// Which one; empty when it has no id. Of a long one the first 200 characters.
    entity_id: String,
}

/// Something by its id and its name.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[schema(as = IntegrationNamed)]
pub struct NameReference {
    /// `INTG-<uuid>` or `INTG-EVENT-<uuid>`.
    #[schema(example = "INTG-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    id: String,
    /// What people call it.
    #[schema(example = "Ticket system")]
    name: String,
}

/// Search deliveries
///
/// A page of the deliveries of all events of the tenant, newest first; at partner level, of its clients too. The
/// variables of `queryString` are `id`, `status` (`pending`, `delivered` or `failed`), `eventId`, `integrationId`,
/// `integrationName` (it contains the value), `entity` (as events have it), `eventType`, `entityId`, `startTime` and
/// `endTime` (created at or after the one, and before the other). `status`, `startTime` and `endTime` may be parameters
/// of their own.
#[utoipa::path(
    operation_id = "searchAllDeliveries",
    params(PageQuery<Deliveries, DeliveryQuery>),
    responses((status = 200, description = "A page of deliveries", body = PageOf<DeliveryListItem>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/deliveries/search")]
pub async fn search(context: RequestContext<PageQuery<Deliveries, DeliveryQuery>>) -> api::Result<HttpResponse> {
    let PageQuery { own: DeliveryQuery { status, start_time, end_time }, .. } = context.query.clone();
    let scope = context.scope();
    let mut all = vec![Condition::text_in("integration_deliveries.tenant_id IN", &scope)];
    if !status.is_empty() {
        all.push(Condition::sql("integration_deliveries.status = ").text(status));
    }
    all.extend(start_time.map(|at| Condition::sql("integration_deliveries.created_ms >= ").integer(at.millis())));
    all.extend(end_time.map(|at| Condition::sql("integration_deliveries.created_ms < ").integer(at.millis())));
    for term in query_string::parse(&context.query.filter, &VARIABLES)? {
        all.push(condition(&scope, &term)?);
    }
    let condition = Condition::all(all);
    let page = context.page(move |conn, _, sort, walk| {
        let condition = if is_any_gone(conn, &scope)? { without_gone(&scope, condition) } else { condition };
        let found = store::page(conn, condition, sort, walk)?;
        let items = list_items(conn, &scope, &found.rows)?;
        Ok(found.with(items))
    });
    page.await
}

/// A condition without the deliveries of events that are gone.
fn without_gone(scope: &[String], condition: Condition) -> Condition {
    let gone = "(integration_deliveries.tenant_id, integration_deliveries.event_id) NOT IN (SELECT e.tenant_id, e.id \
                FROM integration_events e WHERE e.gone AND e.tenant_id IN";
    Condition::all([condition, Condition::text_in(gone, scope).then(")")])
}

/// The condition of a term of a `queryString`.
///
/// # Errors
/// 400 on `queryString` that names the error.
fn condition(scope: &[String], term: &Term) -> Result<Condition, Problem> {
    let time = || term.time().map(Timestamp::millis);
    let of_events = |integrations: Condition| {
        let events = "integration_deliveries.event_id IN (SELECT e.id FROM integration_events e WHERE e.tenant_id IN";
        Condition::text_in(events, scope).then(" AND ").append(integrations).then(")")
    };
    Ok(match term.name {
        "id" => Condition::text_in("integration_deliveries.id IN", ids::<DeliveryId>(term)),
        "status" => Condition::text_in("integration_deliveries.status IN", term.words(&STATUSES)?),
        "eventId" => Condition::text_in("integration_deliveries.event_id IN", ids::<EventId>(term)),
        "integrationId" => of_events(Condition::text_in("e.integration_id IN", ids::<IntegrationId>(term))),
        "integrationName" => {
            let names = Condition::named("i.name_key", term.values.iter().map(|name| fold(name)), false);
            let named = "e.integration_id IN (SELECT i.id FROM integrations i WHERE i.tenant_id = e.tenant_id AND (";
            of_events(Condition::sql(named).append(names).then("))"))
        }
        "entity" => Condition::text_in("integration_deliveries.entity IN", term.words(&Entity::WORDS)?),
        "eventType" => Condition::text_in("integration_deliveries.action IN", term.words(&ACTIONS)?),
        "entityId" => {
            let ids = term.values.iter().flat_map(|id| spellings(id));
            let stored = ids.map(|id| id.chars().take(LONGEST_ABOUT).collect::<String>());
            Condition::text_in("integration_deliveries.entity_id IN", stored)
        }
        "startTime" => Condition::sql("integration_deliveries.created_ms >= ").integer(time()?),
        _ => Condition::sql("integration_deliveries.created_ms < ").integer(time()?),
    })
}

/// Ids of a term in the spelling in which they are stored.
fn ids<Id: From<String> + Deref<Target = str>>(term: &Term) -> impl Iterator<Item = String> {
    term.values.iter().map(|id| Id::from(id.clone()).to_owned())
}

/// The spellings that an id of any kind of entity may be stored in: as it is given, as those of this service are
/// (`INC` and digits, a UUID, a prefix and a UUID), and no further one, so that an index finds them.
fn spellings(id: &str) -> [String; 4] {
    let (small, large) = (id.to_ascii_lowercase(), id.to_ascii_uppercase());
    let prefixed = match (large.split_once('-'), small.split_once('-')) {
        (Some((prefix, _)), Some((_, rest))) => format!("{prefix}-{rest}"),
        _ => id.to_owned(),
    };
    [id.to_owned(), small, large, prefixed]
}

fn list_items(conn: &mut Conn, scope: &[String], rows: &[Row]) -> Result<Vec<DeliveryListItem>> {
    let mut events: Vec<&String> = rows.iter().map(|row| &row.event_id).collect();
    events.sort_unstable();
    events.dedup();
    let mut names: HashMap<(String, String), (NameReference, NameReference, bool)> = HashMap::new();
    for events in events.chunks(500) {
        let with_names = integration_events::table
            .inner_join(
                integrations::table.on(integrations::tenant_id
                    .eq(integration_events::tenant_id)
                    .and(integrations::id.eq(integration_events::integration_id))),
            )
            .filter(integration_events::tenant_id.eq_any(scope))
            .filter(integration_events::id.eq_any(events))
            .select((
                integration_events::tenant_id,
                integration_events::id,
                integration_events::config,
                integration_events::active,
                integrations::id,
                integrations::name,
                integrations::enabled,
            ));
        for (tenant, event, config, active, id, name, enabled) in
            with_names.load::<(String, String, Json<Config>, bool, String, String, bool)>(conn)?
        {
            let of_event = NameReference { id: event.clone(), name: config.0.name };
            names.insert((tenant, event), (NameReference { id, name }, of_event, active && enabled));
        }
    }
    let listed = rows.iter().map(|row| {
        let key = (row.tenant_id.clone(), row.event_id.clone());
        let (integration, event, fires) = names.get(&key).cloned().unwrap_or_default();
        DeliveryListItem {
            delivery: Delivery::of(row, fires),
            integration,
            event,
            entity: row.entity.clone(),
            event_type: row.action.clone(),
            entity_id: row.entity_id.clone(),
        }
    });
    Ok(listed.collect())
}
