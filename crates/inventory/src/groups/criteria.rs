//! The filter criteria of a dynamic group, and whether a resource meets them. Pure.

use base::{
    body::Fields,
    net::{IpKey, cidr_range, ip_key},
    text::fold,
};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attributes::{self, Attribute, Facts};

#[cfg(test)]
mod tests;

/// The most rules of one group.
const MOST_RULES: usize = 50;
/// The longest value of a rule, in characters.
const LONGEST_VALUE: usize = 1000;
/// The most memory that a compiled expression may take, in bytes: `\w{1000}` and its like are refused.
const REGEX_SIZE: usize = 256 << 10;

/// Whether one rule is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MatchType {
    /// A resource that meets one rule is a member.
    Any,
    /// A member meets every rule.
    #[default]
    All,
}

impl MatchType {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Any => "ANY",
            Self::All => "ALL",
        }
    }
}

/// How a rule compares. All but [`Operator::Regex`] ignore the letter case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// The value is in the text.
    Contains,
    /// The value is in none of the texts.
    #[serde(rename = "Not Contains")]
    NotContains,
    /// The text is the value. An address may be in a block instead.
    Equals,
    /// None of the texts is the value.
    #[serde(rename = "Not Equals")]
    NotEquals,
    /// The text starts with the value.
    #[serde(rename = "Starts with")]
    StartsWith,
    /// The text ends with the value.
    #[serde(rename = "Ends with")]
    EndsWith,
    /// The expression matches anywhere in the text, in the letter case given.
    Regex,
}

impl Operator {
    const ALL: [Self; 7] = [
        Self::Contains,
        Self::NotContains,
        Self::Equals,
        Self::NotEquals,
        Self::StartsWith,
        Self::EndsWith,
        Self::Regex,
    ];

    /// The words on the wire.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Contains => "Contains",
            Self::NotContains => "Not Contains",
            Self::Equals => "Equals",
            Self::NotEquals => "Not Equals",
            Self::StartsWith => "Starts with",
            Self::EndsWith => "Ends with",
            Self::Regex => "Regex",
        }
    }

    fn is_negative(self) -> bool {
        matches!(self, Self::NotContains | Self::NotEquals)
    }
}

/// What makes a resource a member.
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
    /// What is compared, one of [`attributes::known`].
    pub key: String,
    /// How.
    pub operator: Operator,
    /// With what.
    pub value: String,
}

impl Criteria {
    /// Reads `filterCriteria`; what is wrong is noted there. No rule at all is no criteria: `None`.
    pub fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let match_type = match fields.one_of("matchType", &["ANY", "ALL"]) {
            Some("ANY") => MatchType::Any,
            _ => MatchType::All,
        };
        let given = fields.objects("rules").unwrap_or_default();
        if given.len() > MOST_RULES {
            fields.error("rules", format!("must have at most {MOST_RULES} elements"));
            return None;
        }
        let rules: Vec<Rule> = given.into_iter().filter_map(|mut rule| Rule::read(&mut rule)).collect();
        (!rules.is_empty()).then_some(Self { match_type, rules })
    }

    /// How they are stored.
    pub fn to_json(&self) -> String {
        // Strings and words only: this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads how they are stored.
    pub fn from_json(text: &str) -> Result<Self, db::Error> {
        serde_json::from_str(text).map_err(|error| db::Error::Fault(format!("filter criteria: {error}")))
    }
}

impl Rule {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let resource_type = fields.text("resourceType").map(|text| text.trim().to_owned());
        let given = fields.required_text("key");
        let key = attributes::parse(given.trim());
        if key.is_none() && !given.trim().is_empty() {
            fields.error("key", format!("must be one of: {}", attributes::known()));
        }
        fields.require("operator");
        let words = fields.one_of("operator", &Operator::ALL.map(Operator::words));
        let operator = Operator::ALL.into_iter().find(|operator| Some(operator.words()) == words);
        let value = read_value(fields);
        if let (Some(Operator::Regex), Some(value)) = (operator, &value)
            && let Err(error) = compile(value)
        {
            fields.error("value", reason(&error));
        }
        Some(Self {
            resource_type: resource_type.filter(|text| !text.is_empty() && fold(text) != "resource"),
            key: key?.0,
            operator: operator?,
            value: value?,
        })
    }
}

/// A text that is not empty; numbers and booleans may come as such.
fn read_value(fields: &mut Fields<'_>) -> Option<String> {
    fields.require("value");
    let text = match fields.value("value")? {
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => fields.text_max("value", LONGEST_VALUE),
    };
    if text.as_deref() == Some("") {
        fields.error("value", "is required");
    }
    text
}

fn compile(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).size_limit(REGEX_SIZE).dfa_size_limit(REGEX_SIZE).build()
}

/// The last line of the error says what is wrong; those before repeat the expression.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    match text.lines().last().and_then(|line| line.strip_prefix("error: ")) {
        Some(reason) => format!("is not a regular expression: {reason}"),
        None => "is too large a regular expression".to_owned(),
    }
}

/// Criteria made ready to look at many resources.
#[derive(Debug)]
pub struct Matcher {
    match_type: MatchType,
    rules: Vec<Ready>,
}

#[derive(Debug)]
struct Ready {
    /// Folded.
    resource_type: Option<String>,
    attribute: Attribute,
    test: Test,
    negative: bool,
}

/// What is done with each value. Texts are folded.
#[derive(Debug)]
enum Test {
    Contains(String),
    Equals(String),
    Within(IpKey, IpKey),
    StartsWith(String),
    EndsWith(String),
    Regex(Regex),
}

impl Matcher {
    /// Criteria were checked when they were stored. A rule that has become unreadable since (a limit that shrank) is
    /// met by no resource.
    pub fn new(criteria: &Criteria) -> Self {
        let rules: Vec<Ready> = criteria.rules.iter().filter_map(Ready::new).collect();
        let impossible = criteria.match_type == MatchType::All && rules.len() < criteria.rules.len();
        Self { match_type: criteria.match_type, rules: if impossible { Vec::new() } else { rules } }
    }

    /// Does any rule ask for the name of the site?
    pub fn asks_for_site(&self) -> bool {
        self.rules.iter().any(|rule| rule.attribute == Attribute::Site)
    }

    /// Does a resource meet the criteria?
    pub fn takes(&self, facts: &Facts<'_>) -> bool {
        match self.match_type {
            MatchType::Any => self.rules.iter().any(|rule| rule.takes(facts)),
            MatchType::All => !self.rules.is_empty() && self.rules.iter().all(|rule| rule.takes(facts)),
        }
    }
}

impl Ready {
    fn new(rule: &Rule) -> Option<Self> {
        let (_, attribute) = attributes::parse(&rule.key)?;
        let value = fold(&rule.value);
        let test = match rule.operator {
            Operator::Contains | Operator::NotContains => Test::Contains(value),
            Operator::Equals | Operator::NotEquals => equals(&attribute, value),
            Operator::StartsWith => Test::StartsWith(value),
            Operator::EndsWith => Test::EndsWith(value),
            Operator::Regex => Test::Regex(compile(&rule.value).ok()?),
        };
        let resource_type = rule.resource_type.as_deref().map(|name| last_level(&fold(name)));
        Some(Self { resource_type, attribute, test, negative: rule.operator.is_negative() })
    }

    fn takes(&self, facts: &Facts<'_>) -> bool {
        let resource = facts.resource;
        let is_of =
            |wanted: &String| [&resource.kind, &resource.resource_type.1].iter().any(|name| fold(name) == *wanted);
        if !self.resource_type.as_ref().is_none_or(is_of) {
            return false;
        }
        self.attribute.any(facts, |text| self.test.holds(text)) != self.negative
    }
}

/// Addresses are compared as such, or with a block; a resource type may be given with its path.
fn equals(attribute: &Attribute, value: String) -> Test {
    let block =
        attribute.is_address().then(|| cidr_range(&value).or_else(|| ip_key(&value).map(|key| (key.clone(), key))));
    match block.flatten() {
        Some((first, last)) => Test::Within(first, last),
        None if *attribute == Attribute::ResourceType => Test::Equals(last_level(&value)),
        None => Test::Equals(value),
    }
}

/// `server >> linux` is `linux`.
fn last_level(path: &str) -> String {
    path.rsplit(">>").next().unwrap_or(path).trim().to_owned()
}

impl Test {
    fn holds(&self, text: &str) -> bool {
        match self {
            Self::Contains(value) => fold(text).contains(value),
            Self::Equals(value) => fold(text) == *value,
            Self::Within(first, last) => ip_key(text).is_some_and(|key| *first <= key && key <= *last),
            Self::StartsWith(value) => fold(text).starts_with(value),
            Self::EndsWith(value) => fold(text).ends_with(value),
            Self::Regex(expression) => expression.is_match(text),
        }
    }
}
