//! The requests and answers for incidents ("Incidents" in `docs/interface.md`).

use api::Request;
use base::{
    Fields, Timestamp,
    body::{Field as _, Limits},
};
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::{AlertName, Machine, PRIORITIES, STATUSES};
use crate::categories::wire::{CategoryName, normal_id as category_id};

/// The longest subject, in characters.
const LONGEST_SUBJECT: usize = 500;
/// The longest description, in characters.
const LONGEST_DESCRIPTION: usize = 20_000;
/// The longest note, in characters.
const LONGEST_NOTE: usize = 10_000;
/// The most resources of an incident, and the most alerts that it is opened for.
const MOST_NAMED: usize = 100;

api::path_id! {
    /// `INC` and digits
    pub IncidentId = "incidentId", "INC0000000001", normal_id
}

/// An id as it is stored, whatever the letter case it came in.
pub fn normal_id(text: &str) -> String {
    text.trim().to_ascii_uppercase()
}

/// An incident. Fields that are not set are left out.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// `INC` and digits.
    #[schema(example = "INC0000000001")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// The subject, one line.
    pub subject: String,
    /// A description of any length.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// `Very Low`, `Low`, `Normal`, `High` or `Urgent`.
    #[schema(pattern = "^(Very Low|Low|Normal|High|Urgent)$", example = "Normal")]
    pub priority: String,
    /// `New`, `Open`, `Pending`, `Resolved` or `Closed`.
    #[schema(pattern = "^(New|Open|Pending|Resolved|Closed)$", example = "Open")]
    pub status: String,
    /// The category that it is filed under.
    pub category: Option<CategoryName>,
    /// The category right below `category` that it is filed under.
    pub sub_category: Option<CategoryName>,
    /// Who asks for it.
    pub requester: Option<Author>,
    /// Who is working on it.
    pub assignee: Option<Author>,
    /// The user group that works on it.
    pub assignee_group: Option<Group>,
    /// The roster that it was assigned to.
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
    #[schema(example = "2026-11-21T20:37:00+0000")]
    pub due_date: Option<String>,
    /// When it was resolved, or closed.
    pub resolved_date: Option<String>,
    /// When it was closed.
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

/// A note.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentNote)]
pub struct Note {
    /// Its number in the incident, from 1.
    pub id: i64,
    /// The text of the note.
    pub content: String,
    /// Who added it.
    pub created_by: Author,
    /// When.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
}

/// An incident to create, or the changes to one: fields left out of an update stay as they are, and an empty id
/// or an empty `dueDate` clears the field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Request)]
pub struct IncidentInput {
    /// The subject, one line. Required in a create, unless there are `alerts`.
    #[request(line, chars = LONGEST_SUBJECT)]
    pub subject: Option<String>,
    /// A description.
    #[request(chars = LONGEST_DESCRIPTION)]
    pub description: Option<String>,
    /// `Very Low`, `Low`, `Normal` (default), `High` or `Urgent`.
    #[request(words = PRIORITIES, from = &'static str, parse = |word| word_index(&PRIORITIES, word))]
    pub priority: Option<i64>,
    /// `New` (default), `Open`, `Pending`, `Resolved` or `Closed`.
    #[request(words = STATUSES, from = &'static str, parse = |word| word_index(&STATUSES, word))]
    pub status: Option<i64>,
    /// A category of the tenant or its partner.
    #[request(from = CategoryId, parse = CategoryId::normal)]
    pub category: Option<String>,
    /// One right below `category`.
    #[request(from = CategoryId, parse = CategoryId::normal)]
    pub sub_category: Option<String>,
    /// Who asks for it: a user of the tenant or its partner. In a create, by default the caller.
    #[request(from = UserId, parse = UserId::normal)]
    pub requester: Option<String>,
    /// Who works on it: a user of the tenant or its partner.
    #[request(from = UserId, parse = UserId::normal)]
    pub assignee: Option<String>,
    /// The user group that works on it: one of the tenant or its partner.
    #[request(name = "assigneeGroup", from = GroupId, parse = |group: GroupId| trimmed(group.unique_id))]
    pub group: Option<String>,
    /// A roster of the tenant. Without `assignee` beside it, the incident goes to the person on call.
    #[request(from = RosterId, parse = |roster: RosterId| trimmed(roster.id))]
    pub roster: Option<String>,
    /// In a create: the alerts of the tenant that it is opened for.
    #[request(with = not_of_an_update, items = 0..=MOST_NAMED, default)]
    pub alerts: Vec<AlertId>,
    /// The machines that it is about.
    #[request(items = 0..=MOST_NAMED)]
    pub resources: Option<Vec<MachineName>>,
    /// When it is to be done.
    #[request(name = "dueDate", with = due, schema = String, pattern = Timestamp::PATTERN_OR_EMPTY)]
    pub due: Option<Option<Timestamp>>,
    /// A note to add.
    #[request(chars = LONGEST_NOTE, parse = note, pattern = base::body::FILLED)]
    pub note: Option<String>,
}

/// An incident to create: it needs a subject, or alerts to take it from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewIncident(pub IncidentInput);

impl base::body::Request for NewIncident {
    fn read(fields: &mut Fields<'_>) -> Self {
        let limits = Limits { items: Some((0, MOST_NAMED)), ..Limits::NONE };
        let alerts = Vec::read(fields, "alerts", &limits).unwrap_or_default();
        if alerts.is_empty() {
            fields.require("subject");
        }
        Self(IncidentInput { alerts, ..base::body::Request::read(fields) })
    }
}

/// How an incident is closed.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
pub struct IncidentClosing {
    /// A note to add.
    #[request(chars = LONGEST_NOTE, parse = note, pattern = base::body::FILLED)]
    pub note: Option<String>,
}

/// A note to add.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentNoteInput")]
pub struct NewNote {
    /// The text of the note.
    #[request(chars = LONGEST_NOTE, parse = note, pattern = base::body::FILLED)]
    pub content: String,
}

/// A category, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentCategoryId", example = json!({"uniqueId": "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct CategoryId {
    /// `SCAT-<uuid>`.
    unique_id: String,
}

/// A user, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentUserId", example = json!({"id": "USR0000000007"}))]
pub struct UserId {
    /// `USR` and ten digits.
    id: String,
}

/// A user group, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentGroupId", example = json!({"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct GroupId {
    /// `USRGRP-<uuid>`.
    unique_id: String,
}

/// A roster, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentRosterId", example = json!({"id": "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct RosterId {
    /// `ES-<uuid>`.
    id: String,
}

/// An alert, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentAlertId")]
pub struct AlertId {
    /// `ALT-<uuid>`.
    #[request(filled, parse = trimmed)]
    pub id: String,
}

/// A resource, by its id or else by a name.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "IncidentResourceId", check = require_id_or_name, example = json!({"hostName": "db-01"}))]
pub struct MachineName {
    /// A UUID.
    #[request(with = filled_text)]
    pub id: Option<String>,
    /// Any of its names in full, whatever the letter case; `dnsName`, `resourceName` and `aliasName` are the same.
    #[request(also = ["dnsName", "resourceName", "aliasName"], with = filled_text)]
    pub host_name: Option<String>,
}

impl CategoryId {
    fn normal(self) -> Result<String, String> {
        Ok(category_id(&self.unique_id))
    }
}

impl UserId {
    fn normal(self) -> Result<String, String> {
        Ok(self.id.trim().to_ascii_uppercase())
    }
}

/// A trimmed id; an empty one clears the field.
fn trimmed(id: String) -> Result<String, String> {
    Ok(id.trim().to_owned())
}

fn note(text: String) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("must not be empty") } else { Ok(text) }
}

/// The index of a word in its list.
fn word_index(words: &[&'static str], word: &'static str) -> Result<i64, String> {
    let index = words.iter().position(|known| *known == word).and_then(|index| i64::try_from(index).ok());
    Ok(index.unwrap_or_default())
}

/// Ignores the field in an update; [`NewIncident`] reads it in a create.
fn not_of_an_update(_: &mut Fields<'_>, _: &str) -> Option<Vec<AlertId>> {
    None
}

/// `Some(None)` clears the due date.
fn due(fields: &mut Fields<'_>, field: &str) -> Option<Option<Timestamp>> {
    fields.timestamp_or_empty(field)
}

/// A non-blank text, trimmed.
fn filled_text(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    fields.text(field).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn require_id_or_name(machine: &MachineName, fields: &mut Fields<'_>) {
    if machine.id.is_none() && machine.host_name.is_none() {
        fields.require("id");
    }
}
