//! Actions that other systems report: on incidents, changes and other entities that are not stored here.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, Request, RequestContext, post};
use base::Fields;
use outbox::Entity as AuditEntity;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    event::config::{ACTIONS, check_event_type},
    facts::Facts,
    services::Services,
    template::Entity,
};

/// An action.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "IntegrationActionInput")]
pub struct NewAction {
    /// `INCIDENT`, `SERVICEREQUEST`, `CHANGE`, `PROBLEM`, `TASK`, `Resource` or `ALERT`.
    #[request(words = Entity::WORDS)]
    entity: &'static str,
    /// `NONE` (a process workflow), `CREATE`, `UPDATE` or `DELETE`.
    #[request(words = ACTIONS, with = event_type)]
    event_type: &'static str,
    /// The entity as it is after the action; as it was, for `DELETE`.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    object: Value,
    /// The entity as it was before an update.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    previous: Option<Value>,
}

fn object(fields: &mut Fields<'_>, field: &str) -> Option<Value> {
    fields.raw_object(field).map(Value::Object)
}

/// One that its entity takes.
fn event_type(fields: &mut Fields<'_>, field: &str) -> Option<&'static str> {
    let action = fields.one_of(field, &ACTIONS)?;
    let named = fields.value("entity").and_then(Value::as_str).unwrap_or_default();
    let entity = Entity::WORDS.into_iter().find(|word| word.eq_ignore_ascii_case(named));
    if entity == Some("ALERT") && action != "NONE" {
        fields.error(field, "must be NONE for the entity ALERT");
    }
    check_event_type(fields, entity, Some(action));
    Some(action)
}

/// The deliveries that an action made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationAction,
    example = json!({"actionId": "EVT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "deliveries": [
    {"id": "DLV-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90",
        "eventId": "INTG-EVENT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}]}))]
pub struct ActionResult {
    /// The id of the action, `$event.id`.
    pub action_id: String,
    /// A delivery for each event that it fired: those of the tenant, not those of its partner.
    pub deliveries: Vec<ActionDelivery>,
}

/// A delivery that an action made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationActionDelivery)]
pub struct ActionDelivery {
    /// `DLV-<uuid>`.
    pub id: String,
    /// The event that it fired.
    pub event_id: String,
}

/// Report an action
///
/// Fires the events of the tenant, and of its partner, that the action is for. The answer comes once all deliveries are
/// stored.
#[utoipa::path(
    operation_id = "createIntegrationAction",
    request_body(content = NewAction, example = json!({
        "entity": "INCIDENT", "eventType": "UPDATE",
        "object": {"id": "INC-1", "subject": "disk full", "status": "Open"},
        "previous": {"id": "INC-1", "subject": "disk full", "status": "New"}
    })),
    responses((status = 200, description = "What it fired", body = ActionResult)),
    security(("bearer" = ["operator"]))
)]
#[post("/integrations/actions")]
pub async fn create(
    context: RequestContext,
    services: web::Data<Services>,
    Body(new): Body<NewAction>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let entity = new.entity;
            let action = new.event_type;
            let tenant = scope.tenant_id();
            let action_id = format!("EVT-{}", uuid::Uuid::now_v7());
            let facts = Facts {
                object: &new.object,
                previous: new.previous.as_ref(),
                action,
                entity,
                tenant,
                action_id: &action_id,
                at: scope.now,
            };
            let fired = services.rules.fire(tx.conn, facts)?;
            let after =
                json!({"entity": entity, "eventType": action, "entityId": facts.now("id"), "fired": fired.len()});
            tx.record_payloads(AuditEntity::audited("IntegrationAction", tenant, &action_id), None, Some(after));
            let own = fired.into_iter().filter(|fired| fired.tenant == tenant);
            let deliveries =
                own.map(|fired| ActionDelivery { id: fired.delivery_id, event_id: fired.event_id }).collect();
            Answer::ok(&ActionResult { action_id, deliveries })
        })
        .await
}
