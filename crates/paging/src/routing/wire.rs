//! What clients send and see of alert routes.

use base::{
    Fields,
    matching::{Meter, Operator, Rules},
    problem::Problem,
    timestamp::Timestamp,
};
use ports::{Author, Authors};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::Row;

/// The longest name.
const LONGEST_NAME: usize = 200;
/// The last position.
const LAST: i64 = 1_000_000;

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
    #[schema(example = "ALL")]
    pub matching_type: &'static str,
    /// What an alert has to be; none for the default.
    pub rules: Vec<AlertRule>,
    /// Where it goes.
    pub policy: PolicyId,
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
    pub key: String,
    /// `Contains`, `NotContains`, `Equals`, `NotEquals`, `Startswith`, `Endswith` or `Regex`.
    pub operator: String,
    /// What it is compared with.
    pub value: String,
}

/// A policy, by id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EscalationPolicyId)]
pub struct PolicyId {
    /// `EP-<uuid>`.
    pub id: String,
}

impl AlertRoute {
    /// As it is shown.
    pub fn new(row: &Row, authors: &Authors) -> Self {
        let rules = row.rules();
        let shown = rules.iter().flat_map(|rules| &rules.rules).map(|rule| AlertRule {
            key: rule.key.clone(),
            operator: rule.operator.word().to_owned(),
            value: rule.value.clone(),
        });
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            matching_type: rules.as_ref().map_or("ALL", |rules| rules.match_type.word()),
            rules: shown.collect(),
            policy: PolicyId { id: row.policy_id.clone() },
            position: row.position,
            is_default: row.is_default,
            created_by: authors.of(&row.created_by),
            updated_by: authors.of(&row.updated_by),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// What is said of a route; what is left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Another name.
    pub name: Option<String>,
    /// Other rules; `Some(None)` for none.
    pub rules: Option<Option<Rules>>,
    /// Another way of putting them together, when they stay.
    pub match_type: Option<&'static str>,
    /// Another policy.
    pub policy: Option<String>,
    /// Another position.
    pub position: Option<i64>,
    /// Is it the default?
    pub is_default: Option<bool>,
}

impl Change {
    /// Reads a body; of a new route name and policy are required.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value, new: bool, meter: &Meter) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        if new {
            fields.require("name");
            fields.require("policy");
        }
        let has_rules = fields.has("rules");
        let rules = Rules::read(&mut fields, "matchingType", Operator::word, meter);
        let change = Self {
            name: fields.name("name", LONGEST_NAME),
            rules: has_rules.then_some(rules),
            match_type: fields.one_of("matchingType", &base::matching::MatchType::WORDS),
            policy: fields
                .object("policy")
                .map(|mut policy| crate::policies::store::normal_id(&policy.required_text("id"))),
            position: fields.integer_in("position", 1..=LAST),
            is_default: fields.boolean("isDefault"),
        };
        if new && change.is_default != Some(true) && !matches!(change.rules, Some(Some(_))) {
            fields.error("rules", "are required, unless isDefault is true");
        }
        fields.finish().map(|()| change)
    }
}
