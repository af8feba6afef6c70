//! The page that a link opens. It has no script and no style of its own, and everything that an alert says is text in
//! it.

use base::text::escaped;
use ports::IncidentRecord;
use serde_json::Value;

/// What a button does, and what it is called.
type Button = (&'static str, &'static str);

const ACKNOWLEDGE: Button = ("acknowledge", "I work on it");
const ESCALATE: Button = ("escalate", "Tell the next");
const SNOOZE: Button = ("snooze", "Not for an hour");
const CLOSE: Button = ("close", "It is over");

/// Why there is no button that closes.
pub const MAY_NOT_CLOSE: &str = "To close it takes the role operator, which the person of this link does not have now.";

/// What is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// One line.
    pub title: String,
    /// What else its reporter says.
    pub description: String,
    /// What is known, by name.
    pub lines: Vec<(&'static str, String)>,
    /// What can be answered.
    pub buttons: Vec<Button>,
    /// As whom one answers.
    pub person: String,
    /// May that person close it?
    pub may_close: bool,
    /// Who was told.
    pub names: Vec<String>,
    /// Where its escalation stands.
    pub stage: Option<String>,
    /// How many of its steps were taken.
    pub step: Option<i64>,
    /// Articles that may help.
    pub articles: Vec<String>,
    /// Jobs that can be run.
    pub jobs: Vec<String>,
}

impl Shown {
    /// An alert as clients see it.
    pub fn alert(alert: &Value) -> Self {
        let text = |path: &str| alert.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let lines = vec![
            ("State", text("/currentState")),
            ("Status", text("/status")),
            ("Machine", text("/device/name")),
            ("Address", text("/device/ipAddress")),
            ("Since", text("/firstAlertTime")),
            ("Reported by", text("/app")),
            ("In maintenance", text("/maintenance/name")),
            ("Incident", text("/incidentId")),
            ("Works on it", text("/acknowledgement/by/loginName")),
        ];
        let buttons = match text("/status").as_str() {
            "Closed" => Vec::new(),
            "New" => vec![ACKNOWLEDGE, ESCALATE, SNOOZE, CLOSE],
            _ => vec![CLOSE],
        };
        Self { title: text("/subject"), description: text("/description"), lines, buttons, ..Self::default() }
    }

    /// An incident; `works` is the name of who works on it.
    pub fn incident(incident: &IncidentRecord, works: String) -> Self {
        let lines = vec![
            ("Incident", incident.id.clone()),
            ("Priority", incident.priority.clone()),
            ("Status", incident.status.clone()),
            ("Machines", incident.machines.join(", ")),
            ("Alerts", incident.alerts.join(", ")),
            ("Since", incident.created.to_string()),
            ("Assigned to", works),
            ("Latest note", incident.notes.last().map(|(_, _, note)| note.clone()).unwrap_or_default()),
        ];
        let buttons = match incident.status.as_str() {
            "Resolved" | "Closed" => Vec::new(),
            "Open" => vec![CLOSE],
            _ => vec![ACKNOWLEDGE, ESCALATE, CLOSE],
        };
        let title = incident.subject.clone();
        let description = incident.description.clone();
        Self { title, description, lines, buttons, ..Self::default() }
    }
}

/// The page; `told` says what was done.
pub fn of(shown: &Shown, token: &str, told: &str) -> String {
    let further = [
        ("Was told", shown.names.join(", ")),
        ("Escalation", shown.stage.clone().unwrap_or_default()),
        ("Articles", shown.articles.join(", ")),
        ("Jobs", shown.jobs.join(", ")),
    ];
    let lines = shown.lines.iter().chain(&further).filter(|(_, value)| !value.is_empty());
    let rows: String =
        lines.map(|(name, value)| format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(value))).collect();
    let told = if told.is_empty() { String::new() } else { format!("<p><strong>{}</strong></p>\n", escaped(told)) };
    let button = |(action, label): &Button| {
        // Pressed twice, it is one step.
        let step = shown.step.filter(|_| *action == ESCALATE.0);
        let step = step.map_or_else(String::new, |step| format!("&amp;step={step}"));
        format!(
            "<form method=\"post\" action=\"?token={}&amp;action={action}{step}\"><button>{label}</button></form>\n",
            escaped(token)
        )
    };
    let (closes, others): (Vec<Button>, Vec<Button>) = shown.buttons.iter().partition(|button| **button == CLOSE);
    let closes_or_why = match shown.may_close {
        _ if closes.is_empty() => String::new(),
        true => button(&CLOSE),
        false => format!("<p>{MAY_NOT_CLOSE}</p>\n"),
    };
    let buttons: String = others.iter().map(button).chain([closes_or_why]).collect();
    let answering = match shown.person.as_str() {
        "" => String::new(),
        name => {
            format!(
                "<p>Anyone who presses a button here answers as {}, to whom this link was sent.</p>\n",
                escaped(name)
            )
        }
    };
    let title = escaped(&shown.title);
    let description = escaped(&shown.description);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\">\
         <meta name=\"robots\" content=\"noindex\"><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{told}\
         <p>{description}</p>\n<table>\n{rows}</table>\n{answering}{buttons}</body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use base::timestamp::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_alert_says_is_text() {
        let alert = json!({"subject": "<script>alert(1)</script>", "status": "New", "description": "\"><img src=x>",
            "device": {"name": "<b>"}});
        let shown = Shown {
            person: "<s>".to_owned(),
            names: vec!["<i>".to_owned()],
            step: Some(1),
            may_close: true,
            articles: vec!["<em>".to_owned()],
            jobs: vec!["<tt>".to_owned()],
            ..Shown::alert(&alert)
        };
        let page = of(&shown, "a\"b", "<u>");
        for tag in ["<script", "<img", "<b>", "<i>", "<u>", "<s>", "<em>", "<tt>", "a\"b"] {
            assert!(!page.contains(tag), "{tag}: {page}");
        }
        assert_eq!((page.matches("<form").count(), page.matches("step=1").count()), (4, 1));
    }

    #[test]
    fn what_an_incident_says_is_text_and_its_status_says_what_can_be_answered() {
        let hostile = || "<script>".to_owned();
        let at = Timestamp::from_millis(0);
        let incident = |status: &str| IncidentRecord {
            tenant_id: "client_1".to_owned(),
            id: "INC0000000001".to_owned(),
            subject: hostile(),
            description: hostile(),
            priority: "High".to_owned(),
            status: status.to_owned(),
            created_by: String::new(),
            assignee: String::new(),
            machines: vec![hostile()],
            machine_ids: Vec::new(),
            alerts: vec![hostile()],
            notes: vec![(at, String::new(), hostile())],
            created: at,
            resolved: None,
            closed: None,
        };
        for (status, buttons) in [("New", 3), ("Pending", 3), ("Open", 1), ("Resolved", 0), ("Closed", 0)] {
            for may_close in [true, false] {
                let page = of(&Shown { may_close, ..Shown::incident(&incident(status), hostile()) }, "t", "");
                let closes = usize::from(buttons > 0 && !may_close);
                assert_eq!(page.matches("<form").count(), buttons - closes, "{page}");
                assert_eq!(
                    (page.matches(MAY_NOT_CLOSE).count(), page.matches("<script").count()),
                    (closes, 0),
                    "{page}"
                );
            }
        }
    }
}
