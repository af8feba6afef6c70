//! The page that a link opens. It has no script and no style of its own, and everything that an alert says is text in it.

use serde_json::Value;

use crate::sender::render::escaped;

/// What is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The alert as clients see it.
    pub alert: Value,
    /// As whom one answers.
    pub person: String,
    /// Who was told.
    pub names: Vec<String>,
    /// Where its escalation stands.
    pub stage: Option<String>,
    /// How many of its steps were taken.
    pub step: Option<i64>,
}

/// The page; `told` says what was done.
pub fn of(shown: &Shown, token: &str, told: &str) -> String {
    let text = |path: &str| shown.alert.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let status = text("/status");
    let mut lines = vec![
        ("State", text("/currentState").to_owned()),
        ("Status", status.to_owned()),
        ("Machine", text("/device/name").to_owned()),
        ("Address", text("/device/ipAddress").to_owned()),
        ("Since", text("/firstAlertTime").to_owned()),
        ("Reported by", text("/app").to_owned()),
        ("In maintenance", text("/maintenance/name").to_owned()),
        ("Incident", text("/incidentId").to_owned()),
        ("Works on it", text("/acknowledgement/by/loginName").to_owned()),
        ("Was told", shown.names.join(", ")),
        ("Escalation", shown.stage.clone().unwrap_or_default()),
    ];
    lines.retain(|(_, value)| !value.is_empty());
    let rows: String =
        lines.iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(value))).collect();
    let told = if told.is_empty() { String::new() } else { format!("<p><strong>{}</strong></p>\n", escaped(told)) };
    let button = |action: &str, label: &str| {
        format!(
            "<form method=\"post\" action=\"?token={}&amp;action={action}\"><button>{label}</button></form>\n",
            escaped(token)
        )
    };
    // Pressed twice, it is one step.
    let next = shown.step.map_or_else(|| "escalate".to_owned(), |step| format!("escalate&amp;step={step}"));
    let buttons = match status {
        "Closed" => String::new(),
        "New" => [
            button("acknowledge", "I work on it"),
            button(&next, "Tell the next"),
            button("snooze", "Not for an hour"),
            button("close", "It is over"),
        ]
        .concat(),
        _ => button("close", "It is over"),
    };
    let answering = match shown.person.as_str() {
        "" => String::new(),
        name => {
            format!("<p>Whoever presses a button here answers as {}, to whom this link was sent.</p>\n", escaped(name))
        }
    };
    let (title, description) = (escaped(text("/subject")), escaped(text("/description")));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"robots\" content=\"noindex\"><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{told}\
         <p>{description}</p>\n<table>\n{rows}</table>\n{answering}{buttons}</body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_alert_says_is_text() {
        let alert = json!({"subject": "<script>alert(1)</script>", "status": "New", "description": "\"><img src=x>",
            "device": {"name": "<b>"}});
        let shown =
            Shown { alert, person: "<s>".to_owned(), names: vec!["<i>".to_owned()], stage: None, step: Some(1) };
        let page = of(&shown, "a\"b", "<u>");
        for tag in ["<script", "<img", "<b>", "<i>", "<u>", "<s>", "a\"b"] {
            assert!(!page.contains(tag), "{tag}: {page}");
        }
        assert_eq!(page.matches("<form").count(), 4);
    }
}
