//! The page behind the link of a message, as HTML. It needs no script: everything that an alert says is text in it, and
//! each button is a form.

use std::sync::LazyLock;

use base::{text::escaped, timestamp::Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use calendar::Zone;
use ports::{IncidentRecord, Person};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The style of the page: the colours of the console, light or dark as the telephone is, and buttons for a thumb.
const STYLE: &str = include_str!("page.css");

/// The page looks like this, sends its forms here, and loads nothing.
pub static POLICY: LazyLock<String> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
});

/// An action and the label of its button.
pub type Button = (&'static str, &'static str);

const ACKNOWLEDGE: Button = ("acknowledge", "Acknowledge");
const ESCALATE: Button = ("escalate", "Escalate");
const SNOOZE: Button = ("snooze", "Snooze 1 h");
const CLOSE: Button = ("close", "Close");

/// The reason for a missing button "Close".
pub const MAY_NOT_CLOSE: &str = "To close it takes the role operator, which the person of this link does not have now.";

/// A fact of the page: its name, its text, and the instant that it tells, if it is a time.
#[derive(Clone, Debug, Default)]
pub struct Fact {
    name: &'static str,
    text: String,
    time: Option<Timestamp>,
}

impl Fact {
    fn text(name: &'static str, text: String) -> Self {
        Self { name, text, time: None }
    }

    fn time(name: &'static str, time: Option<Timestamp>) -> Self {
        Self { name, text: String::new(), time }
    }
}

/// A record of the service with its page in the console.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What people call it.
    pub title: String,
    /// The path of its page below `/console/`.
    pub path: String,
}

/// An alert or an incident, as the page shows it.
#[derive(Clone, Debug, Default)]
pub struct AnswerPage {
    /// One line.
    pub title: String,
    /// The state of an alert, the priority of an incident.
    pub severity: String,
    /// The reporter's further words.
    pub description: String,
    pub facts: Vec<Fact>,
    /// The actions that its status allows.
    pub buttons: Vec<Button>,
    /// The path of its page below `/console/`.
    pub path: String,
    /// The full name of the person who answers.
    pub person: String,
    /// The zone in which times are shown; without one only ages are.
    pub zone: Option<Zone>,
    /// Whether that person may close it.
    pub may_close: bool,
    /// The other people who were told.
    pub people: Vec<Person>,
    /// The state of its escalation.
    pub stage: Option<String>,
    /// How many steps of the escalation were taken.
    pub step: Option<i64>,
    /// Articles about it.
    pub articles: Vec<Reference>,
    /// Jobs that can be run on its machines.
    pub jobs: Vec<Reference>,
}

impl AnswerPage {
    /// The page of an alert, given as clients see it.
    pub fn alert(alert: &Value) -> Self {
        let text = |path: &str| alert.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let time = |path: &str| Timestamp::parse(&text(path));
        let facts = vec![
            Fact::text("Machine", text("/device/name")),
            Fact::text("Address", text("/device/ipAddress")),
            Fact::time("Since", time("/firstAlertTime")),
            Fact::text("Status", text("/status")),
            Fact::text("Acknowledged by", text("/acknowledgement/by/loginName")),
            Fact::text("Reported by", text("/app")),
            Fact::text("Maintenance window", text("/maintenance/name")),
            Fact::time("Maintenance until", time("/maintenance/until")),
            Fact::text("Incident", text("/incidentId")),
        ];
        let buttons = match text("/status").as_str() {
            "Closed" => Vec::new(),
            "New" => vec![ACKNOWLEDGE, ESCALATE, SNOOZE, CLOSE],
            _ => vec![CLOSE],
        };
        Self {
            title: text("/subject"),
            severity: text("/currentState"),
            description: text("/description"),
            facts,
            buttons,
            path: format!("alerts/{}", text("/id")),
            ..Self::default()
        }
    }

    /// The page of an incident; `assignee` is a full name.
    pub fn incident(incident: &IncidentRecord, assignee: String) -> Self {
        let facts = vec![
            Fact::text("Machines", incident.machines.join(", ")),
            Fact::time("Since", Some(incident.created)),
            Fact::text("Status", incident.status.clone()),
            Fact::text("Assigned to", assignee),
            Fact::text("Incident", incident.id.clone()),
            Fact::text("Alerts", incident.alerts.len().to_string()),
            Fact::text("Latest note", incident.notes.last().map(|(_, _, note)| note.clone()).unwrap_or_default()),
        ];
        let buttons = match incident.status.as_str() {
            "Resolved" | "Closed" => Vec::new(),
            "Open" => vec![CLOSE],
            _ => vec![ACKNOWLEDGE, ESCALATE, CLOSE],
        };
        Self {
            title: incident.subject.clone(),
            severity: incident.priority.clone(),
            description: incident.description.clone(),
            facts,
            buttons,
            path: format!("incidents/{}", incident.id),
            ..Self::default()
        }
    }

    /// The HTML. `message` tells the result of an action; `confirms_close` asks before closing.
    pub fn render(&self, token: &str, message: &str, confirms_close: bool, now: Timestamp) -> String {
        let title = escaped(&self.title);
        let message = match message {
            "" => String::new(),
            text => format!("<p class=\"message\" role=\"status\">{}</p>\n", escaped(text)),
        };
        let asks = confirms_close && self.may_close && self.buttons.contains(&CLOSE);
        let actions = if asks { self.confirmation(token) } else { self.actions(token) };
        let description = match self.description.as_str() {
            "" => String::new(),
            text => format!("<p class=\"description\">{}</p>\n", escaped(text)),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\
             <meta name=\"robots\" content=\"noindex\"><title>{title}</title><style>{STYLE}</style></head>\n\
             <body><main>\n<header><p class=\"severity {}\">{}</p><h1>{title}</h1></header>\n{message}{}\
             {actions}{description}{}{}{}<p><a class=\"wide\" href=\"/console/{}\">Open in console</a></p>\n</main>\
             </body></html>\n",
            severity_class(&self.severity),
            escaped(&self.severity),
            self.facts(now),
            self.told(),
            references("Articles", &self.articles),
            references("Jobs", &self.jobs),
            escaped(&self.path),
        )
    }

    fn facts(&self, now: Timestamp) -> String {
        let row = |fact: &Fact| {
            let value = match fact.time {
                Some(time) => self.time(time, now),
                None => escaped(&fact.text).to_string(),
            };
            if value.is_empty() { String::new() } else { format!("<dt>{}</dt><dd>{value}</dd>\n", fact.name) }
        };
        let stage = self.stage.clone().map(|stage| Fact::text("Escalation", stage));
        let rows: String = self.facts.iter().chain(&stage).map(row).collect();
        format!("<dl>\n{rows}</dl>\n")
    }

    /// `12 min ago, 14:02 (Europe/Vienna)`.
    fn time(&self, time: Timestamp, now: Timestamp) -> String {
        let distance = distance(now.millis().saturating_sub(time.millis()));
        match self.zone {
            None => distance,
            Some(zone) => {
                let minute = zone.time_of_day(time).seconds() / 60;
                format!("{distance}, {:02}:{:02} ({})", minute / 60, minute % 60, escaped(zone.name()))
            }
        }
    }

    fn actions(&self, token: &str) -> String {
        let token = escaped(token);
        let post = |(action, label): &Button| {
            // A button that is pressed twice takes one step.
            let step = self.step.filter(|_| *action == ESCALATE.0);
            let step = step.map_or_else(String::new, |step| format!("&amp;step={step}"));
            format!(
                "<form method=\"post\" action=\"?token={token}&amp;action={action}{step}\">\
                 <button class=\"{action}\">{label}</button></form>\n"
            )
        };
        let others: String = self.buttons.iter().filter(|button| **button != CLOSE).map(post).collect();
        let close = match self.may_close {
            _ if !self.buttons.contains(&CLOSE) => String::new(),
            true => format!(
                "<form method=\"get\"><input type=\"hidden\" name=\"token\" value=\"{token}\">\
                 <input type=\"hidden\" name=\"confirm\" value=\"close\">\
                 <button class=\"close\">{}</button></form>\n",
                CLOSE.1
            ),
            false => format!("<p>{MAY_NOT_CLOSE}</p>\n"),
        };
        let person = match self.person.as_str() {
            "" => String::new(),
            name => {
                format!("<p class=\"dim\">Each button answers as {}, to whom this link was sent.</p>\n", escaped(name))
            }
        };
        match others.is_empty() && close.is_empty() {
            true => String::new(),
            false => format!("<div class=\"actions\">\n{others}{close}</div>\n{person}"),
        }
    }

    fn confirmation(&self, token: &str) -> String {
        let token = escaped(token);
        format!(
            "<section class=\"confirm\"><p><strong>Close this for everybody?</strong> Nobody is told of it any \
             more.</p>\n<div class=\"actions\">\n<form method=\"post\" action=\"?token={token}&amp;action=close\">\
             <button class=\"close\">{}</button></form>\n<a class=\"wide\" href=\"?token={token}\">Keep it open</a>\n\
             </div></section>\n",
            CLOSE.1
        )
    }

    /// The other people who were told, with their telephone numbers.
    fn told(&self) -> String {
        let line = |person: &Person| {
            let name = ports::Author::from(person).full_name();
            let number = person.mobile_number.as_ref().or(person.phone_number.as_ref());
            let number = number.filter(|number| !number.trim().is_empty()).map(|number| {
                let digits: String = number.chars().filter(|sign| sign.is_ascii_digit() || *sign == '+').collect();
                format!("<a class=\"call\" href=\"tel:{digits}\">Call {}</a>", escaped(number))
            });
            format!("<li><span>{}</span>{}</li>\n", escaped(&name), number.unwrap_or_default())
        };
        let lines: String = self.people.iter().map(line).collect();
        if lines.is_empty() { lines } else { format!("<section><h2>Also told</h2><ul>\n{lines}</ul></section>\n") }
    }
}

/// A section of links into the console.
fn references(heading: &str, references: &[Reference]) -> String {
    let line = |one: &Reference| {
        format!("<li><a class=\"wide\" href=\"/console/{}\">{}</a></li>\n", escaped(&one.path), escaped(&one.title))
    };
    let lines: String = references.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("<section><h2>{heading}</h2><ul>\n{lines}</ul></section>\n") }
}

/// The class of the mark of a state or a priority.
fn severity_class(severity: &str) -> &'static str {
    match severity {
        "Critical" | "Urgent" | "High" => "bad",
        "Warning" | "Normal" => "warn",
        "Ok" => "good",
        _ => "info",
    }
}

/// How long ago something was, or in what time it will be, in the largest unit that fits.
fn distance(millis: i64) -> String {
    let minutes = millis.unsigned_abs() / 60_000;
    let text = match minutes {
        0 => return "now".to_owned(),
        1..=119 => format!("{minutes} min"),
        120..=2_879 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1_440),
    };
    if millis < 0 { format!("in {text}") } else { format!("{text} ago") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_alert_says_is_text() {
        let alert = json!({"subject": "<script>alert(1)</script>", "status": "New", "description": "\"><img src=x>",
            "device": {"name": "<b>"}});
        let page = AnswerPage {
            person: "<s>".to_owned(),
            people: vec![Person {
                first_name: Some("<i>".to_owned()),
                mobile_number: Some("+43 1 <5>".to_owned()),
                ..Person::default()
            }],
            step: Some(1),
            may_close: true,
            articles: vec![Reference { title: "<em>".to_owned(), path: "<a>".to_owned() }],
            jobs: vec![Reference { title: "<tt>".to_owned(), path: String::new() }],
            ..AnswerPage::alert(&alert)
        };
        let page = page.render("a\"b", "<u>", false, Timestamp::from_millis(0));
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
                let page = AnswerPage { may_close, ..AnswerPage::incident(&incident(status), hostile()) };
                let page = page.render("t", "", false, at);
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

    #[test]
    fn closing_is_asked_about_first() {
        let page = AnswerPage { may_close: true, ..AnswerPage::alert(&json!({"status": "New"})) };
        let now = Timestamp::from_millis(0);
        let first = page.render("t", "", false, now);
        assert!(!first.contains("action=close") && first.contains("name=\"confirm\" value=\"close\""), "{first}");
        let second = page.render("t", "", true, now);
        assert!(second.contains("action=close") && !second.contains("action=acknowledge"), "{second}");
        let may_not = AnswerPage { may_close: false, ..page }.render("t", "", true, now);
        assert!(!may_not.contains("action=close"), "{may_not}");
    }

    #[test]
    fn times_are_local_and_have_an_age() {
        let alert = json!({"status": "New", "firstAlertTime": "2026-07-01T20:37:00+0000"});
        let page = AnswerPage { zone: Zone::find("Europe/Paris"), ..AnswerPage::alert(&alert) };
        let now = Timestamp::parse("2026-07-01T20:49:59+0000").unwrap_or(Timestamp::from_millis(0));
        assert!(page.render("t", "", false, now).contains("12 min ago, 22:37 (Europe/Paris)"));
        let page = AnswerPage { zone: None, ..page }.render("t", "", false, now);
        assert!(page.contains("12 min ago<") && !page.contains("GMT") && !page.contains("+0000"), "{page}");
        let texts = [
            (0, "now"),
            (59_999, "now"),
            (7_140_000, "119 min ago"),
            (7_200_000, "2 h ago"),
            (-180_000, "in 3 min"),
            (172_800_000, "2 days ago"),
        ];
        assert!(texts.iter().all(|(millis, text)| distance(*millis) == *text));
    }

    #[test]
    fn people_are_called_by_their_mobile_number_first() {
        let person = |mobile: Option<&str>| Person {
            mobile_number: mobile.map(ToOwned::to_owned),
            phone_number: Some("01 2345".to_owned()),
            ..Person::default()
        };
        let page = AnswerPage { people: vec![person(Some("+43 660 1")), person(None)], ..AnswerPage::default() };
        let page = page.render("t", "", false, Timestamp::from_millis(0));
        assert!(page.contains("href=\"tel:+436601\"") && page.contains("href=\"tel:012345\""), "{page}");
    }
}
