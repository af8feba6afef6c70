//! What clients see of alerts ("Alerts" in `docs/interface.md`).

use api::Request;
use base::{problem::FieldError, timestamp::Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest note that is added, in characters.
const LONGEST_NOTE: usize = 4_000;

api::path_id! {
    /// `ALT-<uuid>`
    pub AlertId = "alertId", "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// An id as it is stored, whatever the letter case it came in.
pub fn normal_id(text: &str) -> String {
    base::text::spelled(text, "ALT-")
}

/// What may be sent with an action.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertActionInput", example = json!({"note": "Looking into it"}))]
pub struct ActionInput {
    /// A note about it.
    #[request(parse = trimmed, default)]
    pub note: String,
}

/// A note to add.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertNoteInput", example = json!({"text": "The provider is working on it"}))]
pub struct NoteInput {
    /// What it says.
    #[request(chars = LONGEST_NOTE, filled, parse = trimmed)]
    pub text: String,
}

/// How an alert is suppressed.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "AlertSuppressionInput")]
#[request(example = json!({"until": "2036-11-21T06:00:00+0000", "note": "Known, fixed tonight"}))]
pub struct SuppressionInput {
    /// In the future; without it, as long as the alert is open.
    pub until: Option<Timestamp>,
    /// A note about it.
    #[request(parse = trimmed, default)]
    pub note: String,
}

/// An action on all alerts that a search finds.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(example = json!({"queryString": "hostName:web-01+status:New", "note": "The switch was replaced"}))]
pub struct AlertBulkActionInput {
    /// Which alerts: an expression as the search takes it, with a term that says which.
    #[request(chars = 8_192, example = "hostName:web-01+status:New,Acknowledged")]
    pub query_string: String,
    /// Of `suppress` alone: in the future; without it, as long as the alerts are open.
    pub until: Option<Timestamp>,
    /// A note about it, on each alert.
    #[request(parse = trimmed, default)]
    pub note: String,
}

fn trimmed(text: String) -> Result<String, String> {
    Ok(text.trim().to_owned())
}

/// An alert. Fields without a value are left out.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alert<'a> {
    /// `ALT-<uuid>`.
    #[schema(example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: &'a str,
    /// The same as `id`.
    #[schema(example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: &'a str,
    /// The tenant that it belongs to: that of the resource, or else the one that it was posted to.
    #[schema(example = "client_1")]
    pub client_unique_id: &'a str,
    /// One line.
    #[schema(example = "Load is 31")]
    pub subject: &'a str,
    /// Details beyond the subject.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub description: &'a str,
    /// `Critical`, `Warning`, `Ok` or `Info`.
    #[schema(example = "Critical", pattern = "^(Critical|Warning|Ok|Info)$")]
    pub current_state: &'a str,
    /// The state before that one.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schema(example = "Warning", pattern = "^(Critical|Warning|Ok|Info)$")]
    pub old_state: &'a str,
    /// `New`, `Acknowledged`, `Suppressed` or `Closed`.
    #[schema(example = "New", pattern = "^(New|Acknowledged|Suppressed|Closed)$")]
    pub status: &'static str,
    /// `Maintenance` for an alert that a maintenance window covers; otherwise as reported, or `Monitoring`.
    #[schema(example = "Monitoring")]
    pub alert_type: &'a str,
    /// The metric; part of the identity of the problem.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schema(example = "system.load")]
    pub metric: &'a str,
    /// As reported.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub service_name: &'a str,
    /// As reported.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub monitor_name: &'a str,
    /// The monitoring program that reported it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub app: &'a str,
    /// The part of the resource; part of the identity of the problem.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub component: &'a str,
    /// The device that it is about. Without an `id` it is not in the inventory, and has the names of the report.
    pub device: Option<&'a Device>,
    /// Attributes; the labels of an Alertmanager.
    #[serde(skip_serializing_if = "<[Tag]>::is_empty")]
    pub tags: &'a [Tag],
    /// The sender's own id of it; the fingerprint of an Alertmanager.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub ext_alert_id: &'a str,
    /// The group in which an Alertmanager sent it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub group_key: &'a str,
    /// Where to find out more.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub url: &'a str,
    /// How often the problem was reported; 1 at first.
    #[schema(example = 3)]
    pub repeat_count: i64,
    /// When it was reported first, by the sender's clock.
    #[schema(value_type = String, example = "2026-11-20T20:31:00+0000")]
    pub first_alert_time: Timestamp,
    /// When it was reported last, by the sender's clock.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub alert_time: Timestamp,
    /// When it was taken in.
    #[schema(value_type = String, example = "2026-11-20T20:31:01+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:01+0000")]
    pub updated_date: Timestamp,
    /// The last event: `Created`, `Repeated`, `Changed`, `Acknowledged`, `Unacknowledged`, `Suppressed`,
    /// `Unsuppressed`, `Escalated`, `Incident`, `Edited` or `Closed`.
    #[schema(
        example = "Repeated",
        pattern = "^(Created|Repeated|Changed|Acknowledged|Unacknowledged|Suppressed|Unsuppressed|Escalated|Incident|\
                   Edited|Closed)$"
    )]
    pub last_event: &'a str,
    /// Who is working on it.
    pub acknowledgement: Option<&'a Note>,
    /// The end of the acknowledgement: by a person, or, without `by`, because the alert got worse.
    pub unacknowledgement: Option<&'a Note>,
    /// The acknowledgement that ended then.
    pub previous_acknowledgement: Option<&'a Note>,
    /// The suppression of the alert.
    pub suppression: Option<&'a Suppression>,
    /// Who ended its suppression.
    pub unsuppression: Option<&'a Note>,
    /// The maintenance window that covers it.
    pub maintenance: Option<&'a Window>,
    /// The escalation when that window was over.
    pub escalation: Option<&'a Escalation>,
    /// How it ended; of a report of `Ok`, what that says is the note.
    pub closure: Option<&'a Note>,
    /// The incident that was opened from it.
    pub incident_id: Option<&'a str>,
    /// The sender: the id of an inbound address, or `heartbeat`, `job` or `openAlerts` for the service itself; left out
    /// for an API key.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schema(example = "INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub sender: &'a str,
    /// The latest 100 notes, oldest first.
    #[serde(skip_serializing_if = "<[Note]>::is_empty")]
    pub notes: &'a [Note],
    /// What was repaired of the last report, or left out, for its sender to look into.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: &'a [String],
}

/// The device that an alert is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = AlertDevice)]
pub struct Device {
    /// The id of the resource, a UUID; left out when the inventory does not know it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Host name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host_name: String,
    /// The name that lists show.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ip_address: String,
    /// Hardware address, when the inventory does not know it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mac_address: String,
    /// The id that another system has for it, when the inventory does not know it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ext_resource_id: String,
    /// The name of its resource type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_type: String,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AlertTag, example = json!({"name": "env", "value": "production"}))]
pub struct Tag {
    /// Its name.
    #[schema(min_length = 1, pattern = r"\S")]
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What somebody did, or a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AlertNote)]
pub struct Note {
    /// Who; left out when a report did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Person>,
    /// When.
    #[schema(example = "2026-11-20T20:40:00+0000")]
    pub time: String,
    /// Their note.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub note: String,
}

/// A suppression: nobody is notified of the alert.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AlertSuppression)]
pub struct Suppression {
    /// `maintenance` or `person`.
    #[schema(example = "person", pattern = "^(maintenance|person)$")]
    pub reason: String,
    /// Who, when it was a person.
    pub by: Option<Person>,
    /// Since when.
    pub time: String,
    /// Until when; left out for one without end.
    #[schema(example = "2026-11-21T06:00:00+0000")]
    pub until: Option<String>,
    /// Their note.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub note: String,
}

/// A user, as they were then.
#[api::without_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertPerson)]
pub struct Person {
    /// `USR` and ten digits.
    pub id: String,
    /// Unique in its tenant.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub login_name: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// An email address.
    pub email: Option<String>,
}

/// The maintenance window that covers an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertWindow)]
pub struct Window {
    /// `SM-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
    /// When it began.
    pub since: String,
    /// When it ends, as far as is known.
    pub until: String,
    /// Is the alert escalated when it is still open then?
    pub run_escalation_action: bool,
}

/// The escalation of an alert that was still open when its window was over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertEscalation)]
pub struct Escalation {
    /// When.
    pub time: String,
    /// The people on call at that time; may be empty.
    pub on_call: Vec<OnCallPerson>,
}

/// Somebody who was on call, and how to reach them.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AlertOnCallPerson)]
pub struct OnCallPerson {
    /// Who.
    #[serde(flatten)]
    pub person: Person,
    /// A telephone number, as people write it.
    pub phone_number: Option<String>,
    /// A telephone number, as people write it.
    pub mobile_number: Option<String>,
    /// Through which roster, `ES-<uuid>`.
    pub roster_id: String,
    /// Through which shift, `ESD-<uuid>`.
    pub shift_id: Option<String>,
    /// Since when.
    pub since: String,
    /// Until when.
    pub until: String,
}

/// The result of a report.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertResult {
    /// `created`, `repeated`, `changed`, `closed`, `late` (it is counted, and changes nothing else), `ignored` (there
    /// was nothing to do), `refused` (there is no room for it) or `invalid`.
    #[schema(example = "created", pattern = "^(created|repeated|changed|closed|late|ignored|refused|invalid)$")]
    pub result: &'static str,
    /// The alert, where there is one.
    #[schema(example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: Option<String>,
    /// The same as `id`.
    pub unique_id: Option<String>,
    /// The state of the alert when all reports of the request were taken in.
    #[schema(pattern = "^(Critical|Warning|Ok|Info)$")]
    pub current_state: Option<String>,
    /// Its status.
    #[schema(pattern = "^(New|Acknowledged|Suppressed|Closed)$")]
    pub status: Option<&'static str>,
    /// `Maintenance`, `Monitoring`, or as given.
    pub alert_type: Option<String>,
    /// How often the problem was reported.
    pub repeat_count: Option<i64>,
    /// The resource that it is about, when the inventory knows it.
    pub resource_id: Option<String>,
    /// Warnings for the sender, although the report was accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why the report was refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<api::spec::ProblemField>)]
    pub errors: Vec<FieldError>,
}

impl Person {
    /// As they are now.
    pub fn of(person: ports::Person) -> Self {
        let ports::Person { id, login_name, first_name, last_name, email, .. } = person;
        Self { id, login_name, first_name, last_name, email }
    }
}
