//! Notification rules over HTTP. They are their owner's, as contact methods are.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, answer, get, post};
use base::problem::{FieldErrors, Problem};
use outbox::{Entity, Recorded, Tx};
use serde_json::Value;

use super::{
    reminders,
    row::Rule,
    rules::{self, Plan},
    store,
    wire::{NotificationRule, NotificationRuleInput},
};
use crate::{
    Neighbours,
    configuration::methods::{self, permissions, row::Method, wire::PersonId},
};

impl Recorded for Rule {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("NotificationRule", &self.tenant_id, format!("{}:{}", self.user_id, self.urgency))
    }

    fn event_payload(&self) -> db::Result<Value> {
        let shown = NotificationRule::new(&self.user_id, &self.urgency, &self.document);
        outbox::payload(&shown)
    }
}

/// List the notification rules of a person
///
/// One for each urgency. Where none was set, every verified contact method is used at once.
#[utoipa::path(
    operation_id = "listNotificationRules",
    params(PersonId),
    responses((status = 200, description = "The rules for `high` and for `low`", body = Vec<NotificationRule>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/notificationRules")]
pub async fn list(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(user): PathIds<PersonId>,
) -> api::Result<HttpResponse> {
    let shown = context.read(move |conn, scope| {
        let (tenant, user) = permissions::person(conn, &neighbours, scope, &user)?;
        let rows = store::of_user(conn, &tenant, &user)?;
        let of = |urgency: &str| rows.iter().find(|row| row.urgency == urgency);
        let plan = |urgency: &str| of(urgency).map(|row| row.document.0.clone()).unwrap_or_default();
        Ok(rules::URGENCIES.map(|urgency| NotificationRule::new(&user, urgency, &plan(urgency))))
    });
    answer::ok(&shown.await?)
}

/// Set the notification rule of a person for an urgency
///
/// It replaces the rule for that urgency. A contact method that is deleted later is skipped; when none is left, every
/// verified one is used at once.
#[utoipa::path(
    operation_id = "setNotificationRule",
    params(PersonId),
    request_body(content = NotificationRuleInput),
    responses((status = 200, description = "The rule", body = NotificationRule)),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/notificationRules")]
pub async fn set(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(user): PathIds<PersonId>,
    Body(given): Body<NotificationRuleInput>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (tenant, user) = permissions::person(tx.conn, &neighbours, scope, &user)?;
            let row = set_rule(tx, tenant, user, given)?;
            Answer::ok(&NotificationRule::new(&row.user_id, &row.urgency, &row.document))
        })
        .await
}

/// Sets the rule of a person for an urgency, in place of the one before.
///
/// # Errors
/// 400 for steps that name no contact method of the person.
pub fn set_rule(tx: &mut Tx<'_>, tenant_id: String, user_id: String, given: NotificationRuleInput) -> db::Result<Rule> {
    let NotificationRuleInput { urgency, steps, quiet_hours, before_shift } = given;
    let plan = Plan { steps, quiet: quiet_hours, before_shift_ms: base::duration::parse(&before_shift) };
    methods::store::lock(&tenant_id, &user_id).take(tx.conn)?;
    check_methods(&plan, &methods::store::of_user(tx.conn, &tenant_id, &user_id)?)?;
    let rows = store::of_user(tx.conn, &tenant_id, &user_id)?;
    let before = rows.iter().find(|row| row.urgency == urgency);
    let row = Rule {
        tenant_id,
        user_id,
        urgency: urgency.to_owned(),
        version: before.map_or(1, |row| row.version + 1),
        document: db::Json(plan),
        updated_ms: tx.now.millis(),
    };
    store::set(tx.conn, &row)?;
    if urgency == rules::URGENCIES[1] {
        let now_ms = tx.now.millis();
        reminders::set(tx.conn, &row.tenant_id, &row.user_id, row.document.before_shift_ms, now_ms)?;
    }
    tx.record_change(before, Some(&row))?;
    Ok(row)
}

/// Refuses steps that name no contact method of the person, each by its place.
fn check_methods(plan: &Plan, known: &[Method]) -> Result<(), Problem> {
    let mut wrong = FieldErrors::new(Vec::new());
    for (place, step) in plan.steps.iter().enumerate() {
        if !known.iter().any(|method| method.id == step.method) {
            let field = format!("steps[{place}].contactMethod.id");
            wrong.unknown(&field, "contact method of the person", &step.method);
        }
    }
    wrong.check()
}
