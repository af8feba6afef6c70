//! What clients send and see of escalation policies. What is shown of the steps is also what is stored of them.

use api::Request;
use base::{Fields, duration, timestamp::Timestamp};
use ports::Author;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::plan::{AtEnd, Plan, PlanStep};
use crate::{configuration::notification::rules::URGENCIES, times};

/// The longest name.
const LONGEST_NAME: usize = 200;
/// The most steps, and the most targets of one.
pub const MOST: usize = 20;
/// What a step waits for that does not say.
const WAIT_MS: i64 = 5 * 60_000;
const WEEK_MS: i64 = 7 * 86_400_000;
/// The levels of a roster, as its shifts name them; the first is 1.
const LEVELS: [&str; 2] = ["primary", "secondary"];
const ENDS: [&str; 2] = ["STOP", "REPEAT_LAST"];

api::path_id! {
    /// `EP-<uuid>`
    pub PolicyId = "policyId", "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// The id of a policy in the spelling in which it is stored.
pub fn normal_id(text: &str) -> String {
    base::text::spelled(text, "EP-")
}

/// Who is told, one after the other.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EscalationPolicy {
    /// `EP-<uuid>`.
    #[schema(example = "EP-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Unique in the tenant.
    #[schema(example = "Web team")]
    pub name: String,
    /// What it says.
    #[serde(flatten)]
    pub document: Document,
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

/// What a policy says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = EscalationPolicyDocument)]
pub struct Document {
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// Who is told, one step after the other.
    pub steps: Vec<Step>,
    /// How many more times the steps are gone through.
    #[schema(example = 0)]
    pub repeat: i64,
    /// `STOP` or `REPEAT_LAST`.
    #[schema(pattern = "^(STOP|REPEAT_LAST)$", example = "STOP")]
    pub at_end: String,
    /// How long an acknowledgement holds.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false, example = "30m")]
    pub ack_timeout: String,
    /// `high` or `low`; left out when the alert decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false, pattern = "^(high|low)$", example = "high")]
    pub urgency: String,
    /// Is an acknowledged alert that gets worse `New` again, so that people are told?
    #[schema(required = false, example = true)]
    pub reopen_when_worse: bool,
}

/// Those who are told together, and how long they have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = EscalationStep)]
pub struct Step {
    /// 1 to 20.
    #[schema(required = true, min_items = 1, max_items = 20)]
    pub targets: Vec<Target>,
    /// How long they have before the next step, from `1s` to `7d`; default `5m`.
    #[schema(pattern = r"^\s*[0-9]+\s*(ms|s|m|min|h|d)?\s*$", example = "5m")]
    pub wait: String,
}

/// Whom a step tells: exactly one of its fields, or a roster with a `level`.
#[api::without_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = EscalationTarget, example = json!({"roster": {"id": "ES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}}))]
pub struct Target {
    /// The people on call in a roster then.
    pub roster: Option<Id>,
    /// Of a roster: those of this level alone, 1 (`primary`) or 2 (`secondary`).
    #[schema(minimum = 1, maximum = 2)]
    pub level: Option<i64>,
    /// A person.
    pub user: Option<Id>,
    /// Everybody in a user group.
    pub user_group: Option<GroupId>,
    /// `true`: the user group that owns the machine of the alert.
    pub owner: Option<bool>,
    /// The notifier of an installed integration.
    pub integration: Option<Id>,
}

/// Something by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = EscalationTargetId)]
pub struct Id {
    /// Its id.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
}

/// A user group by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EscalationTargetGroup)]
pub struct GroupId {
    /// `USRGRP-<uuid>`.
    #[schema(min_length = 1, pattern = r"\S")]
    pub unique_id: String,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            description: String::new(),
            steps: Vec::new(),
            repeat: 0,
            at_end: String::new(),
            ack_timeout: String::new(),
            urgency: String::new(),
            reopen_when_worse: true,
        }
    }
}

impl Document {
    /// What the rules of escalation work with.
    pub fn plan(&self) -> Plan {
        let millis = |text: &str| duration::parse(text);
        Plan {
            steps: self.steps.iter().map(|step| PlanStep { wait_ms: millis(&step.wait).unwrap_or(WAIT_MS) }).collect(),
            repeat: self.repeat,
            at_end: if self.at_end == ENDS[1] { AtEnd::RepeatLast } else { AtEnd::Stop },
            ack_timeout_ms: millis(&self.ack_timeout).filter(|_| !self.ack_timeout.is_empty()),
        }
    }
}

/// A policy to create.
#[derive(Clone, Debug, Request)]
#[request(schema = "EscalationPolicyInput", example = json!({
    "name": "Web team", "ackTimeout": "30m", "repeat": 1,
    "steps": [
        {"targets": [{"roster": {"id": "ES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}}], "wait": "5m"},
        {"targets": [{"owner": true}, {"user": {"id": "USR0000000007"}}], "wait": "10m"}
    ]
}))]
#[request(update(
    name = PolicyChange,
    schema = "EscalationPolicyUpdate",
    doc = "What is to change of a policy: what is left out stays as it is, and `steps` are replaced as a whole.",
    example = json!({"ackTimeout": "30m", "repeat": 1})
))]
pub struct NewPolicy {
    /// Unique in the tenant whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// What it is for.
    #[request(default)]
    pub description: String,
    /// 1 to 20.
    #[request(items = 1..=MOST)]
    pub steps: Vec<Step>,
    /// How many more times the steps are gone through when nobody answers; 0 (default) to 20.
    #[request(range = 0..=20, default)]
    pub repeat: i64,
    /// What is done after the last step: `STOP` (default), or `REPEAT_LAST` until somebody answers.
    #[request(words = ENDS, default = ENDS[0])]
    pub at_end: &'static str,
    /// How long an acknowledgement holds before the escalation goes on, from `1s` to `7d`; empty for as long as it
    /// stands.
    #[request(with = ack_timeout, pattern = r"^(\s*[0-9]+\s*(ms|s|m|min|h|d)?)?\s*$", default)]
    pub ack_timeout: String,
    /// `high` or `low`; empty to take it from the alert: what is `Critical` is high, the rest low.
    #[request(with = urgency, words = ["high", "low", ""], default)]
    pub urgency: String,
    /// Is an acknowledged alert that gets worse `New` again, so that people are told? Default true.
    #[request(default = true)]
    pub reopen_when_worse: bool,
}

fn ack_timeout(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    emptied(fields, name, |fields| times::read(fields, name, 1_000..=WEEK_MS).map(duration::text))
}

fn urgency(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    emptied(fields, name, |fields| fields.one_of(name, &URGENCIES).map(ToOwned::to_owned))
}

/// A field that an empty text takes away.
fn emptied(
    fields: &mut Fields<'_>,
    name: &str,
    read: impl FnOnce(&mut Fields<'_>) -> Option<String>,
) -> Option<String> {
    let empty = fields.value(name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
    if empty { Some(String::new()) } else { read(fields) }
}

impl base::body::Request for Step {
    fn read(step: &mut Fields<'_>) -> Self {
        step.require("targets");
        let wait_ms = times::read(step, "wait", 1_000..=WEEK_MS).unwrap_or(WAIT_MS);
        let given = step.objects("targets").unwrap_or_default();
        if step.has("targets") && (given.is_empty() || given.len() > MOST) {
            step.error("targets", format!("must have 1 to {MOST} elements"));
            return Self::default();
        }
        let targets = given.into_iter().map(|mut target| read_target(&mut target)).collect();
        Self { targets, wait: duration::text(wait_ms) }
    }
}

fn read_target(target: &mut Fields<'_>) -> Target {
    let id = |target: &mut Fields<'_>, name: &str, upper: bool| {
        let mut object = target.object(name)?;
        let text = object.required_text("id");
        let text = if upper { text.trim().to_ascii_uppercase() } else { spelled(&text) };
        Some(Id { id: text })
    };
    let read = Target {
        roster: id(target, "roster", false),
        level: level(target),
        user: id(target, "user", true),
        user_group: target.object("userGroup").map(|mut group| {
            let text = if group.has("uniqueId") || !group.has("id") { "uniqueId" } else { "id" };
            GroupId { unique_id: spelled(&group.required_text(text)) }
        }),
        owner: target.boolean("owner").filter(|owner| *owner),
        integration: id(target, "integration", false),
    };
    let kinds = [
        read.roster.is_some(),
        read.user.is_some(),
        read.user_group.is_some(),
        read.owner.is_some(),
        read.integration.is_some(),
    ];
    let given = ["roster", "user", "userGroup", "owner", "integration"].iter().any(|name| target.has(name));
    if kinds.iter().filter(|kind| **kind).count() != 1
        && !(given && kinds.iter().all(|kind| !kind) && !target.has("owner"))
    {
        target.error("", "must have exactly one of roster, user, userGroup, owner and integration");
    }
    if read.level.is_some() && read.roster.is_none() {
        target.error("level", "goes with a roster alone");
    }
    read
}

/// A level of a roster, as a number or as the word that shifts have.
fn level(target: &mut Fields<'_>) -> Option<i64> {
    if target.value("level").is_some_and(Value::is_string) {
        let word = target.one_of("level", &LEVELS)?;
        return (1..).zip(LEVELS).find(|(_, known)| *known == word).map(|(level, _)| level);
    }
    target.integer_in("level", 1..=2)
}

/// An id of a prefix and a UUID, as it is stored.
fn spelled(text: &str) -> String {
    let text = text.trim();
    match text.split_once('-') {
        Some((prefix, rest)) => format!("{}-{}", prefix.to_ascii_uppercase(), rest.to_ascii_lowercase()),
        None => text.to_owned(),
    }
}
