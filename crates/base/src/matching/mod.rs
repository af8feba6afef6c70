//! Rules that a text or a JSON document meets or does not: the alert conditions of maintenance windows, the criteria of
//! dynamic groups, the filters of integration events. Pure.
//!
//! - [`Operator`], [`Pattern`]: one comparison, and one made ready
//! - [`expression`]: regular expressions, which a pattern names and which are kept ready elsewhere
//! - [`Meter`]: how much work may be done for them
//! - [`lookup`]: the texts that a document has under a key
//! - [`Rules`], [`Matcher`]: several comparisons of a document, of which one or all have to hold
//!
//! All comparisons but regular expressions ignore the letter case. A negative one (`Not Contains`, `Not Equals`) holds
//! when none of the texts has what it names, also when there is no text.

pub mod expression;
mod keys;
pub mod lookup;
mod meter;
mod rules;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::keys::{Keys, unknown_key};
pub use expression::{BadExpression, check};
pub use meter::{Exhausted, Meter};
pub use rules::{Matcher, Outcome, Rule, Rules};

use crate::{
    body::Fields,
    text::{fold, plain},
};

/// The longest value of a rule, in characters.
const LONGEST_VALUE: usize = 1000;

/// Whether one rule is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MatchType {
    /// One rule is enough.
    Any,
    /// Every rule has to hold.
    #[default]
    All,
}

impl MatchType {
    /// The words on the wire.
    pub const WORDS: [&str; 2] = ["ANY", "ALL"];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Any => "ANY",
            Self::All => "ALL",
        }
    }

    /// By its word; any other means that all rules have to hold.
    pub fn of(word: &str) -> Self {
        if word == Self::Any.word() { Self::Any } else { Self::All }
    }

    /// Reads a field, in any letter case; when it is absent, all rules have to hold.
    pub fn read(fields: &mut Fields<'_>, name: &str) -> Self {
        fields.one_of(name, &Self::WORDS).map_or(Self::All, Self::of)
    }
}

/// How a rule compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operator {
    /// The value is in the text.
    Contains,
    /// The value is in none of the texts.
    #[serde(rename = "Not Contains")]
    NotContains,
    /// The text is the value.
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
    /// All of them, in the order of the documents.
    pub const ALL: [Self; 7] = [
        Self::Contains,
        Self::NotContains,
        Self::Equals,
        Self::NotEquals,
        Self::StartsWith,
        Self::EndsWith,
        Self::Regex,
    ];

    /// The words of groups and integrations: `Starts with`. This is also how operators are stored.
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

    /// The one word of alert conditions: `Startswith`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotContains => "NotContains",
            Self::NotEquals => "NotEquals",
            Self::StartsWith => "Startswith",
            Self::EndsWith => "Endswith",
            other => other.words(),
        }
    }

    /// The operator of a name in either spelling, whatever its letter case, blanks, hyphens and underscores.
    pub fn find(name: &str) -> Option<Self> {
        let name = plain(name);
        Self::ALL.into_iter().find(|operator| plain(operator.words()) == name)
    }

    /// Does it ask for what no text has?
    pub const fn is_negative(self) -> bool {
        matches!(self, Self::NotContains | Self::NotEquals)
    }
}

/// A comparison made ready for many texts.
#[derive(Clone, Debug)]
pub struct Pattern {
    test: Test,
    negative: bool,
}

/// What is done with each text; values are folded.
#[derive(Clone, Debug)]
enum Test {
    Contains(String),
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    /// The text of an expression: what it is compiled to is shared, and kept within a limit of memory.
    Regex(String),
}

impl Pattern {
    /// The comparison of an operator with a value. One with a value that should be an expression and is none never
    /// holds.
    pub fn new(operator: Operator, value: &str) -> Self {
        let test = match operator {
            Operator::Contains | Operator::NotContains => Test::Contains(fold(value)),
            Operator::Equals | Operator::NotEquals => Test::Equals(fold(value)),
            Operator::StartsWith => Test::StartsWith(fold(value)),
            Operator::EndsWith => Test::EndsWith(fold(value)),
            Operator::Regex => Test::Regex(value.to_owned()),
        };
        Self { test, negative: operator.is_negative() }
    }

    /// Has a text what the comparison names? A negative one holds when no text has.
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub fn finds(&self, text: &str, meter: &Meter) -> Result<bool, Exhausted> {
        meter.charge(10 + text.len() as u64 / 4)?;
        Ok(match &self.test {
            Test::Contains(value) => fold(text).contains(value),
            Test::Equals(value) => fold(text) == *value,
            Test::StartsWith(value) => fold(text).starts_with(value),
            Test::EndsWith(value) => fold(text).ends_with(value),
            Test::Regex(expression) => expression::finds(expression, text, meter)?,
        })
    }

    /// Does the comparison hold for something that has these texts?
    pub fn holds<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>, meter: &Meter) -> Result<bool, Exhausted> {
        for text in texts {
            if self.finds(text.as_ref(), meter)? {
                return Ok(!self.negative);
            }
        }
        Ok(self.negative)
    }
}

/// Do one (`any`) or all of these hold? Looks no further than it has to.
///
/// # Errors
/// Whatever `holds` fails with.
pub fn one_or_all<T, E>(
    any: bool,
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, E>,
) -> Result<bool, E> {
    for item in items {
        if holds(item)? == any {
            return Ok(any);
        }
    }
    Ok(!any)
}

/// Does a body ask for a regular expression anywhere?
pub fn has_expressions(body: &Value) -> bool {
    match body {
        Value::Array(items) => items.iter().any(has_expressions),
        Value::Object(members) => members.iter().any(|(name, value)| match value {
            Value::String(text) => name == "operator" && Operator::find(text) == Some(Operator::Regex),
            inner => has_expressions(inner),
        }),
        _ => false,
    }
}

/// Reads `operator` (either spelling; `word` says which one an error lists) and `value` (a text that is not empty;
/// numbers and booleans may come as such). What is wrong is noted there, an expression with the place of its error.
pub fn read_comparison(
    fields: &mut Fields<'_>,
    word: fn(Operator) -> &'static str,
    meter: &Meter,
) -> Option<(Operator, String)> {
    fields.require("operator");
    let operator = fields.text("operator").and_then(|name| {
        let operator = Operator::find(&name);
        if operator.is_none() {
            let words = Operator::ALL.map(word).join(", ");
            fields.error("operator", format!("must be one of: {words}"));
        }
        operator
    });
    let value = read_value(fields);
    if let (Some(Operator::Regex), Some(value)) = (operator, &value)
        && let Err(error) = check(value, meter)
    {
        fields.error("value", error.to_string());
    }
    operator.zip(value)
}

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
