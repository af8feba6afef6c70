//! Notification rules over HTTP. They are their owner's, as contact methods are.

use actix_web::{HttpResponse, get, post, web};
use api::{Answer, Body, RequestContext, answer};
use base::problem::Wrong;
use outbox::Entity;

use super::{
    rules,
    store::{self, Row},
    wire::{self, NotificationRule, NotificationRuleInput},
};
use crate::{Neighbours, methods, whose};

/// List the notification rules of a person
///
/// One for each urgency, also for one of which nothing was said: then every verified contact method is used at once.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "listNotificationRules",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses((status = 200, description = "The rules for `high` and for `low`", body = Vec<NotificationRule>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/notificationRules")]
pub async fn list(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let asked = whose::Asked::of(&context, &path.into_inner().1);
    let shown = context.db.read(move |conn| {
        let (tenant, user) = asked.find(conn, &neighbours)?;
        let rows = store::of_user(conn, &tenant, &user)?;
        let plan = |urgency: &str| rows.iter().find(|row| row.urgency == urgency).map(Row::plan).unwrap_or_default();
        Ok(rules::URGENCIES.map(|urgency| NotificationRule::new(&user, urgency, &plan(urgency))))
    });
    answer::ok(&shown.await?)
}

/// Set the notification rule of a person for an urgency
///
/// It takes the place of what was said for that urgency before. A contact method that is deleted later is passed over; when
/// none is left, every verified one is used at once.
#[utoipa::path(
    tag = "contact methods",
    operation_id = "setNotificationRule",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    request_body(content = NotificationRuleInput),
    responses((status = 200, description = "The rule", body = NotificationRule)),
    security(("bearer" = ["viewer"]))
)]
#[post("/users/{userId}/notificationRules")]
pub async fn set(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let asked = whose::Asked::of(&context, &path.into_inner().1);
    let (urgency, plan) = wire::read(&body.0)?;
    let now_ms = context.now.millis();
    context
        .write(move |tx, _| {
            let (tenant, user) = asked.find(tx.conn, &neighbours)?;
            methods::store::take_up(tx.conn, &tenant, &user)?;
            let known = methods::store::of_user(tx.conn, &tenant, &user)?;
            let mut wrong = Wrong::new(Vec::new());
            for (place, step) in plan.steps.iter().enumerate() {
                if !known.iter().any(|method| method.id == step.method) {
                    let message =
                        format!("names no contact method of the person: {}", base::problem::shorten(&step.method));
                    wrong.add(&format!("steps[{place}].contactMethod.id"), message);
                }
            }
            wrong.check()?;
            let rows = store::of_user(tx.conn, &tenant, &user)?;
            let before = rows.iter().find(|row| row.urgency == urgency);
            let shown = NotificationRule::new(&user, urgency, &plan);
            let document = serde_json::to_string(&plan).map_err(|error| db::Error::Fault(error.to_string()))?;
            let row = Row {
                tenant_id: tenant,
                user_id: user,
                urgency: urgency.to_owned(),
                version: before.map_or(1, |row| row.version + 1),
                document,
                updated_ms: now_ms,
            };
            store::set(tx.conn, &row)?;
            let id = format!("{}:{}", row.user_id, row.urgency);
            let entity = Entity { tenant_id: &row.tenant_id, kind: "NotificationRule", id: &id, publish: false };
            let was = before.map(|row| NotificationRule::new(&row.user_id, &row.urgency, &row.plan()));
            tx.note_shown(entity, was.as_ref(), Some(&shown))?;
            Answer::ok(&shown)
        })
        .await
}
