//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

use super::wire::Step;

/// A policy to create, or what is to change of one: what is left out stays as it is, and `steps` are replaced as a whole.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "name": "Web team", "ackTimeout": "30m", "repeat": 1,
    "steps": [
        {"targets": [{"roster": {"id": "ES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}}], "wait": "5m"},
        {"targets": [{"owner": true}, {"user": {"id": "USR0000000007"}}], "wait": "10m"}
    ]
}))]
pub struct EscalationPolicyInput {
    /// Unique in the tenant whatever the letter case; at most 200 characters.
    name: Option<String>,
    /// What it is for.
    description: Option<String>,
    /// 1 to 20.
    steps: Option<Vec<Step>>,
    /// How often the steps are gone through again when nobody answered; 0 (default) to 20.
    repeat: Option<i64>,
    /// What is done after the last step: `STOP` (default), or `REPEAT_LAST` until somebody answers.
    at_end: Option<String>,
    /// How long an acknowledgement holds before the escalation goes on, from `1s` to `7d`; empty for as long as it stands.
    ack_timeout: Option<String>,
    /// `high` or `low`; empty to take it from the alert: what is `Critical` is high, the rest low.
    urgency: Option<String>,
}
