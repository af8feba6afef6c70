//! Why an alert would tell whom: every decision, step by step. Nothing is stored, and nothing is sent.

use actix_web::{HttpResponse, web};
use api::{Body, Request, RequestContext, answer, post};
use base::{
    Fields,
    body::ignored,
    matching::{Matcher, Meter},
    problem::Problem,
    timestamp::Timestamp,
};
use db::{Conn, Result};
use ports::{AlertFacts, SkippedShift};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    correlation, engine,
    resolve::{self, StepSubject, TargetRecipients},
};
use crate::{
    Neighbours,
    configuration::{owners::machine, routing::choose},
    delivery::pages::wire::spelled,
};

/// The alert to explain: one that exists, or a report of one.
#[derive(Debug, Request)]
#[request(check = alert_or_id, example = json!({
    "alert": {"currentState": "Critical", "subject": "Load is 31", "device": {"hostName": "web-01"}},
    "at": "2026-11-20T23:00:00+0000"
}))]
pub struct PagingExplainInput {
    /// What would be reported, as `POST /alert` takes it.
    alert: Option<Map<String, Value>>,
    /// In place of `alert`: the id of an alert that exists.
    alert_id: Option<String>,
    /// When; default now.
    at: Option<Timestamp>,
}

fn alert_or_id(given: &PagingExplainInput, fields: &mut Fields<'_>) {
    if given.alert.is_some() == given.alert_id.is_some() {
        fields.error("alert", "is required, or alertId in its place");
    }
}

/// Every decision about an alert.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
pub struct PagingExplanation {
    /// The instant that it is explained for.
    #[schema(value_type = String)]
    at: Timestamp,
    /// The machine of the alert, or why there is none.
    #[schema(value_type = Object)]
    machine: Value,
    /// The user group that owns the machine, and through what.
    #[schema(value_type = Option<Object>)]
    owner: Option<Value>,
    /// The maintenance window that would hold the alert back.
    #[schema(value_type = Option<Object>)]
    maintenance: Option<Value>,
    /// The alert of its site or group that it would wait for.
    #[schema(value_type = Option<Object>)]
    dependency: Option<Value>,
    /// The routes in the order in which they are asked, each with what its rules find.
    #[schema(value_type = Vec<Object>)]
    routes: Vec<Value>,
    /// The policy that it goes to.
    #[schema(value_type = Option<Object>)]
    policy: Option<Value>,
    /// Whom each step would tell, when and through what.
    #[schema(value_type = Vec<Object>)]
    steps: Vec<Value>,
    /// Where nobody would be told, in sentences.
    gaps: Vec<String>,
}

/// Explain who would be told
///
/// Every decision about an alert, step by step: its machine, the maintenance window, each route with what its rules
/// find, the policy, who at each step through what and when, and where nobody would be told. Nothing is sent. Each step
/// is worked out for the time at which it would be taken if nobody answered.
#[utoipa::path(
    operation_id = "explainPaging",
    request_body(content = PagingExplainInput),
    responses((status = 200, description = "Every decision", body = PagingExplanation)),
    security(("bearer" = ["viewer"]))
)]
#[post("/paging/explain")]
pub async fn explain(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    Body(given): Body<PagingExplainInput>,
) -> api::Result<HttpResponse> {
    let PagingExplainInput { alert: report, alert_id, at } = given;
    let scope = context.request_scope();
    let db = context.db.clone();
    let told = api::cpu::run(move |meter: &Meter| {
        let instant = at.unwrap_or(scope.now);
        let told = db.read_here(|conn| {
            let (alert, problem) = match report {
                Some(report) => {
                    let report = Value::Object(report);
                    let told = ignored::within("alert", || {
                        neighbours.alerts.preview(conn, scope.tenant_id(), &scope.scope(), &report, instant)
                    })?;
                    (told.alert, told.problem)
                }
                None => {
                    let id = spelled(&alert_id.unwrap_or_default());
                    let found = neighbours.alerts.find(conn, &scope.scope(), &id, instant)?;
                    (found.ok_or_else(|| Problem::field("alertId", "names no alert of the tenant"))?, None)
                }
            };
            explained(conn, &neighbours, &scope.scope(), (&alert, problem), instant, meter)
        })?;
        Ok(told)
    });
    answer::ok(&told.await?)
}

fn explained(
    conn: &mut Conn,
    neighbours: &Neighbours,
    scope: &[String],
    (alert, problem): (&Value, Option<&str>),
    at: Timestamp,
    meter: &Meter,
) -> Result<PagingExplanation> {
    let text = |path: &str| alert.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let tenant = text("/clientUniqueId");
    let machine = text("/device/id");
    let severity = text("/currentState");
    let owner = machine::owner(conn, neighbours, tenant, machine)?;
    let mut told = PagingExplanation {
        at,
        machine: json!({"id": machine, "name": text("/device/name"), "problem": problem}),
        owner: owner.map(|owner| json!({"userGroup": {"uniqueId": owner.group_id}, "through": owner.kind})),
        maintenance: None,
        dependency: None,
        routes: Vec::new(),
        policy: None,
        steps: Vec::new(),
        gaps: Vec::new(),
    };
    if !machine.is_empty() {
        let facts = AlertFacts { tenant_id: tenant, resource_id: machine, alert };
        if let Some(cover) = neighbours.maintenance.catching(conn, &[facts], at)?.into_iter().flatten().next() {
            // Whose window it is decides whether its name may be told; its end may.
            told.maintenance = Some(json!({"uniqueId": cover.window.unique_id, "until": cover.until}));
            told.gaps
                .push(format!("a maintenance window holds it back until {}: nobody is told before that", cover.until));
        }
    }
    let correlation = correlation::of(conn, neighbours, tenant, alert, correlation::problem(alert), 0)?;
    if let Some(outage) = correlation.outage {
        told.gaps.push(format!("its site or group is down: it waits for {}, 15 minutes at most", outage.alert));
        told.dependency = Some(json!({"alert": {"id": outage.alert}, "place": outage.place}));
    }
    let choice = choose::choose(conn, neighbours, &mut choose::RouteCache::default(), tenant, alert, at, meter)?;
    told.routes =
        choice.considered.iter().map(|asked| route(asked, tenant, choice.described.as_ref(), meter)).collect();
    match choice.policy {
        None => told.gaps.push("no alert route takes it, and there is no default".to_owned()),
        Some(policy) => {
            let document = &*policy.document;
            let urgency = engine::urgency(&document.urgency, severity);
            // What a partner has is its own business, but for what becomes of the alert.
            let shown = match policy.tenant_id == tenant {
                true => json!({"id": policy.id, "name": policy.name, "urgency": urgency}),
                false => json!({"of": "partner", "urgency": urgency}),
            };
            told.policy = Some(shown);
            let plan = document.plan();
            let mut when = at;
            for (number, (step, timing)) in (1..).zip(document.steps.iter().zip(&plan.steps)) {
                let about = StepSubject { tenant, machine, policy_tenant: &policy.tenant_id, urgency };
                let meant = resolve::step(conn, neighbours, about, step, when)?;
                let (targets, gaps) = match scope.contains(&policy.tenant_id) {
                    true => {
                        let skipped = skipped(conn, neighbours, &meant, when)?;
                        (with_skipped(targets(&meant, true), &skipped), gaps(&meant, &skipped))
                    }
                    false => (partners_targets(&meant), partners_gaps(&meant)),
                };
                told.gaps.extend(gaps.into_iter().map(|gap| format!("step {number}: {gap}")));
                told.steps.push(json!({"step": number, "at": when, "targets": targets}));
                // A step that reaches nobody does not wait.
                if meant.iter().any(TargetRecipients::reaches) {
                    when = Timestamp::from_millis(when.millis().saturating_add(timing.wait_ms));
                }
            }
        }
    }
    Ok(told)
}

/// Of each target the shifts that would take place at an instant, and do not for a holiday.
fn skipped(
    conn: &mut Conn,
    neighbours: &Neighbours,
    meant: &[TargetRecipients],
    at: Timestamp,
) -> Result<Vec<Vec<SkippedShift>>> {
    let mut all = Vec::with_capacity(meant.len());
    for one in meant {
        let mut found = Vec::new();
        if let Some((tenant, roster)) = &one.roster {
            let around = neighbours.people.own_and_partner(conn, tenant)?;
            let partner = around.iter().find(|other| *other != tenant).unwrap_or(tenant);
            found = neighbours.on_call.skipped_of(conn, tenant, partner, roster, at)?;
            found.retain(|shift| one.target.level.is_none_or(|level| level == shift.level));
        }
        all.push(found);
    }
    Ok(all)
}

/// Targets as they are shown, each with its skipped shifts.
fn with_skipped(mut targets: Vec<Value>, skipped: &[Vec<SkippedShift>]) -> Vec<Value> {
    let shown = |one: &SkippedShift| {
        let mut holiday = json!({"date": one.date, "calendar": {"id": one.calendar_id}});
        if !one.holiday.is_empty() {
            holiday["name"] = json!(one.holiday);
        }
        if let Some(name) = &one.calendar {
            holiday["calendar"]["name"] = json!(name);
        }
        json!({"shift": {"id": one.shift_id, "name": one.shift_name}, "holiday": holiday})
    };
    for (target, skipped) in targets.iter_mut().zip(skipped).filter(|(_, skipped)| !skipped.is_empty()) {
        target["skipped"] = Value::Array(skipped.iter().map(shown).collect());
    }
    targets
}

/// Why targets mean nobody, and people are reached by nothing.
fn gaps(meant: &[TargetRecipients], skipped: &[Vec<SkippedShift>]) -> Vec<String> {
    let people = meant.iter().flat_map(|one| &one.people);
    let people = people.filter_map(|one| Some(format!("{} {}", one.person.id, one.gap.as_ref()?)));
    let targets = meant.iter().zip(skipped).filter_map(|(one, skipped)| {
        let because: Vec<String> = skipped.iter().map(because).collect();
        let because = if because.is_empty() { String::new() } else { format!(": {}", because.join(", ")) };
        Some(format!("{}{because}", one.gap.as_ref()?))
    });
    targets.chain(people).collect()
}

/// Why a shift does not take place, in words.
fn because(skipped: &SkippedShift) -> String {
    let SkippedShift { shift_name, date, holiday, calendar_id, calendar, .. } = skipped;
    let named = if holiday.is_empty() { String::new() } else { format!(" ({holiday})") };
    let calendar = calendar.as_deref().unwrap_or(calendar_id);
    format!("the shift \"{shift_name}\" does not take place on {date}{named}, a holiday of the calendar \"{calendar}\"")
}

/// What a client is told of the targets of its partner's policy: does something go out?
pub fn partners_targets(meant: &[TargetRecipients]) -> Vec<Value> {
    meant.iter().map(|one| json!({"target": {"of": "partner"}, "reaches": one.reaches()})).collect()
}

fn partners_gaps(meant: &[TargetRecipients]) -> Vec<String> {
    let gaps = meant.iter().filter(|one| !one.reaches()).map(|_| "a target of the partner reaches nobody".to_owned());
    gaps.collect()
}

/// A route that was asked, with what its rules find; of a partner's route a client is told its outcome alone.
fn route(asked: &choose::RouteVerdict, tenant: &str, described: Option<&Value>, meter: &Meter) -> Value {
    if asked.route.tenant_id != tenant {
        return json!({"of": "partner", "takes": asked.takes});
    }
    let mut told = json!({"id": asked.route.id, "name": asked.route.name, "takes": asked.takes});
    match &asked.route.rules.0 {
        None => told["isDefault"] = json!(true),
        Some(rules) => {
            let outcomes =
                described.and_then(|described| Matcher::new(rules).explain(described, meter).ok()).unwrap_or_default();
            let shown = rules.rules.iter().zip(outcomes).map(|(rule, outcome)| {
                json!({"key": rule.key, "operator": rule.operator.word(), "value": rule.value,
                    "found": outcome.texts, "holds": outcome.holds})
            });
            told["rules"] = Value::Array(shown.collect());
        }
    }
    told
}

/// Whom the targets of a step mean; with `methods`, through what and when, as far as that is everybody's business.
pub fn targets(meant: &[TargetRecipients], methods: bool) -> Vec<Value> {
    let one = |one: &TargetRecipients| {
        let people = one.people.iter().map(|reached| {
            let name = reached.person.full_name();
            let mut told = json!({"id": reached.person.id, "name": name});
            if methods {
                let used = reached.methods.iter();
                let used = used
                    .map(|(method, due)| json!({"contactMethod": {"id": method.id, "type": method.kind}, "at": due}));
                told["through"] = Value::Array(used.collect());
            }
            if let Some(absent) = one.instead_of.get(&reached.person.id) {
                told["why"] = json!({"kind": "away", "insteadOf": absent});
            }
            if let Some(gap) = &reached.gap {
                told["gap"] = json!(gap);
            }
            told
        });
        let mut told = json!({"target": one.target, "users": people.collect::<Vec<_>>()});
        if let Some(gap) = &one.gap {
            told["gap"] = json!(gap);
        }
        told
    };
    meant.iter().map(one).collect()
}
