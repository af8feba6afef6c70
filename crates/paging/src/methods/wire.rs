//! What clients send and see of contact methods.

use std::collections::BTreeMap;

use base::{Fields, problem::Problem};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    rules::{FIELDS, KINDS, PRESETS},
    store::Row,
};
use base::timestamp::Timestamp;

/// The longest name, address or number.
const LONGEST_NAME: usize = 200;
/// The longest URL, password or token.
const LONGEST: usize = 2_000;

/// A way to reach somebody.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "user": {"id": "USR0000000007"}, "name": "My phone", "type": "HTTP",
    "preset": "ntfy", "host": "ntfy.example.net", "verified": true, "createdDate": "2026-11-20T20:37:00+0000",
    "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub struct ContactMethod {
    /// `CM-<uuid>`.
    pub id: String,
    /// Whom it reaches.
    pub user: UserId,
    /// What its owner calls it.
    pub name: String,
    /// `HTTP` or `EMAIL`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Of `HTTP`: what is called.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub preset: String,
    /// Of `HTTP`: the host of its URL. The rest of it may be a secret, and is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Of `EMAIL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The number that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The number that calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_id: Option<String>,
    /// Of HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    /// What makes the body of a `webhook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Of a template that makes no JSON: the media type of what it makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Was it shown to work? Nothing but its code is sent to one that was not.
    pub verified: bool,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

/// A user, by id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PagedUser)]
pub struct UserId {
    /// `USR` and ten digits.
    pub id: String,
}

impl From<&Row> for ContactMethod {
    fn from(row: &Row) -> Self {
        let mut settings = row.settings();
        Self {
            id: row.id.clone(),
            user: UserId { id: row.user_id.clone() },
            name: row.name.clone(),
            kind: row.kind.clone(),
            preset: row.preset.clone(),
            host: settings.remove("host"),
            address: settings.remove("address"),
            to: settings.remove("to"),
            from: settings.remove("from"),
            chat_id: settings.remove("chatId"),
            user_name: settings.remove("userName"),
            template: settings.remove("template"),
            content_type: settings.remove("contentType"),
            verified: row.verified,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// What is said of a contact method; what is left out stays as it is.
#[derive(Clone, Default)]
pub struct Change {
    /// Another name.
    pub name: Option<String>,
    /// Of a new one.
    pub kind: Option<&'static str>,
    /// Another preset.
    pub preset: Option<&'static str>,
    /// Where it leads and with what, by the names of the fields. An empty text takes a value away.
    pub fields: BTreeMap<&'static str, String>,
    /// Does it work?
    pub verified: Option<bool>,
}

impl Change {
    /// Reads a body; of a new one name and type are required.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value, new: bool) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        if new {
            fields.require("name");
            fields.require("type");
        }
        let mut change = Self {
            name: fields.name("name", LONGEST_NAME),
            kind: fields.one_of("type", &KINDS),
            preset: fields.one_of("preset", &PRESETS.map(|preset| preset.name)),
            fields: BTreeMap::new(),
            verified: fields.boolean("verified"),
        };
        for name in FIELDS {
            let longest = match name {
                "template" => crate::sender::template::LONGEST,
                "url" | "password" | "token" => LONGEST,
                _ => LONGEST_NAME,
            };
            let Some(text) = fields.text_max(name, longest) else { continue };
            let is_line = |letter: char| name == "template" && matches!(letter, '\n' | '\r' | '\t');
            if text.chars().any(|letter| letter.is_control() && !is_line(letter)) {
                fields.error(name, "must not contain control characters");
            }
            // The blanks around a template may be wanted; one of blanks alone is none.
            let kept = if name == "template" && !text.trim().is_empty() { text.as_str() } else { text.trim() };
            change.fields.insert(name, kept.to_owned());
        }
        fields.finish().map(|()| change)
    }
}
