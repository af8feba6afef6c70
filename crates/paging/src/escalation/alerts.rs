//! What people do with the escalation of an alert besides answering, over HTTP.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, OptionalBody, PathIds, Request, RequestContext, RequestScope, post};
use base::{
    Fields,
    problem::{FieldErrors, Problem},
};
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::{AlertAction, AlertActionKind};
use serde_json::{Value, json};

use super::{
    actions::{ESCALATED, EscalationAction, HANDED_OVER, NamedRoster},
    next_step::take_next_step,
    rules::Stage,
    store::{self, Row},
    timeline::{self, AlertTimeline},
    work::EscalationBatch,
};
use crate::{
    Neighbours,
    configuration::policies::wire::{Id, Target},
    delivery::pages::wire::{AlertId, spelled},
};

/// The most people to whom an alert is handed over, and the longest note, in characters.
const MOST: usize = 20;
const LONGEST_NOTE: usize = 4_000;

/// What may be sent with an escalation.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertEscalationInput", example = json!({"note": "I need somebody who knows the database"}))]
pub struct EscalationInput {
    /// A note about it.
    #[request(chars = LONGEST_NOTE, parse = trimmed, default)]
    pub note: String,
}

/// To whom an alert is handed over: to `users` or to a `roster`.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertHandOverInput", check = check_either)]
#[request(example = json!({"users": [{"id": "USR0000000007"}], "note": "The disk is replaced"}))]
pub struct HandOverInput {
    /// Users of the tenant or of its partner.
    #[request(items = 1..=MOST)]
    pub users: Option<Vec<UserId>>,
    /// A roster of the tenant, or of its partner for who may see that: everybody who is on call in it now.
    pub roster: Option<RosterId>,
    /// A note about it.
    #[request(chars = LONGEST_NOTE, parse = trimmed, default)]
    pub note: String,
}

/// A user, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertHandOverUser", example = json!({"id": "USR0000000007"}))]
pub struct UserId {
    /// `USR` and ten digits.
    #[request(filled, parse = user_id)]
    pub id: String,
}

/// A roster, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertHandOverRoster", example = json!({"id": "ES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct RosterId {
    /// `ES-<uuid>`.
    #[request(filled, parse = roster_id)]
    pub id: String,
}

fn trimmed(text: String) -> std::result::Result<String, String> {
    Ok(text.trim().to_owned())
}

fn user_id(text: String) -> std::result::Result<String, String> {
    Ok(text.trim().to_ascii_uppercase())
}

fn roster_id(text: String) -> std::result::Result<String, String> {
    Ok(spelled(&text))
}

fn check_either(input: &mut HandOverInput, fields: &mut Fields<'_>) {
    if fields.has("users") == fields.has("roster") {
        fields.error("", "must have exactly one of users and roster");
    }
    if let Some(users) = &mut input.users {
        let mut met = std::collections::BTreeSet::new();
        users.retain(|user| met.insert(user.id.clone()));
    }
}

/// Escalate an alert
///
/// The next step of its escalation is taken at once: whom it means is told, as by the answer to a page. An
/// acknowledgement is taken back, so that the escalation goes on. The answer is the timeline of the alert until then.
#[utoipa::path(
    operation_id = "escalateAlert",
    params(AlertId),
    request_body(content = Option<EscalationInput>),
    responses(
        (status = 200, description = "What happened until now", body = AlertTimeline),
        (status = 409, description = "It is closed or suppressed, no policy takes it, or all steps were taken"),
        (status = 412, description = "The alert has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/escalate")]
pub async fn escalate(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody(EscalationInput { note }): OptionalBody<EscalationInput>,
) -> api::Result<HttpResponse> {
    let key = context.actor().key_id;
    context
        .write(move |tx, scope| {
            let alert = OpenAlert::find(tx.conn, &neighbours, scope, &id)?;
            alert.take_back(tx, &neighbours, &key, "escalated")?;
            let row = alert.locked(tx.conn)?;
            let none =
                || Problem::conflict("There is no escalation: nobody was told. Hand the alert over to somebody.");
            let row = row.ok_or_else(none)?.going_on();
            let action = EscalationAction { note, ..EscalationAction::of(ESCALATED, tx.author(), tx.now) };
            take_next_step(tx, &neighbours, row, action)?;
            alert.timeline(tx.conn, &neighbours, scope)
        })
        .await
}

/// Hand an alert over
///
/// To people, or to those who are on call in a roster now. They are told at once, and are to acknowledge the alert: an
/// acknowledgement is taken back, and messages to others that were not sent yet are not sent. When none of them answers
/// in time, the escalation goes on with the step that would have been next; where all were taken, they are gone through
/// once more. Those who have an alert that no policy takes are told again every 15 minutes, three times. The answer is
/// the timeline of the alert until then.
#[utoipa::path(
    operation_id = "handOverAlert",
    params(AlertId),
    request_body(content = HandOverInput),
    responses(
        (status = 200, description = "What happened until now", body = AlertTimeline),
        (status = 409, description = "It is closed or suppressed, or nothing reaches any of those people"),
        (status = 412, description = "The alert has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/handOver")]
pub async fn hand_over(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    Body(input): Body<HandOverInput>,
) -> api::Result<HttpResponse> {
    let key = context.actor().key_id;
    context
        .write(move |tx, scope| {
            let alert = OpenAlert::find(tx.conn, &neighbours, scope, &id)?;
            let (targets, action) = alert.recipients(tx, &neighbours, scope, &input)?;
            alert.take_back(tx, &neighbours, &key, "handed over")?;
            alert.locked(tx.conn)?;
            let told = json!({"alertId": alert.id, "users": action.users, "note": action.note,
                "roster": action.roster.as_ref().map(|roster| &roster.id)});
            let old = EscalationBatch::run(tx.conn, &neighbours, tx.now, |conn, work| {
                super::hand_over::hand_over(conn, work, (&alert.tenant, &alert.value), targets, action)
            })?;
            let before = old.map(|old| json!({"alertId": alert.id, "step": old.step}));
            tx.record_payloads(Entity::audited("Escalation", &alert.tenant, &alert.id), before, Some(told));
            alert.timeline(tx.conn, &neighbours, scope)
        })
        .await
}

/// An alert of which people are to hear.
struct OpenAlert {
    tenant: String,
    id: String,
    value: Value,
}

impl OpenAlert {
    /// The alert with this id, of the version that the caller saw.
    ///
    /// # Errors
    /// 404 when it is not there, 412 when it is of another version, 409 when it is closed or suppressed.
    fn find(conn: &mut Conn, neighbours: &Neighbours, scope: &RequestScope, id: &str) -> Result<Self> {
        let unknown = || Problem::not_found("The alert was not found.");
        let value = neighbours.alerts.find(conn, &scope.scope(), id, scope.now)?.ok_or_else(unknown)?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        if scope.if_match()?.is_some() {
            let version = neighbours.alerts.locked_version(conn, &text("clientUniqueId"), &text("id"))?;
            scope.check_version(version.ok_or_else(unknown)?)?;
        }
        match value["status"].as_str() {
            Some("Closed") => return Err(Problem::conflict("The alert is closed.").into()),
            Some("Suppressed") => {
                let detail = "The alert is suppressed, so that nobody is told of it: unsuppress it first.";
                return Err(Problem::conflict(detail).into());
            }
            _ => {}
        }
        Ok(Self { tenant: text("clientUniqueId"), id: text("id"), value })
    }

    /// Takes back an acknowledgement.
    fn take_back(&self, tx: &mut Tx<'_>, neighbours: &Neighbours, key: &str, note: &str) -> Result<()> {
        if self.value["status"] != "Acknowledged" {
            return Ok(());
        }
        let request = api::request_id::current();
        let user = tx.author().to_owned();
        let action = AlertAction {
            tenant: &self.tenant,
            id: &self.id,
            user: &user,
            by: key,
            request: &request,
            what: AlertActionKind::Unacknowledge,
            note,
        };
        neighbours.alerts.act(tx.conn, action, tx.now)?;
        Ok(())
    }

    /// Its escalation, which nobody else changes until the end of the transaction.
    fn locked(&self, conn: &mut Conn) -> Result<Option<Row>> {
        store::lock(&self.tenant, &self.id).take(conn)?;
        store::find(conn, &self.tenant, &self.id)
    }

    /// To whom it is handed over.
    ///
    /// # Errors
    /// 400 for people and rosters that are not there.
    fn recipients(
        &self,
        tx: &mut Tx<'_>,
        neighbours: &Neighbours,
        scope: &RequestScope,
        input: &HandOverInput,
    ) -> Result<(Vec<Target>, EscalationAction)> {
        let around = neighbours.people.own_and_partner(tx.conn, &self.tenant)?;
        let mut wrong = FieldErrors::new(Vec::new());
        let action =
            EscalationAction { note: input.note.clone(), ..EscalationAction::of(HANDED_OVER, tx.author(), tx.now) };
        if let Some(roster) = &input.roster {
            let seen = scope.scope();
            let rosters: Vec<String> = around.into_iter().filter(|tenant| seen.contains(tenant)).collect();
            let Some(known) = neighbours.on_call.roster(tx.conn, &rosters, &roster.id)? else {
                wrong.unknown("roster.id", "roster of the tenant", &roster.id);
                wrong.check()?;
                return Err(Problem::internal().into());
            };
            let target = Target { roster: Some(Id { id: roster.id.clone() }), ..Target::default() };
            let roster = NamedRoster { tenant: known.tenant_id, id: roster.id.clone(), name: known.name };
            return Ok((vec![target], EscalationAction { roster: Some(roster), ..action }));
        }
        let ids: Vec<String> = input.users.iter().flatten().map(|user| user.id.clone()).collect();
        let known = neighbours.people.users(tx.conn, &around, &ids)?;
        for (place, id) in ids.iter().enumerate() {
            if known.iter().all(|person| person.id != *id) {
                wrong.unknown(&format!("users[{place}].id"), "user of the tenant or its partner", id);
            }
        }
        wrong.check()?;
        let target = |id: &String| Target { user: Some(Id { id: id.clone() }), ..Target::default() };
        Ok((ids.iter().map(target).collect(), EscalationAction { users: ids, ..action }))
    }

    /// What happened with it.
    fn timeline(&self, conn: &mut Conn, neighbours: &Neighbours, scope: &RequestScope) -> Result<Answer> {
        Answer::ok(&timeline::load(conn, neighbours, &scope.scope(), &self.id, scope.now)?)
    }
}

impl Row {
    /// One that an acknowledgement or a suppression stopped, which holds no more: its next step can be taken.
    fn going_on(self) -> Self {
        let held = [Stage::Acknowledged, Stage::Suppressed].contains(&self.state().stage);
        let stage = if held { Stage::Running.word().to_owned() } else { self.stage };
        Self { stage, ..self }
    }
}
