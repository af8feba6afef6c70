//! Several comparisons of a document, of which one or all have to hold.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Exhausted, Keys, MatchType, Meter, Operator, Pattern, lookup, one_or_all, read_comparison, unknown_key};
use crate::body::Fields;

/// The most rules together.
const MOST_RULES: usize = 50;
/// The longest key of a rule, in characters.
const LONGEST_KEY: usize = 200;

/// Rules as they were given, and as they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    /// Whether one rule is enough.
    pub match_type: MatchType,
    /// At least one.
    pub rules: Vec<Rule>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Which property, as [`lookup::texts`] takes it.
    pub key: String,
    /// How.
    pub operator: Operator,
    /// With what.
    pub value: String,
}

impl Rules {
    /// Reads the `rules` of an object (`{key,operator,value}`), whose keys are `known`; what is wrong is noted there.
    /// An empty list of rules is `None`.
    pub fn read(
        fields: &mut Fields<'_>,
        match_type: MatchType,
        known: &[Keys<'_>],
        word: fn(Operator) -> &'static str,
        meter: &Meter,
    ) -> Option<Self> {
        let given = fields.objects("rules").unwrap_or_default();
        if given.len() > MOST_RULES {
            fields.error("rules", format!("must have at most {MOST_RULES} elements"));
            return None;
        }
        let rules: Vec<Rule> =
            given.into_iter().filter_map(|mut rule| Rule::read(&mut rule, known, word, meter)).collect();
        (!rules.is_empty()).then_some(Self { match_type, rules })
    }
}

impl Rule {
    fn read(
        fields: &mut Fields<'_>,
        known: &[Keys<'_>],
        word: fn(Operator) -> &'static str,
        meter: &Meter,
    ) -> Option<Self> {
        let key = fields.required_text("key").trim().to_owned();
        if key.chars().nth(LONGEST_KEY).is_some() {
            fields.error("key", format!("must have at most {LONGEST_KEY} characters"));
        }
        let (operator, value) = read_comparison(fields, word, meter)?;
        if !key.is_empty()
            && let Some(message) = unknown_key(&key, known)
        {
            fields.error("key", message);
        }
        (!key.is_empty()).then_some(Self { key, operator, value })
    }
}

/// Rules made ready to look at many documents.
#[derive(Clone, Debug)]
pub struct Matcher {
    match_type: MatchType,
    rules: Vec<(String, Pattern)>,
}

/// What a rule said of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The texts that the document has under the rule's key.
    pub texts: Vec<String>,
    /// Does the rule hold?
    pub holds: bool,
}

impl Matcher {
    /// Makes rules ready.
    pub fn new(rules: &Rules) -> Self {
        let ready = |rule: &Rule| (rule.key.clone(), Pattern::new(rule.operator, &rule.value));
        Self { match_type: rules.match_type, rules: rules.rules.iter().map(ready).collect() }
    }

    /// Does a document meet the rules?
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub fn matches(&self, document: &Value, meter: &Meter) -> Result<bool, Exhausted> {
        if self.rules.is_empty() {
            return Ok(false);
        }
        let weight = lookup::weight(document);
        one_or_all(self.match_type == MatchType::Any, &self.rules, |(key, pattern)| {
            meter.charge(weight)?;
            pattern.holds(lookup::texts(document, key), meter)
        })
    }

    /// What each rule says of a document, in their order.
    pub fn explain(&self, document: &Value, meter: &Meter) -> Result<Vec<Outcome>, Exhausted> {
        let weight = lookup::weight(document);
        let outcome = |(key, pattern): &(String, Pattern)| {
            meter.charge(weight)?;
            let texts = lookup::texts(document, key);
            let holds = pattern.holds(&texts, meter)?;
            Ok(Outcome { texts: lookup::shown(&texts), holds })
        };
        self.rules.iter().map(outcome).collect()
    }
}
