//! What clients send and see of alert routes.

use api::Request;
use base::{
    Fields,
    body::Request,
    matching::{Keys, MatchType, Meter, Operator, Rules},
    problem::Problem,
    timestamp::Timestamp,
};
use ports::{ALERT_KEYS, Author};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::configuration::policies;

/// The longest name.
const LONGEST_NAME: usize = 200;
/// The last position.
const LAST: i64 = 1_000_000;
/// What rules may ask of an alert, of its machine and of the time.
pub const KEYS: [Keys<'_>; 2] = [ALERT_KEYS, OF_MACHINE_AND_TIME];
const OF_MACHINE_AND_TIME: Keys<'_> = Keys {
    names: &[
        "resource",
        "resource.id",
        "resource.name",
        "resource.hostName",
        "resource.ipAddress",
        "resource.resourceType",
        "deviceGroups",
        "serviceGroups",
        "site",
        "owner",
        "owner.name",
        "owner.uniqueId",
        "time.hour",
        "time.weekday",
    ],
    open: &["resource.tags"],
};
/// Of a route that has no rules and is not the default.
pub const RULES_REQUIRED: &str = "are required, unless isDefault is true";

api::path_id! {
    /// `AR-<uuid>`
    pub RouteId = "routeId", "AR-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// The id of a route in the spelling in which it is stored.
pub fn normal_id(text: &str) -> String {
    base::text::spelled(text, "AR-")
}

/// Which alerts go to which policy.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertRoute {
    /// `AR-<uuid>`.
    #[schema(example = "AR-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Unique in the tenant.
    #[schema(example = "Databases")]
    pub name: String,
    /// `ANY` or `ALL` of the rules.
    #[schema(pattern = "^(ANY|ALL)$", example = "ALL")]
    pub matching_type: &'static str,
    /// What an alert has to be; none for the default.
    pub rules: Vec<AlertRule>,
    /// Where it goes.
    pub policy: PolicyReference,
    /// Routes are asked in this order, the default last.
    #[schema(example = 10)]
    pub position: i64,
    /// Does it take what no other route takes?
    pub is_default: bool,
    /// Who created it.
    pub created_by: Author,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

/// One comparison.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AlertRouteRule, example = json!({"key": "currentState", "operator": "Equals", "value": "Critical"}))]
pub struct AlertRule {
    /// A field of the alert (`currentState`, `metric`, `subject`, `app`, `tags.env`, …).
    #[schema(min_length = 1, max_length = 200, pattern = r"\S")]
    pub key: String,
    /// `Contains`, `NotContains`, `Equals`, `NotEquals`, `Startswith`, `Endswith` or `Regex`.
    #[schema(pattern = "^(Contains|NotContains|Equals|NotEquals|Startswith|Endswith|Regex)$")]
    pub operator: String,
    /// What it is compared with.
    #[schema(min_length = 1, max_length = 1000)]
    pub value: String,
    /// Why the rule never holds: it is from before keys were looked at, and no alert has this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// A policy, by id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EscalationPolicyId)]
pub struct PolicyReference {
    /// `EP-<uuid>`.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
}

/// A route to create.
// Its rules are read by [`read`], which counts what they cost.
#[derive(Clone, Debug, Request)]
#[request(schema = "AlertRouteInput", check = has_rules_or_is_default, example = json!({
    "name": "Databases", "matchingType": "ANY", "policy": {"id": "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"},
    "rules": [{"key": "metric", "operator": "Startswith", "value": "db."}]
}))]
#[request(update(
    name = RouteChange,
    schema = "AlertRouteUpdate",
    doc = "What is to change of a route: what is left out stays as it is, and `rules` are replaced as a whole.",
    example = json!({"policy": {"id": "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}})
))]
pub struct NewRoute {
    /// Unique in the tenant whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// `ANY` or `ALL` (default) of the rules.
    #[request(name = "matchingType", words = MatchType::WORDS, default = MatchType::All.word())]
    pub match_type: &'static str,
    /// What an alert has to be, 1 to 50; none for the default.
    #[request(name = "rules", with = is_given, schema = Vec<AlertRule>, items = 0..=50, default)]
    pub has_rules: bool,
    /// Where it goes.
    #[request(with = policy, schema = PolicyReference)]
    pub policy: String,
    /// Routes are asked in the order of their positions; without one, behind all others.
    #[request(range = 1..=LAST)]
    pub position: Option<i64>,
    /// Takes what no other route takes; a tenant has one at most.
    #[request(default)]
    pub is_default: bool,
}

fn is_given(fields: &mut Fields<'_>, name: &str) -> Option<bool> {
    fields.has(name).then_some(true)
}

fn policy(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.object(name).map(|mut policy| policies::wire::normal_id(&policy.required_text("id")))
}

fn has_rules_or_is_default(new: &NewRoute, fields: &mut Fields<'_>) {
    if !new.is_default && !new.has_rules {
        fields.error("rules", RULES_REQUIRED);
    }
}

/// Reads a whole body: what it says, and its rules.
///
/// # Errors
/// 400 that lists every field that is wrong.
pub fn read<T: Request>(body: &Value, meter: &Meter) -> Result<(T, Option<Rules>), Problem> {
    let mut fields = Fields::of(body);
    // What is wrong with it, `T` notes.
    let is_any = fields.says("matchingType", &[MatchType::Any.word()]);
    let match_type = if is_any { MatchType::Any } else { MatchType::All };
    let rules = Rules::read(&mut fields, match_type, &KEYS, Operator::word, meter);
    let read = T::read(&mut fields);
    fields.finish()?;
    Ok((read, rules))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_is_told_once() {
        for word in ["", "some"] {
            let rules = json!([{"key": "metric", "operator": "Startswith", "value": "db."}]);
            let body = json!({"name": "n", "policy": {"id": "EP-1"}, "rules": rules, "matchingType": word});
            let refused = read::<NewRoute>(&body, &Meter::new(Meter::REQUEST)).unwrap_err();
            let fields: Vec<&str> = refused.errors.iter().map(|error| error.field_name.as_str()).collect();
            assert_eq!(fields, ["matchingType"], "{word:?}");
        }
    }
}
