//! What clients see and say of incidents ("Incidents" in `docs/interface.md`).

use base::{
    Fields, Timestamp,
    problem::{Problem, Wrong},
};
use ports::Author;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{PRIORITIES, STATUSES};
use crate::categories::wire::CategoryName;

/// The longest subject, in characters.
const LONGEST_SUBJECT: usize = 500;
/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 20_000;
/// The longest note, in characters.
const LONGEST_NOTE: usize = 10_000;
/// The most resources of an incident.
const MOST_RESOURCES: usize = 100;

/// An incident. What is not set is left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// `INC` and digits.
    #[schema(example = "INC0000000001")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// What it is about, in a line.
    pub subject: String,
    /// What it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// `Very Low`, `Low`, `Normal`, `High` or `Urgent`.
    #[schema(example = "Normal")]
    pub priority: String,
    /// `New`, `Open`, `Pending`, `Resolved` or `Closed`.
    #[schema(example = "Open")]
    pub status: String,
    /// What it is filed under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<CategoryName>,
    /// What it is filed under, right below `category`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_category: Option<CategoryName>,
    /// Who asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requester: Option<Author>,
    /// Who works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<Author>,
    /// Whose members work on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee_group: Option<Group>,
    /// The roster that it was assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roster: Option<Roster>,
    /// The machines that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub resources: Vec<Machine>,
    /// The alerts that it was opened for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub alerts: Vec<AlertName>,
    /// How many notes it has.
    pub note_count: i64,
    /// When it is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-11-21T20:37:00+0000")]
    pub due_date: Option<String>,
    /// When it was resolved, or closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_date: Option<String>,
    /// When it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_date: Option<String>,
    /// Who created it.
    pub created_by: Author,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
    /// When it changed last.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub updated_date: String,
}

/// A user group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentGroup)]
pub struct Group {
    /// `USRGRP-<uuid>`.
    #[schema(example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// The group's name.
    pub name: String,
}

/// A roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = IncidentRoster)]
pub struct Roster {
    /// `ES-<uuid>`.
    #[schema(example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// The roster's name; empty when it is gone.
    pub name: String,
}

/// A resource, as it was when it was named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentResource)]
pub struct Machine {
    /// A UUID.
    pub id: String,
    /// The name that lists show.
    pub name: String,
    /// Empty when it has none.
    pub host_name: String,
}

/// An alert, as it was when the incident was opened for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentAlert)]
pub struct AlertName {
    /// The alert's id.
    pub id: String,
    /// Its subject.
    pub subject: String,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentNote)]
pub struct Note {
    /// Its number in the incident, from 1.
    pub id: i64,
    /// What it says.
    pub content: String,
    /// Who added it.
    pub created_by: Author,
    /// When.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
}

/// What a body says: a new incident, or a change of one. Of ids, the empty one takes away what was there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// In a line.
    pub subject: Option<String>,
    /// Any text.
    pub description: Option<String>,
    /// A place in [`PRIORITIES`].
    pub priority: Option<i64>,
    /// A place in [`STATUSES`].
    pub status: Option<i64>,
    /// A category's id.
    pub category: Option<String>,
    /// A category's id.
    pub sub_category: Option<String>,
    /// A user's id.
    pub requester: Option<String>,
    /// A user's id.
    pub assignee: Option<String>,
    /// A group's id.
    pub group: Option<String>,
    /// A roster's id.
    pub roster: Option<String>,
    /// Of a create: the ids of the alerts that it is opened for.
    pub alerts: Vec<String>,
    /// All machines from now on.
    pub resources: Option<Vec<MachineName>>,
    /// `Some(None)` takes it away.
    pub due: Option<Option<Timestamp>>,
    /// A note to add.
    pub note: Option<String>,
}

/// How a body names a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineName {
    /// By its id.
    Id(String),
    /// By its host name.
    HostName(String),
}

impl Input {
    /// Reads the body of a create, which needs a subject, or alerts to take it from; says which fields are wrong, by
    /// their paths.
    pub fn read_new(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let alerts = alerts(&mut fields);
        if alerts.is_empty() {
            fields.require("subject");
        }
        (Self { alerts, ..Self::fields(&mut fields) }, fields.wrong())
    }

    /// Reads the body of an update, as [`Input::read_new`] does.
    pub fn read(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        (Self::fields(&mut fields), fields.wrong())
    }

    /// Reads the body that closes an incident, as [`Input::read_new`] does.
    pub fn read_closing(body: &Value) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let note = note(&mut fields, "note");
        (Self { note, status: Some(super::rules::CLOSED), ..Self::default() }, fields.wrong())
    }

    fn fields(fields: &mut Fields<'_>) -> Self {
        Self {
            subject: fields.name("subject", LONGEST_SUBJECT),
            description: fields.text_max("description", LONGEST_DESCRIPTION),
            priority: word(fields, "priority", &PRIORITIES),
            status: word(fields, "status", &STATUSES),
            category: id(fields, "category", "uniqueId").map(|id| category(&id)),
            sub_category: id(fields, "subCategory", "uniqueId").map(|id| category(&id)),
            requester: id(fields, "requester", "id").map(|id| id.to_ascii_uppercase()),
            assignee: id(fields, "assignee", "id").map(|id| id.to_ascii_uppercase()),
            group: id(fields, "assigneeGroup", "uniqueId"),
            roster: id(fields, "roster", "id"),
            alerts: Vec::new(),
            resources: machines(fields),
            due: due(fields),
            note: note(fields, "note"),
        }
    }
}

/// Reads the body of a note.
///
/// # Errors
/// 400 that names `content`.
pub fn read_note(body: &Value) -> Result<String, Problem> {
    let mut fields = Fields::of(body);
    fields.require("content");
    let content = note(&mut fields, "content");
    fields.finish()?;
    content.ok_or_else(Problem::internal)
}

fn note(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    let text = fields.text_max(field, LONGEST_NOTE)?;
    if text.trim().is_empty() {
        fields.error(field, "must not be empty");
    }
    Some(text)
}

/// The place of a word in its list.
fn word(fields: &mut Fields<'_>, field: &str, words: &[&'static str]) -> Option<i64> {
    let word = fields.one_of(field, words)?;
    words.iter().position(|known| *known == word).and_then(|place| i64::try_from(place).ok())
}

/// The id in an object; `Some("")` when that says to take it away.
fn id(fields: &mut Fields<'_>, field: &str, key: &str) -> Option<String> {
    let mut object = fields.object(field)?;
    object.require(key);
    object.text(key).map(|id| id.trim().to_owned())
}

fn category(id: &str) -> String {
    crate::categories::rules::normal_id(id)
}

fn due(fields: &mut Fields<'_>) -> Option<Option<Timestamp>> {
    if fields.value("dueDate").and_then(Value::as_str) == Some("") {
        return Some(None);
    }
    fields.timestamp("dueDate").map(Some)
}

fn alerts(fields: &mut Fields<'_>) -> Vec<String> {
    let items = fields.objects("alerts").unwrap_or_default();
    if items.len() > MOST_RESOURCES {
        fields.error("alerts", format!("must have at most {MOST_RESOURCES} elements"));
        return Vec::new();
    }
    items.into_iter().map(|mut item| item.required_text("id").trim().to_owned()).collect()
}

fn machines(fields: &mut Fields<'_>) -> Option<Vec<MachineName>> {
    let items = fields.objects("resources")?;
    if items.len() > MOST_RESOURCES {
        fields.error("resources", format!("must have at most {MOST_RESOURCES} elements"));
        return None;
    }
    let machine = |mut item: Fields<'_>| {
        let id = item.text("id").filter(|id| !id.trim().is_empty());
        let host = item.text("hostName").filter(|name| !name.trim().is_empty());
        match (id, host) {
            (Some(id), _) => MachineName::Id(id.trim().to_owned()),
            (None, Some(host)) => MachineName::HostName(host.trim().to_owned()),
            (None, None) => {
                item.require("id");
                MachineName::Id(String::new())
            }
        }
    };
    Some(items.into_iter().map(machine).collect())
}
