//! The page behind the link of a message, as HTML. It needs no script: everything that an alert says is text in it, and
//! each button is a form.

use std::sync::LazyLock;

use base::{text::escaped, timestamp::Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use calendar::Zone;
use ports::{IncidentRecord, Person};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    jobs::{self, PageJob},
    markdown,
};

#[cfg(test)]
mod tests;

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

    /// Does it name this maintenance window?
    pub fn is_window(&self, name: &str) -> bool {
        self.name == "Maintenance window" && self.text == name
    }

    /// The name of a maintenance window that is open, and its end.
    pub fn window(name: String, until: Timestamp) -> [Self; 2] {
        [Self::text("Maintenance window", name), Self::time("Maintenance until", Some(until))]
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

/// The question that the page asks, in place of its buttons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Question {
    /// None.
    #[default]
    None,
    /// Whether to close it for everybody.
    Close,
    /// Whether to run the job with this id.
    Run(String),
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
    /// The title of the article that fits best, and its content in Markdown.
    pub article: Option<(Reference, String)>,
    /// Other articles about it.
    pub articles: Vec<Reference>,
    /// Jobs that have one of its machines.
    pub jobs: Vec<PageJob>,
    /// Whether that person may run jobs.
    pub may_run: bool,
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
            ..Self::default()
        }
    }

    /// The HTML. `message` tells the result of an action; `question` is asked before it is done.
    pub fn render(&self, token: &str, message: &str, question: &Question, now: Timestamp) -> String {
        let title = escaped(&self.title);
        let message = match message {
            "" => String::new(),
            text => format!("<p class=\"message\" role=\"status\">{}</p>\n", escaped(text)),
        };
        let actions = match question {
            Question::Close if self.may_close && self.buttons.contains(&CLOSE) => self.confirmation(token),
            Question::Run(id) if self.may_run => match self.jobs.iter().find(|job| job.id == *id) {
                Some(job) => jobs::confirmation(job, token),
                None => self.actions(token),
            },
            _ => self.actions(token),
        };
        let description = match self.description.as_str() {
            "" => String::new(),
            text => format!("<div class=\"text\">{}</div>\n", markdown::render(text).0),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\
             <meta name=\"robots\" content=\"noindex\"><title>{title}</title><style>{STYLE}</style></head>\n\
             <body><main>\n<header><p class=\"severity {}\">{}</p><h1>{title}</h1></header>\n{message}{}\
             {actions}{description}{}{}{}{}{}</main></body></html>\n",
            severity_class(&self.severity),
            escaped(&self.severity),
            self.facts(now),
            self.told(),
            self.article(),
            references("Articles", &self.articles),
            jobs::section(&self.jobs, token, self.may_run, |time| self.time(time, now)),
            open_console(token),
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

    /// The article that fits best.
    fn article(&self) -> String {
        let Some((reference, content)) = &self.article else { return String::new() };
        let (html, whole) = markdown::render(content);
        let rest = if whole { "Article in console" } else { "The rest of the article in console" };
        format!(
            "<section><h2>{}</h2>\n<div class=\"text\">{html}</div>\n\
             <a class=\"wide\" href=\"/console/{}\">{rest}</a></section>\n",
            escaped(&reference.title),
            escaped(&reference.path),
        )
    }

    /// The other people who were told, with their telephone numbers.
    fn told(&self) -> String {
        let line = |person: &Person| {
            let name = person.full_name();
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

/// The form that opens the console at what the page is about.
fn open_console(token: &str) -> String {
    format!(
        "<form class=\"last\" method=\"post\" action=\"/api/v2/answers/session\">\
         <input type=\"hidden\" name=\"token\" value=\"{}\"><button>Open in console</button></form>\n\
         <p class=\"dim\">The console opens for an hour, for what can be done here. Sign in there for more.</p>\n",
        escaped(token)
    )
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
