//! Who is on call for a machine, and why.

use actix_web::{HttpResponse, web};
use api::{Parameters, PathIds, RequestContext, answer, get};
use base::{fold, matching::Meter, problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use ports::{ResourceKey, ResourceSummary};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    engine, explain,
    resolve::{self, StepSubject},
};
use crate::{
    Neighbours,
    configuration::{owners::machine, routing::choose},
};

/// Who is on call for a machine.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineOnCall {
    /// The machine.
    #[schema(value_type = Object)]
    resource: Value,
    /// The user group that owns it; left out when it has none.
    #[schema(value_type = Option<Object>)]
    owner: Option<Value>,
    /// The policy that a `Critical` alert of it would go to; left out when there is none.
    #[schema(value_type = Option<Object>)]
    policy: Option<Value>,
    /// Whom each step of that policy tells, and why.
    #[schema(value_type = Vec<Object>)]
    steps: Vec<Value>,
    /// Why nobody would be told, when nobody would be.
    gap: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, Parameters)]
pub struct AtInstant {
    /// The instant; default now.
    #[request(example = "2026-11-20T23:00:00+0000")]
    pub at: Option<Timestamp>,
}

api::path_id! {
    /// UUID
    pub MachineId = "resourceId", "f65fa9e1-3f9a-4f0e-9d5a-3c1d7a5b2e90", ToOwned::to_owned
}

/// Who is on call for a resource
///
/// Whom a `Critical` alert of the machine would tell at an instant, step by step, and why: its owner, the route, the
/// policy and the people. Routes that ask for more of an alert than its state and its machine may say otherwise of a
/// certain alert; `POST /paging/explain` tells of that.
#[utoipa::path(
    operation_id = "getResourceOnCall",
    params(MachineId, AtInstant),
    responses((status = 200, description = "Who would be told, and why", body = MachineOnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/{resourceId}/onCall")]
pub async fn get(
    context: RequestContext<AtInstant>,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<MachineId>,
) -> api::Result<HttpResponse> {
    let scope = context.request_scope();
    let db = context.db.clone();
    let instant = context.query.at.unwrap_or(scope.now);
    let told = api::cpu::run(move |meter: &Meter| {
        let told = db.read_here(|conn| {
            let key = ResourceKey::Id(fold(id.trim()));
            let found = neighbours.resources.find(conn, &scope.scope(), &[key])?.into_iter().flatten().next();
            let unknown = || Problem::not_found(format!("No Resource found with UUID : {}", id.0));
            on_call(conn, &neighbours, &scope.scope(), &found.ok_or_else(unknown)?, instant, meter)
        })?;
        Ok(told)
    });
    answer::ok(&told.await?)
}

fn on_call(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &[String],
    machine: &ResourceSummary,
    at: Timestamp,
    meter: &Meter,
) -> Result<MachineOnCall> {
    let owner = machine::owner(conn, neighbours, &machine.tenant_id, &machine.id)?;
    let owner = owner.map(|owner| json!({"userGroup": {"uniqueId": owner.group_id}, "through": owner.kind}));
    let resource = json!({"id": machine.id, "name": machine.name});
    let choice = choose::choose(
        conn,
        neighbours,
        &mut choose::RouteCache::default(),
        &machine.tenant_id,
        &critical(machine),
        at,
        meter,
    )?;
    let Some(policy) = choice.policy else {
        let gap = Some("no alert route takes it, and there is no default");
        return Ok(MachineOnCall { resource, owner, policy: None, steps: Vec::new(), gap });
    };
    let document = &*policy.document;
    let urgency = engine::urgency(&document.urgency, "Critical");
    let about =
        StepSubject { tenant: &machine.tenant_id, machine: &machine.id, policy_tenant: &policy.tenant_id, urgency };
    let mut steps = Vec::new();
    for (number, step) in (1..).zip(&document.steps) {
        let meant = resolve::step(conn, neighbours, about, step, at)?;
        let targets = match scope.contains(&policy.tenant_id) {
            true => explain::targets(&meant, false),
            false => explain::partners_targets(&meant),
        };
        steps.push(json!({"step": number, "targets": targets}));
    }
    let route = choice.considered.last().map(|asked| json!({"id": asked.route.id, "name": asked.route.name}));
    let policy = match policy.tenant_id == machine.tenant_id {
        true => json!({"id": policy.id, "name": policy.name, "route": route}),
        false => json!({"of": "partner"}),
    };
    Ok(MachineOnCall { resource, owner, policy: Some(policy), steps, gap: None })
}

/// A critical alert of a machine, of which nothing more is known.
fn critical(machine: &ResourceSummary) -> Value {
    json!({"currentState": "Critical", "subject": "", "status": "New", "clientUniqueId": machine.tenant_id,
        "device": {"id": machine.id, "name": machine.name, "hostName": machine.host_name,
            "ipAddress": machine.ip_address, "resourceType": machine.resource_type}})
}

/// Whom a critical alert of a machine would tell first; `None` when that is nobody.
pub fn first(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    machine: &str,
    at: Timestamp,
) -> Result<Option<String>> {
    let key = ResourceKey::Id(machine.to_owned());
    let found = neighbours.resources.find(conn, &[tenant.to_owned()], &[key])?.into_iter().flatten().next();
    let Some(machine) = found else { return Ok(None) };
    let choice = choose::choose(
        conn,
        neighbours,
        &mut choose::RouteCache::default(),
        tenant,
        &critical(&machine),
        at,
        &Meter::new(Meter::WRITE),
    )?;
    let Some(policy) = choice.policy else { return Ok(None) };
    let document = &*policy.document;
    let urgency = engine::urgency(&document.urgency, "Critical");
    let about = StepSubject { tenant, machine: &machine.id, policy_tenant: &policy.tenant_id, urgency };
    for step in &document.steps {
        let meant = resolve::step(conn, neighbours, about, step, at)?;
        if let Some(reached) = meant.iter().flat_map(|one| &one.people).next() {
            return Ok(Some(reached.person.id.clone()));
        }
    }
    Ok(None)
}
