//! Several comparisons of a document, of which one or all have to hold.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MatchType, Operator, Pattern, lookup, read_comparison};
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
    /// Reads an object with `rules` (`{key,operator,value}`) and a field that says `ANY` or `ALL`; what is wrong is
    /// noted there. No rule at all is no rules: `None`.
    pub fn read(fields: &mut Fields<'_>, match_type: &str, word: fn(Operator) -> &'static str) -> Option<Self> {
        let match_type = MatchType::read(fields, match_type);
        let given = fields.objects("rules").unwrap_or_default();
        if given.len() > MOST_RULES {
            fields.error("rules", format!("must have at most {MOST_RULES} elements"));
            return None;
        }
        let rules: Vec<Rule> = given.into_iter().filter_map(|mut rule| Rule::read(&mut rule, word)).collect();
        (!rules.is_empty()).then_some(Self { match_type, rules })
    }
}

impl Rule {
    fn read(fields: &mut Fields<'_>, word: fn(Operator) -> &'static str) -> Option<Self> {
        let key = fields.required_text("key").trim().to_owned();
        if key.chars().nth(LONGEST_KEY).is_some() {
            fields.error("key", format!("must have at most {LONGEST_KEY} characters"));
        }
        let (operator, value) = read_comparison(fields, word)?;
        (!key.is_empty()).then_some(Self { key, operator, value })
    }
}

/// Rules made ready to look at many documents.
#[derive(Clone, Debug)]
pub struct Matcher {
    match_type: MatchType,
    /// A pattern that has become unreadable since it was stored (a limit that shrank) is none, and never holds.
    rules: Vec<(String, Option<Pattern>)>,
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
        let ready = |rule: &Rule| (rule.key.clone(), Pattern::new(rule.operator, &rule.value).ok());
        Self { match_type: rules.match_type, rules: rules.rules.iter().map(ready).collect() }
    }

    /// Does a document meet the rules?
    pub fn matches(&self, document: &Value) -> bool {
        let holds = |(key, pattern): &(String, Option<Pattern>)| {
            pattern.as_ref().is_some_and(|pattern| pattern.holds(lookup::texts(document, key)))
        };
        match self.match_type {
            MatchType::Any => self.rules.iter().any(holds),
            MatchType::All => !self.rules.is_empty() && self.rules.iter().all(holds),
        }
    }

    /// What each rule says of a document, in their order.
    pub fn explain(&self, document: &Value) -> Vec<Outcome> {
        let outcome = |(key, pattern): &(String, Option<Pattern>)| {
            let texts = lookup::texts(document, key);
            let holds = pattern.as_ref().is_some_and(|pattern| pattern.holds(&texts));
            Outcome { texts: texts.into_iter().map(Into::into).collect(), holds }
        };
        self.rules.iter().map(outcome).collect()
    }
}
