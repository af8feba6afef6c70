//! The filter criteria of a dynamic group, and whether a resource meets them. Pure.

use base::{
    body::Fields,
    matching::{Exhausted, MatchType, Meter, Operator, Pattern, one_or_all, read_comparison},
    net::{IpKey, cidr_range, ip_key},
    text::fold,
    timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};

use super::attributes::{self, Attribute, Facts};
use crate::types;

#[cfg(test)]
mod tests;

/// The most rules of one group.
const MOST_RULES: usize = 50;
/// The rules that make a resource a member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Criteria {
    /// Whether one rule is enough.
    pub match_type: MatchType,
    /// At least one.
    pub rules: Vec<Rule>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Only resources of this `type` or resource type meet the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// The attribute that is compared, one of [`attributes::key_list`].
    pub key: String,
    /// The comparison operator.
    pub operator: Operator,
    /// The value that the attribute is compared with.
    pub value: String,
}

impl Criteria {
    /// Reads `filterCriteria` and adds its errors to `fields`. Without any rule there are no criteria: `None`.
    pub fn read(fields: &mut Fields<'_>, meter: &Meter) -> Option<Self> {
        let match_type = MatchType::read(fields, "matchType");
        let given = fields.objects("rules").unwrap_or_default();
        if given.len() > MOST_RULES {
            fields.error("rules", format!("must have at most {MOST_RULES} elements"));
            return None;
        }
        let rules: Vec<Rule> = given.into_iter().filter_map(|mut rule| Rule::read(&mut rule, meter)).collect();
        (!rules.is_empty()).then_some(Self { match_type, rules })
    }
}

impl Rule {
    fn read(fields: &mut Fields<'_>, meter: &Meter) -> Option<Self> {
        let resource_type = fields.text("resourceType").map(|text| text.trim().to_owned());
        let given = fields.required_text("key");
        let key = attributes::parse(given.trim());
        if key.is_none() && !given.trim().is_empty() {
            fields.error("key", format!("must be one of: {}", attributes::key_list()));
        }
        let comparison = read_comparison(fields, Operator::words, meter);
        let key = key?.0;
        let (operator, value) = comparison?;
        Some(Self {
            resource_type: resource_type.filter(|text| !text.is_empty() && fold(text) != "resource"),
            key,
            operator,
            value,
        })
    }
}

/// Compiled criteria, to test many resources.
#[derive(Debug)]
pub struct Matcher {
    match_type: MatchType,
    rules: Vec<CompiledRule>,
}

#[derive(Debug)]
struct CompiledRule {
    /// A folded name or path.
    resource_type: Option<String>,
    attribute: Attribute,
    test: Test,
    negative: bool,
}

/// The test of each value.
#[derive(Debug)]
enum Test {
    Text(Pattern),
    Within(IpKey, IpKey),
    At(Timestamp),
}

impl Matcher {
    /// Criteria were checked when they were stored. A rule that has become unreadable since (a limit that shrank) is
    /// met by no resource.
    pub fn new(criteria: &Criteria) -> Self {
        let rules: Vec<CompiledRule> = criteria.rules.iter().filter_map(CompiledRule::new).collect();
        let impossible = criteria.match_type == MatchType::All && rules.len() < criteria.rules.len();
        Self { match_type: criteria.match_type, rules: if impossible { Vec::new() } else { rules } }
    }

    /// Does any rule ask for the path of the type?
    pub fn uses_type_path(&self) -> bool {
        let is_asked = |rule: &CompiledRule| {
            rule.attribute == Attribute::TypePath || rule.resource_type.as_deref().is_some_and(types::is_path)
        };
        self.rules.iter().any(is_asked)
    }

    /// Does any rule ask for the name of the site?
    pub fn uses_site(&self) -> bool {
        self.rules.iter().any(|rule| rule.attribute == Attribute::Site)
    }

    /// Does a resource meet the criteria?
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub fn matches(&self, facts: &Facts<'_>, meter: &Meter) -> Result<bool, Exhausted> {
        if self.rules.is_empty() {
            return Ok(false);
        }
        one_or_all(self.match_type == MatchType::Any, &self.rules, |rule| rule.matches(facts, meter))
    }
}

impl CompiledRule {
    fn new(rule: &Rule) -> Option<Self> {
        let (_, mut attribute) = attributes::parse(&rule.key)?;
        let is_equals = matches!(rule.operator, Operator::Equals | Operator::NotEquals);
        if is_equals && attribute == Attribute::ResourceType && types::is_path(&rule.value) {
            attribute = Attribute::TypePath;
        }
        let test = Test::new(&attribute, rule.operator, &rule.value)?;
        let resource_type = rule.resource_type.as_deref().map(types::path_key);
        Some(Self { resource_type, attribute, test, negative: rule.operator.is_negative() })
    }

    fn matches(&self, facts: &Facts<'_>, meter: &Meter) -> Result<bool, Exhausted> {
        let resource = facts.resource;
        let names = [&resource.kind, resource.resource_type.1.as_str(), facts.type_path.unwrap_or("")];
        let is_of = |wanted: &String| names.iter().any(|name| fold(name) == *wanted);
        if !self.resource_type.as_ref().is_none_or(is_of) {
            return Ok(false);
        }
        let mut exhausted = None;
        let found = self.attribute.any(facts, |text| {
            self.test.matches_text(text, meter).unwrap_or_else(|error| {
                exhausted = Some(error);
                true
            })
        });
        exhausted.map_or(Ok(found != self.negative), Err)
    }
}

impl Test {
    /// Addresses are compared as such, or with a block, and times as such.
    fn new(attribute: &Attribute, operator: Operator, value: &str) -> Option<Self> {
        let is_equals = matches!(operator, Operator::Equals | Operator::NotEquals);
        if is_equals && attribute.is_address() {
            let alone = || ip_key(value).map(|key| (key.clone(), key));
            if let Some((first, last)) = cidr_range(value).or_else(alone) {
                return Some(Self::Within(first, last));
            }
        }
        if let (true, Attribute::Time(_), Some(time)) = (is_equals, attribute, Timestamp::parse(value)) {
            return Some(Self::At(time));
        }
        let path = (*attribute == Attribute::TypePath).then(|| types::path_key(value));
        Some(Self::Text(Pattern::new(operator, path.as_deref().unwrap_or(value))))
    }

    fn matches_text(&self, text: &str, meter: &Meter) -> Result<bool, Exhausted> {
        match self {
            Self::Text(pattern) => pattern.finds(text, meter),
            Self::Within(first, last) => Ok(ip_key(text).is_some_and(|key| *first <= key && key <= *last)),
            Self::At(time) => Ok(Timestamp::parse(text) == Some(*time)),
        }
    }
}
