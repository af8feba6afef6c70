//! Filter criteria: which entities an event is about.

use std::{borrow::Cow, cell::RefCell, collections::HashMap};

use base::{
    Fields,
    matching::{Exhausted, Meter, Operator, Pattern, check, lookup, one_or_all, unknown_key},
    text::{fold, plain},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{facts::Facts, template::Entity};

/// The most rules of an event.
const MOST_RULES: usize = 50;
/// The longest key, and the longest value.
const LONGEST_KEY: usize = 200;
const LONGEST_VALUE: usize = 1_000;

/// Which entities an event is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = EventFilterCriteria)]
pub struct Criteria {
    /// A number.
    pub id: i64,
    /// The name of the event, when it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `ANY` or `ALL` (default).
    #[schema(pattern = "^(ANY|ALL)$", example = "ALL")]
    pub match_type: String,
    /// Without rules every entity matches.
    pub rules: Vec<Rule>,
    /// Always empty.
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<Value>,
}

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = EventFilterRule, example = json!({"id": 1, "resourceType": "INCIDENT", "key": "Subject",
    "operator": "Contains", "value": "disk"}))]
pub struct Rule {
    /// A number.
    pub id: i64,
    /// The entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// A property of the entity, by its name or path: `Subject`, `hostName`, `tags.env`.
    #[schema(required = true, min_length = 1, max_length = 200, pattern = r"\S")]
    pub key: String,
    /// `Contains`, `Not Contains`, `Equals`, `Not Equals`, `Starts with`, `Ends with`, `Regex`, `Changed`, `Changed To`
    /// or `Changed From`.
    #[schema(
        required = true,
        pattern = "^(Contains|Not Contains|Equals|Not Equals|Starts with|Ends with|Regex|Changed|Changed To|Changed \
                   From)$"
    )]
    pub operator: String,
    /// What it is compared with; not needed for `Changed`.
    pub value: String,
    /// Why the rule never holds: it is from before keys were looked at, and the entity has no such property.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// What only updates have, in the documented spelling.
const OF_CHANGES: [&str; 3] = ["Changed", "Changed To", "Changed From"];

/// The documented spelling of an operator, whatever its letter case, blanks and underscores.
fn operator(text: &str) -> Option<&'static str> {
    let wanted = plain(text);
    let of_change = OF_CHANGES.into_iter().find(|known| plain(known) == wanted);
    of_change.or_else(|| Operator::find(text).map(Operator::words))
}

impl Criteria {
    /// Reads `filterCriteria`; what is wrong is noted there.
    pub fn read(fields: &mut Fields<'_>, meter: &Meter) -> Self {
        let id = fields.integer("id").unwrap_or(0);
        // What an answer has of the event may come back with it.
        drop(fields.text_max("name", LONGEST_KEY));
        let match_type = fields.one_of("matchType", &["ANY", "ALL"]).unwrap_or("ALL").to_owned();
        let given = fields.objects("rules").unwrap_or_default();
        if given.len() > MOST_RULES {
            fields.error("rules", format!("must have at most {MOST_RULES} elements"));
        }
        let rules = (1..).zip(given).take(MOST_RULES).map(|(place, mut rule)| Rule::read(&mut rule, place, meter));
        Self { id, name: None, match_type, rules: rules.collect(), actions: Vec::new() }
    }

    /// Why the key of a rule, by its place, is none of an entity's, or of any entity's where that is not known yet;
    /// `None` for each that is.
    pub fn unknown_keys(&self, entity: Option<Entity>) -> Vec<Option<String>> {
        let known: Vec<_> = Entity::ALL.into_iter().filter(|one| entity.is_none_or(|entity| entity == *one)).collect();
        let known: Vec<_> = known.into_iter().map(Entity::keys).collect();
        self.rules.iter().map(|rule| unknown_key(&rule.key, &known)).collect()
    }
}

impl Rule {
    fn read(fields: &mut Fields<'_>, place: i64, meter: &Meter) -> Self {
        let id = fields.integer("id").unwrap_or(place);
        let resource_type = fields.text_max("resourceType", LONGEST_KEY).filter(|text| !text.is_empty());
        let key = fields.required_text("key").trim().to_owned();
        if key.chars().nth(LONGEST_KEY).is_some() {
            fields.error("key", format!("must have at most {LONGEST_KEY} characters"));
        }
        let mut found = "";
        if fields.require("operator")
            && let Some(text) = fields.text("operator")
        {
            match operator(&text) {
                Some(known) => found = known,
                None => {
                    let known: Vec<&str> = Operator::ALL.map(Operator::words).into_iter().chain(OF_CHANGES).collect();
                    fields.error("operator", format!("must be one of: {}", known.join(", ")));
                }
            }
        }
        let value = match fields.value("value") {
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Bool(flag)) => Some(flag.to_string()),
            _ => fields.text_max("value", LONGEST_VALUE),
        };
        // One that could not be read has its own error.
        let is_missing = value.as_ref().is_some_and(String::is_empty) || !fields.has("value");
        if is_missing && !matches!(found, "" | "Changed") {
            fields.error("value", "is required");
        }
        let value = value.unwrap_or_default();
        if found == "Regex"
            && let Err(wrong) = check(&value, meter)
        {
            fields.error("value", wrong.to_string());
        }
        Self { id, resource_type, key, operator: found.to_owned(), value, broken: None }
    }
}

/// A filter made ready for many entities.
#[derive(Debug)]
pub struct Filter {
    any: bool,
    rules: Vec<(String, Test)>,
}

#[derive(Debug)]
enum Test {
    Now(Pattern),
    Changed,
    ChangedTo(Pattern),
    ChangedFrom(Pattern),
    /// A rule that cannot be read any more never holds.
    Never,
}

/// The result of a rule.
#[derive(Debug)]
pub struct Outcome {
    /// What the entity has under the rule's key.
    pub actual: Vec<String>,
    /// Does the rule hold?
    pub holds: bool,
}

/// The texts that an entity has under a key, looked up once for all filters that ask, and the work that may be done for
/// them.
pub struct CachedTexts<'a> {
    facts: Facts<'a>,
    meter: &'a Meter,
    /// The highest cost of looking up one key.
    weight: u64,
    now: RefCell<HashMap<String, Vec<Cow<'a, str>>>>,
    before: RefCell<HashMap<String, Vec<Cow<'a, str>>>>,
}

impl<'a> CachedTexts<'a> {
    /// Of one action.
    pub fn new(facts: Facts<'a>, meter: &'a Meter) -> Self {
        let weight = lookup::weight(facts.object).max(facts.previous.map_or(0, lookup::weight));
        Self { facts, meter, weight, now: RefCell::default(), before: RefCell::default() }
    }

    fn with<T>(&self, key: &str, previous: bool, f: impl FnOnce(&[Cow<'a, str>]) -> T) -> Result<T, Exhausted> {
        let place = if previous { &self.before } else { &self.now };
        let mut known = place.borrow_mut();
        if !known.contains_key(key) {
            self.meter.charge(self.weight)?;
            known.insert(key.to_owned(), self.facts.texts(previous, key));
        }
        Ok(f(known.get(key).map_or(&[], Vec::as_slice)))
    }

    fn has_changed(&self, key: &str) -> Result<bool, Exhausted> {
        if self.facts.previous.is_none() {
            return Ok(false);
        }
        self.with(key, false, |now| self.with(key, true, |before| now != before))?
    }

    fn holds(&self, pattern: &Pattern, key: &str, previous: bool) -> Result<bool, Exhausted> {
        self.with(key, previous, |texts| pattern.holds(texts, self.meter))?
    }
}

impl Filter {
    /// Makes criteria ready.
    pub fn new(criteria: Option<&Criteria>) -> Self {
        let Some(criteria) = criteria else { return Self { any: false, rules: Vec::new() } };
        let rules = criteria.rules.iter().map(|rule| {
            let pattern = |operator| Pattern::new(operator, &rule.value);
            let test = match rule.operator.as_str() {
                "Changed" => Test::Changed,
                "Changed To" => Test::ChangedTo(pattern(Operator::Equals)),
                "Changed From" => Test::ChangedFrom(pattern(Operator::Equals)),
                other => Operator::find(other).map_or(Test::Never, |operator| Test::Now(pattern(operator))),
            };
            (fold(rule.key.trim()), test)
        });
        Self { any: criteria.match_type == "ANY", rules: rules.collect() }
    }

    /// Is the filter met? One without rules always is.
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub fn matches(&self, texts: &CachedTexts<'_>) -> Result<bool, Exhausted> {
        if self.rules.is_empty() {
            return Ok(true);
        }
        one_or_all(self.any, &self.rules, |(key, test)| test.holds(key, texts))
    }

    /// The result of each rule.
    pub fn outcomes(&self, texts: &CachedTexts<'_>) -> Result<Vec<Outcome>, Exhausted> {
        let outcome = |(key, test): &(String, Test)| {
            let actual = texts.with(key, false, lookup::shown)?;
            Ok(Outcome { actual, holds: test.holds(key, texts)? })
        };
        self.rules.iter().map(outcome).collect()
    }
}

impl Test {
    fn holds(&self, key: &str, texts: &CachedTexts<'_>) -> Result<bool, Exhausted> {
        match self {
            Self::Now(pattern) => texts.holds(pattern, key, false),
            Self::Changed => texts.has_changed(key),
            Self::ChangedTo(pattern) => Ok(texts.has_changed(key)? && texts.holds(pattern, key, false)?),
            Self::ChangedFrom(pattern) => Ok(texts.has_changed(key)? && texts.holds(pattern, key, true)?),
            Self::Never => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests;
