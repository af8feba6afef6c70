//! What clients send and see of notification rules.

use base::{Fields, problem::Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{self, Plan};
use crate::{methods::wire::UserId, times};

/// What is used when, for one urgency.
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
    /// Whose.
    pub user: UserId,
    /// `high` or `low`.
    pub urgency: String,
    /// What is used, and when. Without a step, every verified contact method is used at once.
    pub steps: Vec<Step>,
    /// When nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
}

/// What is used, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NotificationStep)]
pub struct Step {
    /// Which contact method.
    pub contact_method: MethodId,
    /// How long after the person is to be told; nothing is sent that is answered by then. At most `1d`.
    #[schema(example = "2m")]
    pub after: String,
}

/// A contact method, by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ContactMethodId)]
pub struct MethodId {
    /// `CM-<uuid>`.
    pub id: String,
}

/// When nothing is sent: what would be is sent when they are over. Of low urgency alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Vienna"}))]
pub struct QuietHours {
    /// Their first minute, in local time.
    pub from: String,
    /// The first minute after them; before `from`, it is of the next day.
    pub to: String,
    /// Where that local time is.
    pub time_zone: String,
}

/// What is to be used when, for one urgency; it takes the place of what was said for that before.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "urgency": "high", "steps": [{"contactMethod": {"id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}, "after": "2m"}]
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct NotificationRuleInput {
    /// `high` or `low`.
    urgency: String,
    /// At most 20. None at all: every verified contact method is used at once.
    steps: Vec<Step>,
    /// Of low urgency alone.
    quiet_hours: Option<QuietHours>,
}

/// Reads a body: the urgency, and what is used.
///
/// # Errors
/// 400 that lists every field that is wrong.
pub fn read(body: &Value) -> Result<(&'static str, Plan), Problem> {
    let mut fields = Fields::of(body);
    fields.require("urgency");
    let urgency = fields.one_of("urgency", &rules::URGENCIES);
    fields.require("steps");
    let given = fields.objects("steps").unwrap_or_default();
    if given.len() > rules::MOST_STEPS {
        fields.error("steps", format!("must have at most {} elements", rules::MOST_STEPS));
    }
    let mut steps = Vec::new();
    for mut step in given {
        let id = match step.object("contactMethod") {
            Some(mut method) => crate::methods::rules::normal_id(&method.required_text("id")),
            None => {
                step.require("contactMethod");
                String::new()
            }
        };
        let after_ms = times::read(&mut step, "after", 0..=86_400_000).unwrap_or(0);
        steps.push(rules::Step { method: id, after_ms });
    }
    let quiet = fields.object("quietHours").and_then(|mut quiet| {
        let clock = |quiet: &mut Fields<'_>, name: &str| {
            let text = quiet.required_text(name);
            let minute = rules::minute(&text);
            if minute.is_none() && !text.is_empty() {
                quiet.error(name, "must be a time of day such as 22:00");
            }
            minute
        };
        let (from, to) = (clock(&mut quiet, "from"), clock(&mut quiet, "to"));
        let zone = quiet.required_text("timeZone");
        if !zone.is_empty() && calendar::Zone::find(&zone).is_none() {
            quiet.error("timeZone", "is no time zone that is known here");
        }
        if from.is_some() && from == to {
            quiet.error("to", "must not be the same as from");
        }
        Some(rules::Quiet { from: from?, to: to?, zone })
    });
    if quiet.is_some() && urgency == Some("high") {
        fields.error("quietHours", "are for low urgency: what is urgent is sent at any time");
    }
    fields.finish()?;
    Ok((urgency.unwrap_or("high"), Plan { steps, quiet }))
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
        }
    }
}
