//! What a page tells: the facts of an alert as they were when it was decided, within bounds. And how sending it went.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest line, and the longest description, in characters.
const LINE: usize = 200;
const LONGEST: usize = 600;

/// What a page tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// One line.
    pub subject: String,
    /// What else there is to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// `Critical`, `Warning`, `Info` or `Ok`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub severity: String,
    /// The name of the machine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// Its id, when the inventory knows it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub machine_id: String,
    /// Who says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub app: String,
    /// Where to find out more.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Since when.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
    /// How often it was reported.
    pub repeats: i64,
    /// Of one that comes and goes: how many of its problem there were in half an hour with this one; else 0.
    #[serde(skip_serializing_if = "is_none")]
    pub flaps: i64,
    /// That it got worse: what it was, and is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub raised: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy: String,
    /// A code that verifies a contact method, sealed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What was put together in one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// The trace that its pages belong to, as `traces::Context` writes it; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trace: String,
}

/// Alerts that are told in one message, because there were too many for one each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// How many pages.
    pub count: i64,
    /// The worst state of them.
    pub worst: String,
    /// How many machines, of those that were looked at.
    pub machines: i64,
    /// The first of their subjects.
    pub subjects: Vec<String>,
    /// How urgent the most urgent of them is.
    pub urgency: String,
}

/// An attempt, as it is stored and shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = PageAttempt)]
pub struct Attempt {
    /// When it began.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub time: String,
    /// How long it took.
    pub duration_ms: i64,
    /// What the other side answered, when it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub error: String,
}

const fn is_none(number: &i64) -> bool {
    *number == 0
}

/// How bad a state is.
pub fn rank(severity: &str) -> i64 {
    match severity {
        "Critical" => 3,
        "Warning" => 2,
        "Info" => 1,
        _ => 0,
    }
}

/// A text on one line, without what could be taken for anything but letters.
pub fn line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LINE).collect()
}

/// A text of some lines, within the bounds of a description.
pub fn lines(text: &str) -> String {
    let plain = text.chars().filter(|letter| !letter.is_control() || *letter == '\n');
    plain.take(LONGEST).collect::<String>().trim().to_owned()
}

impl Facts {
    /// Of an alert, as the outbox has it.
    pub fn of(alert: &Value, policy: &str) -> Self {
        let text = |path: &str| alert.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let names = ["/device/name", "/device/hostName", "/device/ipAddress", "/device/extResourceId"];
        Self {
            subject: line(text("/subject")),
            description: lines(text("/description")),
            severity: line(text("/currentState")),
            machine: names.into_iter().map(|path| line(text(path))).find(|name| !name.is_empty()).unwrap_or_default(),
            machine_id: line(text("/device/id")),
            app: line(text("/app")),
            url: line(text("/url")),
            since: text("/firstAlertTime").to_owned(),
            repeats: alert["repeatCount"].as_i64().unwrap_or(1),
            policy: line(policy),
            trace: traces::current().map(|context| context.to_text()).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// One line that says all.
    pub fn title(&self) -> String {
        if let Some(Summary { count, worst, machines, .. }) = &self.summary {
            let on = if *machines > 0 { format!(", {machines} machines") } else { String::new() };
            return format!("{count} alerts, worst {worst}{on}");
        }
        let state = if self.severity.is_empty() { String::new() } else { format!("[{}] ", self.severity) };
        let machine = if self.machine.is_empty() { String::new() } else { format!(" ({})", self.machine) };
        let flaps =
            if self.flaps > 0 { format!(" - flapping, {} times in 30 minutes", self.flaps) } else { String::new() };
        let raised = if self.raised.is_empty() { String::new() } else { format!(" - {}", self.raised) };
        format!("{state}{}{machine}{raised}{flaps}", self.subject)
    }

    /// What there is to say beside the title, a line each.
    pub fn details(&self) -> Vec<String> {
        if let Some(summary) = &self.summary {
            return summary.subjects.clone();
        }
        let mut lines: Vec<String> = self.description.lines().map(ToOwned::to_owned).collect();
        let said = |name: &str, text: &str| (!text.is_empty()).then(|| format!("{name}: {text}"));
        lines.extend(said("Since", &self.since));
        lines.extend((self.repeats > 1).then(|| format!("Reported {} times", self.repeats)));
        lines.extend(said("Reported by", &self.app));
        lines.extend(said("Look further", &self.url));
        lines.extend(said("Policy", &self.policy));
        lines
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_alert_says_stays_a_line() {
        let alert = json!({"subject": "Load\r\nBcc: x@y.net\u{0}\u{7}!", "currentState": "Critical",
            "description": "a\r\nb\u{0}",
            "device": {"hostName": "web-01"}});
        let facts = Facts::of(&alert, "Web\nteam");
        assert_eq!(facts.title(), "[Critical] Load Bcc: x@y.net ! (web-01)");
        assert_eq!(facts.details(), ["a", "b", "Policy: Web team"]);
        assert_eq!(Facts::of(&json!({"subject": "ä".repeat(5_000)}), "").subject.chars().count(), LINE);
    }
}
