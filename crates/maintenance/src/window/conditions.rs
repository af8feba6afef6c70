//! Which alerts a window catches, as clients say and see it.

use api::Request;
use base::{
    Fields,
    body::Request as _,
    matching::{MatchType, Meter, Operator, Rules, unknown_key},
};
use ports::ALERT_KEYS;
use serde::Serialize;
use utoipa::ToSchema;

/// Which alerts a window catches.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertConditions {
    /// `ALL` or `ANY` of the rules have to hold.
    #[schema(pattern = "^(ANY|ALL)$", example = "ALL")]
    pub matching_type: &'static str,
    /// At least one.
    pub rules: Vec<AlertRule>,
}

/// A rule of alert conditions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlertRule {
    /// A property of the alert, by its name or, with dots between names, by its path.
    #[schema(min_length = 1, max_length = 200, pattern = r"\S", example = "subject")]
    pub key: String,
    /// `Equals`, `NotEquals`, `Startswith`, `Endswith`, `Contains`, `NotContains` or `Regex`.
    #[schema(pattern = "^(Contains|NotContains|Equals|NotEquals|Startswith|Endswith|Regex)$", example = "Contains")]
    pub operator: &'static str,
    /// What it is compared with.
    #[schema(min_length = 1, max_length = 1000, example = "disk")]
    pub value: String,
    /// Why the rule never holds: it is from before keys were looked at, and no alert has this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

impl From<&Rules> for AlertConditions {
    fn from(rules: &Rules) -> Self {
        let shown = |rule: &base::matching::Rule| AlertRule {
            key: rule.key.clone(),
            operator: rule.operator.word(),
            value: rule.value.clone(),
            broken: unknown_key(&rule.key, &[ALERT_KEYS]),
        };
        Self { matching_type: rules.match_type.word(), rules: rules.rules.iter().map(shown).collect() }
    }
}

/// Which alerts a window catches.
// Its rules are read with what they cost.
#[derive(Clone, Copy, Debug, Request)]
#[request(schema = "AlertConditionsInput")]
pub struct NewConditions {
    /// `ALL` (default) or `ANY` of the rules have to hold.
    #[request(words = MatchType::WORDS, default = MatchType::All.word(), example = "ALL")]
    matching_type: &'static str,
    /// At most 50.
    #[request(name = "rules", with = is_given, schema = Vec<AlertRule>, items = 0..=50, default)]
    has_rules: bool,
}

/// Reads them where they stand in the body of a window. The inner `None`: conditions without rules, which are none.
pub fn read(fields: &mut Fields<'_>, meter: &Meter) -> Option<Option<Rules>> {
    let mut object = fields.object("alertConditions")?;
    let NewConditions { matching_type, has_rules } = NewConditions::read(&mut object);
    let rules = || Rules::read(&mut object, MatchType::of(matching_type), &[ALERT_KEYS], Operator::word, meter);
    Some(has_rules.then(rules).flatten())
}

fn is_given(fields: &mut Fields<'_>, name: &str) -> Option<bool> {
    Some(fields.has(name))
}
