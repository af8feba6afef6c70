//! Actions that other systems tell of: what happens to incidents, changes and other things that live elsewhere.

use actix_web::{HttpResponse, post, web};
use api::{Answer, Body, RequestContext};
use base::Fields;
use outbox::Change;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    Services,
    event::wire::{ACTIONS, check_event_type},
    facts::Facts,
    template::Entity,
};

/// An action.
#[derive(ToSchema)]
#[schema(as = IntegrationActionInput, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct Input {
    /// `INCIDENT`, `SERVICEREQUEST`, `CHANGE`, `PROBLEM`, `TASK`, `Resource` or `ALERT`.
    entity: String,
    /// `NONE` (a process workflow), `CREATE`, `UPDATE` or `DELETE`.
    event_type: String,
    /// The entity as it is after the action; as it was, for `DELETE`.
    object: Value,
    /// The entity as it was before an update.
    previous: Option<Value>,
}

/// What an action made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationAction, example = json!({"actionId": "EVT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "deliveries": [
    {"id": "DLV-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "eventId": "INTG-EVENT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}]}))]
pub struct Made {
    /// The id of the action, `$event.id`.
    pub action_id: String,
    /// A delivery for each event that it fired: those of the tenant, not those of its partner.
    pub deliveries: Vec<MadeDelivery>,
}

/// A delivery that an action made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationActionDelivery)]
pub struct MadeDelivery {
    /// `DLV-<uuid>`.
    pub id: String,
    /// The event that it fired.
    pub event_id: String,
}

/// Tell of an action
///
/// Fires the events of the tenant, and of its partner, that the action is for. The answer comes after what is to be
/// delivered is stored.
#[utoipa::path(
    tag = "integrations",
    operation_id = "createIntegrationAction",
    request_body(content = Input, example = json!({
        "entity": "INCIDENT", "eventType": "UPDATE", "object": {"id": "INC-1", "subject": "disk full", "status": "Open"},
        "previous": {"id": "INC-1", "subject": "disk full", "status": "New"}
    })),
    responses((status = 200, description = "What it fired", body = Made)),
    security(("bearer" = ["operator"]))
)]
#[post("/integrations/actions")]
pub async fn create(context: RequestContext, services: web::Data<Services>, body: Body) -> api::Result<HttpResponse> {
    let mut fields = Fields::of(&body.0);
    let mut required = |name: &str, allowed: &[&'static str]| {
        fields.require(name);
        fields.one_of(name, allowed)
    };
    let (entity, action) = (required("entity", &Entity::WORDS), required("eventType", &ACTIONS));
    if entity == Some("ALERT") && action.is_some_and(|word| word != "NONE") {
        fields.error("eventType", "must be NONE for the entity ALERT");
    }
    check_event_type(&mut fields, entity, action);
    fields.require("object");
    let object = fields.raw_object("object").map(Value::Object).unwrap_or_default();
    let previous = fields.raw_object("previous").map(Value::Object);
    fields.finish()?;
    let (entity, action) = (entity.unwrap_or_default(), action.unwrap_or_default());
    let (tenant, now) = (context.tenant.id.to_string(), context.now);
    context
        .write(move |tx, _| {
            let action_id = format!("EVT-{}", uuid::Uuid::now_v7());
            let facts = Facts {
                object: &object,
                previous: previous.as_ref(),
                action,
                entity,
                tenant: &tenant,
                action_id: &action_id,
                at: now,
            };
            let fired = services.rules.fire(tx.conn, facts)?;
            tx.note(Change {
                tenant_id: tenant.clone(),
                entity: "IntegrationAction",
                entity_id: action_id.clone(),
                before: None,
                after: Some(
                    json!({"entity": entity, "eventType": action, "entityId": facts.now("id"), "fired": fired.len()}),
                ),
                publish: false,
            });
            let own = fired.into_iter().filter(|fired| fired.tenant == tenant);
            let deliveries =
                own.map(|fired| MadeDelivery { id: fired.delivery_id, event_id: fired.event_id }).collect();
            Answer::ok(&Made { action_id, deliveries })
        })
        .await
}
