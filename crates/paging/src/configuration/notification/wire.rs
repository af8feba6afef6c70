//! What clients send and see of notification rules.

use api::Request;
use base::{Fields, timestamp::DAY_MS};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rules::{self, Plan};
use crate::{
    configuration::methods::wire::{UserId, normal_id},
    times,
};

/// Which contact methods are used, and when, for one urgency.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "user": {"id": "USR0000000007"}, "urgency": "high",
    "steps": [
        {"contactMethod": {"id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}, "after": "0s"},
        {"contactMethod": {"id": "CM-0190a6b2-9f0e-7f6e-9d5a-3c1d7a5b2e91"}, "after": "2m"}
    ]
}))]
pub struct NotificationRule {
    /// Whose rule it is.
    pub user: UserId,
    /// `high` or `low`.
    #[schema(pattern = "^(high|low)$")]
    pub urgency: String,
    /// What is used, and when. Without a step, every verified contact method is used at once.
    pub steps: Vec<Step>,
    /// When nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// How long before a shift of theirs begins the person is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "30m")]
    pub before_shift: Option<String>,
}

/// What is used, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NotificationStep)]
pub struct Step {
    /// Which contact method.
    pub contact_method: MethodId,
    /// How long after the person is to be told; nothing is sent if somebody has answered by then. At most `1d`.
    #[schema(required = false, pattern = r"^\s*[0-9]+\s*(ms|s|m|min|h|d)?\s*$", example = "2m")]
    pub after: String,
}

/// A contact method, by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ContactMethodId)]
pub struct MethodId {
    /// `CM-<uuid>`.
    #[schema(min_length = 1, pattern = r"\S")]
    pub id: String,
}

/// When nothing is sent: what would be is sent when they are over. Only for low urgency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Vienna"}))]
pub struct QuietHours {
    /// Their first minute, in local time.
    #[schema(pattern = r"^\s*([01][0-9]|2[0-3]):[0-5][0-9]\s*$")]
    pub from: String,
    /// The first minute after them; before `from`, it is of the next day.
    #[schema(pattern = r"^\s*([01][0-9]|2[0-3]):[0-5][0-9]\s*$")]
    pub to: String,
    /// Where that local time is.
    #[schema(min_length = 1, pattern = r"\S")]
    pub time_zone: String,
}

/// Which contact methods to use, and when, for one urgency; replaces the rule before.
#[derive(Clone, Debug, Request)]
#[request(check = is_of_low_urgency, example = json!({
    "urgency": "high", "steps": [{"contactMethod": {"id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}, "after": "2m"}]
}))]
pub struct NotificationRuleInput {
    /// `high` or `low`.
    #[request(words = rules::URGENCIES)]
    pub urgency: &'static str,
    /// At most 20 steps. Without any, every verified contact method is used at once.
    #[request(items = 0..=rules::MOST_STEPS, schema = Vec<Step>)]
    pub steps: Vec<rules::Step>,
    /// Only for low urgency.
    #[request(with = quiet_hours, schema = QuietHours)]
    pub quiet_hours: Option<rules::Quiet>,
    /// Of low urgency alone: how long before a shift of theirs begins the person is told, from `5m` to `1d`, in quiet
    /// hours too; left out or empty when that is not wanted.
    #[request(with = before_shift, pattern = r"^(\s*[0-9]+\s*(ms|s|m|min|h|d)?)?\s*$", default)]
    pub before_shift: String,
}

impl base::body::Request for rules::Step {
    fn read(step: &mut Fields<'_>) -> Self {
        step.require("contactMethod");
        let method = step.object("contactMethod").map(|mut method| normal_id(&method.required_text("id")));
        let after_ms = times::read(step, "after", 0..=86_400_000).unwrap_or(0);
        Self { method: method.unwrap_or_default(), after_ms }
    }
}

fn quiet_hours(fields: &mut Fields<'_>, name: &str) -> Option<rules::Quiet> {
    let mut quiet = fields.object(name)?;
    let from = time_of_day(&mut quiet, "from");
    let to = time_of_day(&mut quiet, "to");
    let zone = quiet.required_text("timeZone");
    if !zone.is_empty() && calendar::Zone::find(&zone).is_none() {
        quiet.error("timeZone", "is not a time zone that is known here");
    }
    if from.is_some() && from == to {
        quiet.error("to", "must not be the same as from");
    }
    Some(rules::Quiet { from: from?, to: to?, zone })
}

fn before_shift(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    match fields.value(name)? {
        serde_json::Value::String(text) if text.trim().is_empty() => Some(String::new()),
        _ => times::read(fields, name, 300_000..=DAY_MS).map(base::duration::text),
    }
}

fn time_of_day(quiet: &mut Fields<'_>, name: &str) -> Option<i64> {
    let text = quiet.required_text(name);
    let minute = rules::minute(&text);
    if minute.is_none() && !text.is_empty() {
        quiet.error(name, "must be a time of day such as 22:00");
    }
    minute
}

fn is_of_low_urgency(new: &NotificationRuleInput, fields: &mut Fields<'_>) {
    if new.quiet_hours.is_some() && new.urgency == "high" {
        fields.error("quietHours", "are for low urgency: what is urgent is sent at any time");
    }
    if !new.before_shift.is_empty() && new.urgency == "high" {
        fields.error("beforeShift", "is for low urgency: a shift that begins is not an emergency");
    }
}

impl NotificationRule {
    /// As it is shown.
    pub fn new(user: &str, urgency: &str, plan: &Plan) -> Self {
        let clock = |minute: i64| format!("{:02}:{:02}", minute / 60, minute % 60);
        Self {
            user: UserId { id: user.to_owned() },
            urgency: urgency.to_owned(),
            steps: plan
                .steps
                .iter()
                .map(|step| Step {
                    contact_method: MethodId { id: step.method.clone() },
                    after: base::duration::text(step.after_ms),
                })
                .collect(),
            quiet_hours: plan.quiet.as_ref().map(|quiet| QuietHours {
                from: clock(quiet.from),
                to: clock(quiet.to),
                time_zone: quiet.zone.clone(),
            }),
            before_shift: plan.before_shift_ms.map(base::duration::text),
        }
    }
}
