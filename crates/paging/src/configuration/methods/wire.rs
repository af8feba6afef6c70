//! What clients send and see of contact methods.

use std::collections::BTreeMap;

use api::Request;
use base::{Fields, body::Request, secret::Secret, timestamp::Timestamp};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, schema::Schema},
};

use super::template;

/// The longest name, address or number.
const LONGEST_NAME: usize = 200;
/// The longest URL, password or token.
const LONGEST: usize = 2_000;

/// What there is.
pub const KINDS: [&str; 2] = [HTTP, EMAIL];
/// A call of a URL.
pub const HTTP: &str = "HTTP";
/// A mail.
pub const EMAIL: &str = "EMAIL";

/// A service that is called in a way of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// On the wire.
    pub name: &'static str,
    /// What it cannot do without, beside the URL.
    pub needs: &'static [&'static str],
}

/// All of them; the first is the one that is taken when none is named.
pub const PRESETS: [Preset; 11] = [
    Preset { name: "webhook", needs: &[] },
    Preset { name: "ntfy", needs: &[] },
    Preset { name: "slack", needs: &[] },
    Preset { name: "mattermost", needs: &[] },
    Preset { name: "teams", needs: &[] },
    Preset { name: "discord", needs: &[] },
    Preset { name: "telegram", needs: &["chatId"] },
    Preset { name: "sms", needs: &["to"] },
    Preset { name: "twilio", needs: &["to", "from", "userName", "password"] },
    Preset { name: "voice", needs: &["to"] },
    Preset { name: "twilioVoice", needs: &["to", "from", "userName", "password"] },
];

const PRESET_NAMES: [&str; PRESETS.len()] = {
    let mut names = [""; PRESETS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = PRESETS[place].name;
        place += 1;
    }
    names
};

api::path_id! {
    /// `USR` and ten digits
    pub PersonId = "userId", "USR0000000007", |text: &str| text.trim().to_ascii_uppercase()
}

api::path_id! {
    /// `CM-<uuid>`
    pub ContactMethodId = "contactMethodId", "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// The id of a method in the spelling in which it is stored.
pub fn normal_id(text: &str) -> String {
    base::text::spelled(text, "CM-")
}

/// A way to reach somebody.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "CM-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "user": {"id": "USR0000000007"}, "name": "My phone",
    "type": "HTTP",
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
    #[schema(pattern = "^(HTTP|EMAIL)$")]
    pub kind: String,
    /// Of `HTTP`: the kind of service that is called.
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
    /// The user name of HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    /// The template that makes the body of a `webhook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Of a template that makes no JSON: the media type of what it makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Whether it was shown to work. Until then nothing but its code is sent to it.
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

/// What may stand in a number, or in the short name of a sender; nothing takes it away.
const NUMBER: &str = r"^\s*[A-Za-z0-9+() .:@_-]{0,40}\s*$";

/// A way to reach somebody. Which fields are needed depends on `type` and `preset`; what is left out of an update stays
/// as it is, and an empty text takes a value away.
#[derive(Clone, Debug, Request)]
#[request(schema = "ContactMethodUpdate", example = json!({
    "name": "My phone", "type": "HTTP", "preset": "ntfy", "url": "https://ntfy.example.net/a-long-random-topic"
}))]
pub struct MethodChange {
    /// What its owner calls it.
    #[request(line, chars = LONGEST_NAME)]
    pub name: Option<String>,
    /// `HTTP` or `EMAIL`; it stays what it was when it was made.
    #[request(name = "type", words = KINDS)]
    pub kind: Option<&'static str>,
    /// Of `HTTP`: `webhook` (default), `ntfy`, `slack`, `mattermost`, `teams`, `discord`, `telegram`, `sms`, `twilio`,
    /// `voice` or `twilioVoice`.
    #[request(words = PRESET_NAMES)]
    pub preset: Option<&'static str>,
    /// Of `HTTP`: what is called. Never shown, because it may be a secret.
    #[request(chars = LONGEST, from = String, parse = hidden)]
    pub url: Option<Secret<String>>,
    /// Of `EMAIL`: the address.
    #[request(chars = LONGEST_NAME, parse = plain)]
    pub address: Option<String>,
    /// Of `sms`, `twilio`, `voice` and `twilioVoice`: the number that is called.
    #[request(chars = LONGEST_NAME, parse = plain, pattern = NUMBER)]
    pub to: Option<String>,
    /// Of `twilio` and `twilioVoice`, and optionally of `sms` and `voice`: the number that calls.
    #[request(chars = LONGEST_NAME, parse = plain, pattern = NUMBER)]
    pub from: Option<String>,
    /// Of `telegram`: the chat.
    #[request(chars = LONGEST_NAME, parse = plain)]
    pub chat_id: Option<String>,
    /// Sent as HTTP Basic, with `password`.
    #[request(chars = LONGEST_NAME, parse = plain)]
    pub user_name: Option<String>,
    /// Never shown.
    #[request(chars = LONGEST, from = String, parse = hidden)]
    pub password: Option<Secret<String>>,
    /// Sent as a bearer token. Never shown.
    #[request(chars = LONGEST, from = String, parse = hidden)]
    pub token: Option<Secret<String>>,
    /// Of `webhook`: makes the body, in the language of Jinja with `if` and `for`.
    #[request(chars = template::LONGEST, parse = of_lines)]
    pub template: Option<String>,
    /// Of a template that makes no JSON: the media type of what it makes, such as `text/plain`.
    #[request(chars = LONGEST_NAME, parse = plain)]
    pub content_type: Option<String>,
    /// Marks it as working, which only admins may do. Its owner verifies it by the code that is sent to it.
    pub verified: Option<bool>,
}

impl MethodChange {
    /// Where it is to lead and with what, by the names of the fields. An empty text takes a value away.
    pub fn destination(&self) -> BTreeMap<&'static str, String> {
        let secret = |text: &Option<Secret<String>>| text.as_ref().map(|text| text.expose().clone());
        let given = [
            ("url", secret(&self.url)),
            ("address", self.address.clone()),
            ("to", self.to.clone()),
            ("from", self.from.clone()),
            ("chatId", self.chat_id.clone()),
            ("userName", self.user_name.clone()),
            ("password", secret(&self.password)),
            ("token", secret(&self.token)),
            ("template", self.template.clone()),
            ("contentType", self.content_type.clone()),
        ];
        given.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
    }
}

/// A contact method to create: name and type are required.
#[derive(Clone, Debug)]
pub struct NewMethod(pub MethodChange);

/// What a create needs.
const REQUIRED: [&str; 2] = ["name", "type"];

impl Request for NewMethod {
    fn read(fields: &mut Fields<'_>) -> Self {
        for name in REQUIRED {
            fields.require(name);
        }
        Self(MethodChange::read(fields))
    }
}

impl PartialSchema for NewMethod {
    fn schema() -> RefOr<Schema> {
        api::spec::requiring(MethodChange::schema(), &REQUIRED)
    }
}

impl ToSchema for NewMethod {
    fn name() -> std::borrow::Cow<'static, str> {
        "ContactMethodInput".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        MethodChange::schemas(schemas);
    }
}

fn plain(text: String) -> Result<String, &'static str> {
    if text.chars().any(char::is_control) {
        return Err(CONTROL);
    }
    Ok(text.trim().to_owned())
}

fn hidden(text: String) -> Result<Secret<String>, &'static str> {
    plain(text).map(Secret::new)
}

/// The blanks around a template may be wanted; one of blanks alone is none.
fn of_lines(text: String) -> Result<String, &'static str> {
    if text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')) {
        return Err(CONTROL);
    }
    Ok(if text.trim().is_empty() { String::new() } else { text })
}

/// Of a text with letters that nobody sees.
const CONTROL: &str = "must not contain control characters";
