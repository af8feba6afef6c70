//! The escalation of an incident, by a policy that somebody chooses. It stops when somebody works on the incident
//! (`Open`), goes on when nobody does any more, and ends with it.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, Request, RequestContext, Resource as _, post};
use base::{Fields, problem::Problem};
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::IncidentRecord;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    engine,
    rules::{AlertChange, Stage},
    store,
    work::EscalationBatch,
};
use crate::{
    Neighbours,
    configuration::policies::{self, row::Policy},
    delivery::pages::{
        store as pages, view,
        wire::{Id, IncidentId, Page},
    },
};

/// The states in which there is nothing to escalate.
const OVER: [&str; 2] = ["Resolved", "Closed"];

/// By which policy.
#[derive(Debug, Request)]
#[request(example = json!({"policy": {"id": "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}}))]
pub struct IncidentEscalationInput {
    /// An escalation policy of the tenant of the incident.
    #[request(with = policy_id, schema = Id)]
    policy: String,
}

fn policy_id(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.object(name).map(|mut policy| policy.required_text("id"))
}

/// An incident that is escalated.
#[derive(Debug, Serialize, ToSchema)]
pub struct IncidentEscalation {
    /// The incident.
    pub incident: Id,
    /// The policy.
    pub policy: Id,
    /// What the first steps decided.
    pub pages: Vec<Page>,
}

/// Escalate an incident
///
/// By a policy of its tenant, as an alert is: people are told, one step after the other, until the status of the
/// incident says that somebody works on it (`Open`), that it is resolved or closed. With the priority `Urgent` or
/// `High` it counts as critical, else as a warning. When the status is `New` or `Pending` again, the escalation goes
/// on.
#[utoipa::path(
    operation_id = "escalateIncident",
    params(IncidentId),
    request_body(content = IncidentEscalationInput),
    responses(
        (status = 200, description = "What was decided", body = IncidentEscalation),
        (status = 409, description = "Its escalation is already running, or it is resolved or closed"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/{incidentId}/escalate")]
pub async fn escalate(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
    Body(IncidentEscalationInput { policy: wanted }): Body<IncidentEscalationInput>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let unknown = || Problem::not_found("The incident was not found.");
            let incident = neighbours.alerts.incident(tx.conn, &scope.scope(), &id, 0)?.ok_or_else(unknown)?;
            let policy = Policy::named(tx.conn, &incident.tenant_id, "policy.id", &wanted)?;
            if OVER.contains(&incident.status.as_str()) {
                return Err(Problem::conflict("The incident is over: there is nothing to escalate.").into());
            }
            store::lock(&incident.tenant_id, &id).take(tx.conn)?;
            begin(tx, &neighbours, &incident, &policy)?;
            let pages = pages::of_alert(tx.conn, &incident.tenant_id, &id)?;
            let around = neighbours.people.own_and_partner(tx.conn, &incident.tenant_id)?;
            let pages = view::pages(tx.conn, &*neighbours.people, &around, &pages)?;
            Answer::ok(&IncidentEscalation { incident: Id { id: id.0 }, policy: Id { id: policy.id }, pages })
        })
        .await
}

fn begin(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    incident: &IncidentRecord,
    policy: &policies::row::Policy,
) -> Result<()> {
    let tenant = &incident.tenant_id;
    let id = &incident.id;
    let old = store::find(tx.conn, tenant, id)?;
    if old.as_ref().is_some_and(|old| old.state().stage == Stage::Running) {
        return Err(Problem::conflict("The escalation of the incident is already running.").into());
    }
    if let Some(old) = &old {
        store::delete(tx.conn, old)?;
    }
    let told = json!({"id": id, "subject": incident.subject, "description": incident.description,
        "currentState": severity(&incident.priority), "firstAlertTime": incident.created,
        "device": {"name": incident.machines.first()}});
    let after = json!({"incidentId": id, "policyId": policy.id});
    tx.record_payloads(Entity::audited("Escalation", tenant, id), None, Some(after));
    let round = old.map_or(0, |old| old.round + 1);
    EscalationBatch::run(tx.conn, neighbours, tx.now, |conn, work| {
        engine::begin_by(conn, work, tenant, &told, policy.clone(), round)
    })
}

/// The state that an incident counts as having, by its priority.
fn severity(priority: &str) -> &'static str {
    if ["Urgent", "High"].contains(&priority) { "Critical" } else { "Warning" }
}

/// Takes over what became of an incident that is escalated, and that nobody else has in hand: its status says who works
/// on it, and its priority how urgent it is.
pub fn on_incident_change(
    conn: &mut Conn,
    work: &mut EscalationBatch<'_>,
    tenant: &str,
    before: Option<&Value>,
    after: &Value,
) -> Result<()> {
    let status = |incident: &Value| incident.pointer("/status/name").and_then(Value::as_str).map(ToOwned::to_owned);
    let (Some(id), Some(now_is)) = (after["id"].as_str(), status(after)) else { return Ok(()) };
    let heard = match now_is.as_str() {
        _ if before.and_then(status).as_ref() == Some(&now_is) => None,
        "Open" => Some(AlertChange::Acknowledged),
        over if OVER.contains(&over) => Some(AlertChange::Closed),
        _ => Some(AlertChange::Open { worse: false }),
    };
    let priority = after.pointer("/priority/name").and_then(Value::as_str).unwrap_or_default();
    match work.find(conn, tenant, id)? {
        Some(row) => engine::follow(conn, work, row, heard, severity(priority)),
        None => Ok(()),
    }
}
