//! What clients see of pages.

use base::timestamp::Timestamp;
use ports::{Author, Authors};
use serde::Serialize;
use utoipa::ToSchema;

use super::{facts::Attempt, store::Row};

/// A message to a person: what was sent, to whom and through what, or why it was not.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// `PG-<uuid>`.
    #[schema(example = "PG-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    #[doc = " `page`, or `code`, `test`, `shift` (one of one's own begins) or `message` (such as of conflicts of \
             rosters), which"]
    /// are about no alert.
    #[schema(pattern = "^(page|code|test|shift|message)$", example = "page")]
    pub kind: String,
    /// The alert.
    pub alert: Option<PagedAlert>,
    /// The incident, in place of the alert, when it is one that is escalated.
    pub incident: Option<PagedAlert>,
    /// The policy, by id.
    pub policy: Option<Id>,
    /// The step of the policy, from 1.
    #[schema(example = 1)]
    pub step: Option<i64>,
    /// Which pass through the steps it belongs to, from 1.
    #[schema(example = 1)]
    pub round: Option<i64>,
    /// Whom it is for.
    pub user: Option<Author>,
    /// Through what.
    pub contact_method: Option<PageMethod>,
    /// Which integration, where it is one.
    pub integration: Option<Id>,
    /// Of a gap: whom the step meant.
    pub target: Option<String>,
    /// `pending`, `sent`, `failed`, `stopped` (somebody answered before), `summarised` (told together with others) or
    /// `gap` (there was nobody, or nothing that reaches them).
    #[schema(pattern = "^(pending|sent|failed|stopped|summarised|gap)$", example = "sent")]
    pub status: String,
    /// Why, when there is something to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub why: String,
    /// `high` or `low`.
    #[schema(pattern = "^(high|low)$", example = "high")]
    pub urgency: String,
    /// What it has in common with the pages of other alerts of the policy.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub conversation: String,
    /// When it was decided.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it is sent, or tried again.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:39:00+0000")]
    pub due_date: Option<Timestamp>,
    /// When the other side accepted it.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:00+0000")]
    pub sent_date: Option<Timestamp>,
    /// What was tried; the last 20.
    pub attempts: Vec<Attempt>,
}

/// An alert or an incident, as a page names it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PagedAlert {
    /// `ALT-<uuid>`, or `INC` and ten digits.
    pub id: String,
    /// Its subject then.
    pub subject: String,
}

/// Something by its id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PageReference)]
pub struct Id {
    /// Its id.
    pub id: String,
}

/// A contact method, without what only its owner may see.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PageThrough)]
pub struct PageMethod {
    /// `CM-<uuid>`.
    pub id: String,
    /// `HTTP` or `EMAIL`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(HTTP|EMAIL)$")]
    pub kind: String,
}

impl Page {
    /// Of a row, with the people that it may be for.
    pub fn of(row: &Row, people: &Authors) -> Self {
        let of_alert = !row.alert_id.is_empty();
        let of_incident = row.alert_id.starts_with(super::store::INCIDENT);
        let about = of_alert.then(|| PagedAlert { id: row.alert_id.clone(), subject: row.message.subject.clone() });
        let is_method = row.channel == "HTTP" || row.channel == "EMAIL";
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        Self {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            kind: row.kind.clone(),
            alert: about.clone().filter(|_| !of_incident),
            incident: about.filter(|_| of_incident),
            policy: some(&row.policy_id).map(|id| Id { id }),
            step: of_alert.then_some(row.step + 1),
            round: of_alert.then_some(row.round + 1),
            user: some(&row.user_id).map(|id| people.of(&id)),
            contact_method: is_method.then(|| PageMethod { id: row.method_id.clone(), kind: row.channel.clone() }),
            integration: (row.channel == "INTEGRATION").then(|| Id { id: row.method_id.clone() }),
            target: some(&row.method_id).filter(|_| row.channel.is_empty()),
            status: row.status.clone(),
            why: row.why.clone(),
            urgency: row.urgency.clone(),
            conversation: row.conversation.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            due_date: row.due_ms.map(Timestamp::from_millis),
            sent_date: row.sent_ms.map(Timestamp::from_millis),
            attempts: row.log.0.clone(),
        }
    }
}

/// An id of a prefix and a UUID, as it is stored.
pub fn spelled(text: &str) -> String {
    match text.trim().split_once('-') {
        Some((prefix, rest)) => format!("{}-{}", prefix.to_ascii_uppercase(), rest.to_ascii_lowercase()),
        None => text.trim().to_owned(),
    }
}

api::path_id! {
    /// `ALT-<uuid>`
    pub AlertId = "alertId", "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", spelled
}

api::path_id! {
    /// `INC` and ten digits
    pub IncidentId = "incidentId", "INC0000000007", |text: &str| text.trim().to_ascii_uppercase()
}
