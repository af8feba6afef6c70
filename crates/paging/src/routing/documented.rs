//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

use super::wire::{AlertRule, PolicyId};

/// A route to create, or what is to change of one: what is left out stays as it is, and `rules` are replaced as a whole.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "name": "Databases", "matchingType": "ANY", "policy": {"id": "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"},
    "rules": [{"key": "metric", "operator": "Startswith", "value": "db."}]
}))]
pub struct AlertRouteInput {
    /// Unique in the tenant whatever the letter case; at most 200 characters.
    name: Option<String>,
    /// `ANY` or `ALL` (default) of the rules.
    matching_type: Option<String>,
    /// What an alert has to be, 1 to 50; none for the default.
    rules: Option<Vec<AlertRule>>,
    /// Where it goes.
    policy: Option<PolicyId>,
    /// Routes are asked in the order of their positions; without one, behind all others.
    position: Option<i64>,
    /// Takes what no other route takes; a tenant has one at most.
    is_default: Option<bool>,
}
