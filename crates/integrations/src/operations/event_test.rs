//! Tests of events: whether an event would fire, and the request that it would send.

use std::{collections::BTreeMap, future::Future};

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, Request, RequestContext, Role, answer, cpu, post};
use base::{
    Fields, Problem, Timestamp,
    body::ignored,
    matching::{Exhausted, Meter},
    problem::{FieldError, FieldErrors},
};
use db::Json;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::events;
use crate::{
    delivery::row::Message,
    event::{
        check::joined,
        config::ACTIONS,
        filter::{CachedTexts, Filter},
        row::Row,
        wire::{Event, EventId, Input, ParsedEvent},
    },
    facts::Facts,
    firing::CompiledEvent,
    headers::{self, Header},
    installed::{row::Row as Integration, store as installations, wire::IntegrationId},
    sender::{call::Caller, claims},
    services::Services,
    template::Entity,
};

/// The result of a test.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTest)]
pub struct EventTest {
    /// Would it fire?
    pub fires: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Each rule of the filter, in its order.
    pub rules: Vec<EventTestRule>,
    /// What would be sent, whether it fires or not; left out when there is nothing to send.
    pub request: Option<EventTestRequest>,
    /// The answer of the endpoint, when the request was sent.
    pub response: Option<EventTestResponse>,
}

/// The result of a rule of the filter.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTestRule)]
pub struct EventTestRule {
    /// The key.
    pub key: String,
    /// The operator.
    pub operator: String,
    /// What it is compared with.
    pub value: String,
    /// What the entity has under the key: the first 100 texts, and of each the first 1,000 characters.
    pub actual: Vec<String>,
    /// Does the rule hold?
    pub matches: bool,
}

/// The request that would be sent. Credentials and signature are shown as `[secret]`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventTestRequest)]
pub struct EventTestRequest {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The headers.
    pub headers: Vec<Header>,
    /// The body.
    pub body: String,
}

/// The answer of the endpoint.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTestResponse)]
pub struct EventTestResponse {
    /// Would a delivery count as delivered?
    pub delivered: bool,
    /// The status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The start of the body, up to 16 KiB.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

/// An action to try an event with.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "EventTestInput")]
pub struct TestInput {
    /// The entity as it is after the action.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    object: Value,
    /// The entity as it was before an update.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    previous: Option<Value>,
    /// By default that of the event.
    #[request(words = ACTIONS)]
    event_type: Option<&'static str>,
    /// Send it too? Default false.
    #[request(default)]
    send: bool,
}

/// An event that is not saved, and an action to try it with.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "UnsavedEventTestInput")]
pub struct UnsavedTestInput {
    /// The entity as it is after the action.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    object: Value,
    /// The entity as it was before an update.
    #[request(with = object, schema = BTreeMap<String, Value>)]
    previous: Option<Value>,
    /// By default that of the event.
    #[request(words = ACTIONS)]
    event_type: Option<&'static str>,
    /// Send it too? Default false.
    #[request(default)]
    send: bool,
    /// The event, as it would be created.
    #[request(with = object, schema = Input)]
    event: Value,
}

fn object(fields: &mut Fields<'_>, field: &str) -> Option<Value> {
    fields.raw_object(field).map(Value::Object)
}

/// A caller who may see an event may test it; sending takes the role `integrator`, which decides where data goes.
fn may_send(context: &RequestContext, action: &TestInput) -> Result<(), Problem> {
    if action.send && context.caller.role < Role::Integrator {
        return Err(Problem::forbidden("Sending a test takes the role integrator."));
    }
    Ok(())
}

/// Answers a test. A test that sends cannot be taken back, so it runs under the idempotency key; others only read.
async fn answer_test<T>(context: &RequestContext, send: bool, test: T) -> api::Result<HttpResponse>
where
    T: Future<Output = api::Result<EventTest>> + 'static,
{
    if !send {
        return answer::ok(&test.await?);
    }
    context.carry_out(async { Ok(Answer::ok(&test.await?)?) }).await
}

/// Try an integration event
///
/// Says whether it would fire for an action, rule by rule, and what exactly it would send; with `"send": true` it is
/// sent, once, and the answer is shown, which takes the role `integrator`. No delivery is stored.
#[utoipa::path(
    operation_id = "testIntegrationEvent",
    params(IntegrationId, EventId),
    request_body(
        content = TestInput,
        example = json!({"object": {"id": "INC-1", "subject": "disk full"}, "send": false})
    ),
    responses((status = 200, description = "What would happen", body = EventTest)),
    security(("bearer" = ["viewer"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}/test")]
pub async fn test_saved(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
    Body(action): Body<TestInput>,
) -> api::Result<HttpResponse> {
    may_send(&context, &action)?;
    let scope = context.scope();
    let request_context = context.clone();
    let send = action.send;
    let test = async move {
        let (integration, row) =
            request_context.db.read(move |conn| events::existing(conn, &scope, &integration, &id)).await?;
        run_test(&request_context, &services, integration, row, action).await
    };
    answer_test(&context, send, test).await
}

/// Try an event before it is saved
///
/// As for a saved event; `event` is the body that would save it.
#[utoipa::path(
    operation_id = "testUnsavedIntegrationEvent",
    params(IntegrationId),
    request_body(content = UnsavedTestInput, example = json!({
        "event": {"entity": "INCIDENT", "eventType": "CREATE", "eventPayload": "{\"title\": \"$incident.subject\"}"},
        "object": {"id": "INC-1", "subject": "disk full"}
    })),
    responses((status = 200, description = "What would happen", body = EventTest)),
    security(("bearer" = ["viewer"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/test")]
pub async fn test_unsaved(
    context: RequestContext,
    services: web::Data<Services>,
    PathIds(id): PathIds<IntegrationId>,
    Body((unsaved, wrong)): Body<(UnsavedTestInput, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let UnsavedTestInput { object, previous, event_type, send, event } = unsaved;
    let action = TestInput { object, previous, event_type, send };
    let event = if event.is_object() { event } else { json!({}) };
    let mut errors = wrong.check().err().map(|problem| problem.errors).unwrap_or_default();
    let scope = context.scope();
    let request_context = context.clone();
    let send = action.send;
    let test = async move {
        let integration = request_context.db.read(move |conn| installations::existing(conn, &scope, &id)).await?;
        let base = integration.notifier();
        let guard = services.guard.clone();
        let read = cpu::run(move |meter| {
            Ok(ignored::within("event", || ParsedEvent::of(&event, None, base.as_ref(), &guard, meter)))
        })
        .await?;
        let of_event = read.as_ref().err().map(|problem| problem.errors.clone()).unwrap_or_default();
        let prefixed = |error: FieldError| FieldError::new(format!("event.{}", error.field_name), error.message);
        errors.extend(of_event.into_iter().map(prefixed));
        if !errors.is_empty() {
            return Err(Problem::fields(errors).into());
        }
        let read = read?;
        may_send(&request_context, &action)?;
        let mut row = Row {
            tenant_id: integration.tenant_id.clone(),
            id: "INTG-EVENT-test".to_owned(),
            integration_id: integration.id.clone(),
            version: 0,
            active: true,
            inactive_because: String::new(),
            gone: false,
            config: Json::default(),
            secrets: String::new(),
            created_ms: request_context.now.millis(),
            updated_ms: None,
        };
        row.set(&services.vault, &read.config, &read.secrets)?;
        run_test(&request_context, &services, integration, row, action).await
    };
    answer_test(&context, send, test).await
}

/// Looks at an event and an action on the threads for callers' work, and sends the message when that is asked for.
async fn run_test(
    context: &RequestContext,
    services: &Services,
    integration: Integration,
    row: Row,
    action: TestInput,
) -> api::Result<EventTest> {
    let now = context.now;
    let send = action.send;
    let worked = cpu::run(move |meter| {
        let (tested, message) = evaluate_event(now, &integration, &row, &action, meter)
            .map_err(|_| Problem::field("object", "takes too long to match against the filter of the event"))?;
        Ok((integration, row, tested, message))
    });
    let (integration, row, mut tested, message) = worked.await?;
    if send && let Some(message) = message {
        tested.response = Some(send_test(services, &integration, &row, &message, now).await);
    }
    Ok(tested)
}

/// Matches an event against an action, and renders the message that it would send.
fn evaluate_event(
    now: Timestamp,
    integration: &Integration,
    row: &Row,
    action: &TestInput,
    meter: &Meter,
) -> Result<(EventTest, Option<Message>), Exhausted> {
    let config = row.config.0.clone();
    let mut reasons = Vec::new();
    if !integration.enabled {
        reasons.push("the integration is disabled".to_owned());
    }
    if !row.active {
        reasons.push("the event is not active".to_owned());
    }
    let event_type = action.event_type.filter(|_| config.entity() != Some(Entity::Alert));
    let word = event_type.or(config.event_type.as_deref()).unwrap_or("NONE").to_owned();
    if event_type.is_some() && config.event_type.as_deref() != event_type {
        reasons.push(format!("the event is not for {word}"));
    }
    let action_id = "EVT-test".to_owned();
    let facts = Facts {
        object: &action.object,
        previous: action.previous.as_ref(),
        action: &word,
        entity: config.entity().map_or("", Entity::word),
        tenant: &row.tenant_id,
        action_id: &action_id,
        at: now,
    };
    let texts = CachedTexts::new(facts, meter);
    let filter = Filter::new(config.filter_criteria.as_ref());
    let given = config.filter_criteria.iter().flat_map(|criteria| &criteria.rules);
    let rules = given.zip(filter.outcomes(&texts)?).map(|(rule, outcome)| EventTestRule {
        key: rule.key.clone(),
        operator: rule.operator.clone(),
        value: rule.value.clone(),
        actual: outcome.actual,
        matches: outcome.holds,
    });
    let rules = rules.collect();
    if !filter.matches(&texts)? {
        reasons.push("the filter is not met".to_owned());
    }
    let base = integration.notifier();
    let compiled = CompiledEvent::new(&row.tenant_id, &row.id, config, base.as_ref()).map_err(ToOwned::to_owned);
    let message = compiled.and_then(|compiled| compiled.render(&facts, meter).map_err(|why| why.to_string()));
    let message = message.map_err(|why| reasons.push(why)).ok();
    let request = message.as_ref().map(|message| preview_request(row, integration, message));
    Ok((EventTest { fires: reasons.is_empty(), reasons, rules, request, response: None }, message))
}

/// A message with its credentials hidden.
fn preview_request(row: &Row, integration: &Integration, message: &Message) -> EventTestRequest {
    let event = Event::of(row, integration.notifier());
    let base = event.notifier.as_ref().map_or("", |notifier| notifier.base_uri.as_str());
    let hidden = |key: &str| Header { key: key.to_owned(), value: "[secret]".to_owned() };
    let mut all: Vec<Header> =
        message.headers.iter().map(|(key, value)| Header { key: key.clone(), value: value.clone() }).collect();
    let secret = event.headers.iter().filter(|header| headers::is_secret(&header.key));
    all.extend(secret.map(|header| hidden(&header.key)));
    if event.notifier.as_ref().is_some_and(|notifier| notifier.auth_type != "NONE") {
        all.push(hidden("Authorization"));
    }
    all.push(hidden("webhook-signature"));
    EventTestRequest {
        method: message.method.clone(),
        url: joined(base, &message.target),
        headers: all,
        body: message.body.clone(),
    }
}

async fn send_test(
    services: &Services,
    integration: &Integration,
    row: &Row,
    message: &Message,
    now: Timestamp,
) -> EventTestResponse {
    let caller = Caller::new(services.dialler.clone(), services.guard.clone(), services.timeout, 1);
    let id = format!("DLV-{}", uuid::Uuid::now_v7());
    let answer = match claims::endpoint(row, integration, &services.vault) {
        Ok(endpoint) => caller.call(&endpoint, message, &id, now).await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(answer) => EventTestResponse {
            delivered: (200..300).contains(&answer.status),
            status: Some(answer.status),
            body: String::from_utf8_lossy(&answer.body).into_owned(),
            error: String::new(),
        },
        Err(error) => EventTestResponse { error: error.to_string(), ..EventTestResponse::default() },
    }
}
