//! What people do with an escalation besides answering: they take its next step, or hand it over.

use base::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

/// Somebody took the next step at once.
pub const ESCALATED: &str = "escalated";
/// Somebody handed the alert over.
pub const HANDED_OVER: &str = "handedOver";

/// What somebody did with an escalation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EscalationAction {
    /// When.
    pub time_ms: i64,
    /// [`ESCALATED`] or [`HANDED_OVER`].
    pub what: String,
    /// Who did it, by id.
    pub by: String,
    /// The note of that person.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// To whom it was handed over, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
    /// To which roster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roster: Option<NamedRoster>,
}

/// A roster, as it was called then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRoster {
    /// The tenant that it belongs to.
    pub tenant: String,
    /// `ES-<uuid>`.
    pub id: String,
    pub name: String,
}

impl EscalationAction {
    /// Of a person, without a note.
    pub fn of(what: &str, by: &str, at: Timestamp) -> Self {
        Self { time_ms: at.millis(), what: what.to_owned(), by: by.to_owned(), ..Self::default() }
    }
}
