//! From a page to what it says.

use base::{secret::Secret, text::escaped, timestamp::Timestamp};
use db::Result;
use serde_json::{Value, json};

use crate::{
    Neighbours,
    delivery::{
        link::Link,
        pages::{
            facts::{Facts, line},
            store::{INCIDENT, Row},
        },
    },
};

/// What a page says, for every channel.
#[derive(Clone, Debug)]
pub struct Message {
    /// The id of the page.
    pub id: String,
    /// `page`, `code` or `test`.
    pub kind: String,
    /// One line.
    pub title: String,
    /// What else there is to say, a line each.
    pub details: Vec<String>,
    /// What it has in common with others.
    pub conversation: String,
    /// `high` or `low`.
    pub urgency: String,
    /// Where it is answered; empty when nothing is to be.
    pub link: String,
    facts: Facts,
    alert_id: String,
    tenant: String,
    step: i64,
}

/// Where the person of a page answers it; empty where there is nothing to answer, or no way back.
fn link(neighbours: &Neighbours, row: &Row) -> Result<String> {
    let answered = row.kind == "page" && !row.user_id.is_empty();
    let Some(base) = neighbours.public_url.as_ref().filter(|_| answered) else {
        return Ok(String::new());
    };
    // From when it was decided, so that it ends at one time however often it is sent.
    let decided = Timestamp::from_millis(row.created_ms);
    let token = Link::new(&row.tenant_id, &row.alert_id, &row.user_id, decided).seal(&*neighbours.seals)?;
    Ok(format!("{}/api/v2/answers?token={token}", base.trim_end_matches('/')))
}

impl Message {
    /// Of a page.
    pub fn of(neighbours: &Neighbours, row: &Row) -> Result<Self> {
        let facts = row.message.0.clone();
        let (title, details) = match row.kind.as_str() {
            "code" => {
                let code =
                    neighbours.seals.open(row.sealed_at(), &facts.code)?.map(Secret::into_inner).unwrap_or_default();
                let details = "Anyone who asked for it enters it to show that messages arrive here. If that was not \
                               you, do nothing.";
                (format!("Your Muster code is {code}"), vec![details.to_owned()])
            }
            "test" => ("This is a test of Muster".to_owned(), vec!["Nothing is wrong. Pages arrive here.".to_owned()]),
            _ => (facts.title(), facts.details()),
        };
        Ok(Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            title: line(&title),
            details,
            conversation: row.conversation.clone(),
            urgency: facts.summary.as_ref().map_or(&row.urgency, |summary| &summary.urgency).clone(),
            link: link(neighbours, row)?,
            facts,
            alert_id: row.alert_id.clone(),
            tenant: row.tenant_id.clone(),
            step: row.step + 1,
        })
    }

    /// All of it as lines.
    pub fn text(&self) -> String {
        let link = (!self.link.is_empty()).then_some(self.link.as_str());
        let lines = std::iter::once(self.title.as_str()).chain(self.details.iter().map(String::as_str)).chain(link);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What there is beside the title.
    pub fn body(&self) -> String {
        let link = (!self.link.is_empty()).then_some(self.link.as_str());
        self.details.iter().map(String::as_str).chain(link).collect::<Vec<_>>().join("\n")
    }

    /// For programs.
    pub fn json(&self) -> String {
        self.value().to_string()
    }

    /// What a template may show.
    pub fn value(&self) -> Value {
        let mut message = json!({
            "id": self.id, "kind": self.kind, "title": self.title, "text": self.text(), "urgency": self.urgency,
            "details": self.details,
        });
        let mut add =
            |name: &str, value: Value| drop(message.as_object_mut().map(|all| all.insert(name.to_owned(), value)));
        if !self.alert_id.is_empty() {
            add(
                if self.alert_id.starts_with(INCIDENT) { "incident" } else { "alert" },
                json!({"id": self.alert_id, "subject": self.facts.subject, "currentState": self.facts.severity,
                "device": {"id": self.facts.machine_id, "name": self.facts.machine}, "clientUniqueId": self.tenant}),
            );
            if self.facts.flaps > 0 {
                add("flaps", json!(self.facts.flaps));
            }
            add("policy", json!(self.facts.policy));
            add("step", json!(self.step));
            add("conversation", json!(self.conversation));
        }
        if !self.link.is_empty() {
            add("link", json!(self.link));
        }
        if let Some(summary) = &self.facts.summary {
            add("summary", json!({"count": summary.count, "worst": summary.worst, "machines": summary.machines}));
        }
        message
    }

    /// For a mail.
    pub fn html(&self) -> String {
        let details: String = self.details.iter().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
        let link = match self.link.as_str() {
            "" => String::new(),
            link => format!("<p><a href=\"{0}\">Answer</a></p>\n", escaped(link)),
        };
        let title = escaped(&self.title);
        format!(
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body><h1 \
             style=\"font-size: 1.2em\">{title}</h1>\n{details}{link}</body></html>\n"
        )
    }
}
