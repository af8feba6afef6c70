//! A notifier: where calls go, and with which credentials.

use std::collections::{BTreeMap, BTreeSet};

use api::Request;
use base::{Fields, secret::Secret};
use outbox::Unpublished;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::egress::Guard;

/// The longest user name, key, password or secret.
const LONGEST: usize = 4_000;

/// The words of `type`, `authType` and `grantType`.
const KINDS: [&str; 2] = ["REST_API", "SOAP_API"];
const AUTH_TYPES: [&str; 3] = ["BASIC", "OAUTH2", "NONE"];
const GRANT_TYPES: [&str; 3] = ["CLIENT_CREDENTIALS", "PASSWORD", "REFRESH_TOKEN"];

/// The fields of a notifier that are secrets: taken, never shown.
pub const SECRETS: [&str; 3] = ["password", "apiKey", "apiSecret"];

/// A notifier, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"type": "REST_API", "baseURI": "https://example.net/api", "authType": "BASIC",
    "userName": "muster"}))]
pub struct Notifier {
    /// `REST_API` or `SOAP_API`, which sends `text/xml`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(REST_API|SOAP_API)$")]
    pub kind: String,
    /// What `endPointURI` is joined to.
    #[serde(rename = "baseURI")]
    pub base_uri: String,
    /// `BASIC`, `OAUTH2` or `NONE`.
    #[schema(pattern = "^(BASIC|OAUTH2|NONE)$")]
    pub auth_type: String,
    /// With `OAUTH2`: `CLIENT_CREDENTIALS`, `PASSWORD` or `REFRESH_TOKEN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^(CLIENT_CREDENTIALS|PASSWORD|REFRESH_TOKEN)$")]
    pub grant_type: Option<String>,
    /// The user name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    /// Where tokens are requested.
    #[serde(default, rename = "accessTokenURL", skip_serializing_if = "Option::is_none")]
    pub access_token_url: Option<String>,
}

/// A notifier to set. Which fields are required depends on `authType` and `grantType`; those that it does not take are
/// not read.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(example = json!({
    "type": "REST_API", "baseURI": "https://example.net/api", "authType": "BASIC", "userName": "muster", "password": "…"
}))]
pub struct NotifierInput {
    /// `REST_API` (default) or `SOAP_API`.
    #[request(name = "type", words = KINDS, default = "REST_API")]
    kind: &'static str,
    /// An `https` or `http` URL.
    #[request(name = "baseURI", filled, parse = trimmed)]
    base_uri: String,
    /// `BASIC`, `OAUTH2` or `NONE` (default).
    #[request(words = AUTH_TYPES, default = "NONE")]
    auth_type: &'static str,
    /// Required with `OAUTH2`: `CLIENT_CREDENTIALS`, `PASSWORD` or `REFRESH_TOKEN`.
    #[request(with = grant_type, words = GRANT_TYPES)]
    grant_type: Option<&'static str>,
    /// Required with `BASIC`, and with `OAUTH2` and `PASSWORD` or `REFRESH_TOKEN`.
    #[request(with = user_name)]
    user_name: Option<String>,
    /// Required as `userName` is. Never shown.
    #[request(with = password, chars = LONGEST, schema = String)]
    password: Option<Secret<String>>,
    /// Required with `OAUTH2`. Never shown.
    #[request(with = of_oauth2, chars = LONGEST, schema = String)]
    api_key: Option<Secret<String>>,
    /// Required with `OAUTH2`. Never shown.
    #[request(with = of_oauth2, chars = LONGEST, schema = String)]
    api_secret: Option<Secret<String>>,
    /// Required with `OAUTH2`; `accessTokenURI` is taken too.
    #[request(name = "accessTokenURL", also = ["accessTokenURI"], with = token_url, schema = String)]
    access_token_url: Option<Named>,
}

/// A text, with the name under which it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    field: String,
    text: String,
}

impl NotifierInput {
    /// The notifier, and its secrets. What leads to where no call may go is refused by the name of its field; URLs that
    /// the `stored` one has, given as [`Notifier::to_body`], may be written back, though they are refused since.
    pub fn checked(
        self,
        stored: Option<&Value>,
        guard: &Guard,
        mut refuse: impl FnMut(&str, String),
    ) -> Option<(Notifier, Secrets)> {
        let is_stored = |name: &str, url: &str| stored.is_some_and(|stored| stored[name] == *url);
        let mut leads_on = |name: &str, field: &str, url: &str| {
            let checked = if url.is_empty() || is_stored(name, url) { Ok(()) } else { guard.url(url).map(drop) };
            checked.map_err(|wrong| refuse(field, wrong)).is_ok() && !url.is_empty()
        };
        let is_whole = leads_on("baseURI", "baseURI", &self.base_uri);
        if let Some(url) = &self.access_token_url {
            leads_on("accessTokenURL", &url.field, &url.text);
        }
        let secrets = [("password", self.password), ("apiKey", self.api_key), ("apiSecret", self.api_secret)];
        let secrets = secrets.into_iter().filter_map(|(name, secret)| Some((name.to_owned(), secret?)));
        let secrets = Secrets(secrets.collect());
        let notifier = Notifier {
            kind: self.kind.to_owned(),
            base_uri: self.base_uri,
            auth_type: self.auth_type.to_owned(),
            grant_type: self.grant_type.map(ToOwned::to_owned),
            user_name: self.user_name,
            access_token_url: self.access_token_url.map(|url| url.text).filter(|text| !text.is_empty()),
        };
        is_whole.then_some((notifier, secrets))
    }
}

fn trimmed(text: String) -> Result<String, &'static str> {
    Ok(text.trim().to_owned())
}

/// Does a field say one of these words?
fn says(fields: &Fields<'_>, name: &str, words: &[&str]) -> bool {
    let given = fields.value(name).and_then(Value::as_str);
    given.is_some_and(|given| words.iter().any(|word| word.eq_ignore_ascii_case(given)))
}

fn is_oauth2(fields: &Fields<'_>) -> bool {
    says(fields, "authType", &["OAUTH2"])
}

fn has_user(fields: &Fields<'_>) -> bool {
    says(fields, "authType", &["BASIC"])
        || is_oauth2(fields) && says(fields, "grantType", &["PASSWORD", "REFRESH_TOKEN"])
}

fn grant_type(fields: &mut Fields<'_>, name: &str) -> Option<&'static str> {
    if !is_oauth2(fields) {
        return None;
    }
    fields.require(name);
    fields.one_of(name, &GRANT_TYPES)
}

fn user_name(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    if !has_user(fields) {
        return None;
    }
    let given = fields.required_text(name);
    if given.contains(':') && says(fields, "authType", &["BASIC"]) {
        fields.error(name, "must not contain a colon, which ends it in HTTP Basic");
    }
    Some(given)
}

fn password(fields: &mut Fields<'_>, name: &str) -> Option<Secret<String>> {
    if has_user(fields) { secret(fields, name) } else { None }
}

fn of_oauth2(fields: &mut Fields<'_>, name: &str) -> Option<Secret<String>> {
    if is_oauth2(fields) { secret(fields, name) } else { None }
}

fn secret(fields: &mut Fields<'_>, name: &str) -> Option<Secret<String>> {
    fields.require(name);
    let text = fields.text_max(name, LONGEST)?;
    if text.is_empty() {
        fields.error(name, "is required");
    } else if text.chars().any(char::is_control) {
        fields.error(name, "must not contain control characters");
    }
    Some(Secret::new(text))
}

fn token_url(fields: &mut Fields<'_>, name: &str) -> Option<Named> {
    is_oauth2(fields).then(|| Named { field: name.to_owned(), text: fields.required_text(name).trim().to_owned() })
}

/// Secrets by their names: those of a notifier, and `header:<name>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets(pub BTreeMap<String, Secret<String>>);

impl Secrets {
    /// One of them.
    pub fn get(&self, name: &str) -> Option<&Secret<String>> {
        self.0.get(name)
    }

    /// Which of them are others in `after`, as the audit log has it: those of a notifier under the field that holds it,
    /// those of headers under `headers`.
    pub fn changes(&self, after: &Self, notifier: &str) -> Vec<Unpublished> {
        let names: BTreeSet<&String> = self.0.keys().chain(after.0.keys()).collect();
        let changed = names.into_iter().filter(|name| self.get(name) != after.get(name));
        let noted = changed.map(|name| {
            let shown = match name.strip_prefix("header:") {
                Some(header) => format!("headers.{header}"),
                None => format!("{notifier}.{name}"),
            };
            Unpublished::secret(shown, self.get(name).is_some(), after.get(name).is_some())
        });
        noted.collect()
    }

    /// The text to seal; empty when there are no secrets.
    pub fn to_sealable(&self) -> Option<Secret<String>> {
        let map: Map<String, Value> =
            self.0.iter().map(|(name, secret)| (name.clone(), json!(secret.expose()))).collect();
        (!map.is_empty()).then(|| Secret::new(Value::Object(map).to_string()))
    }

    /// Reads the text that [`Secrets::to_sealable`] made.
    pub fn from_sealable(text: &Secret<String>) -> Self {
        let map: BTreeMap<String, String> = serde_json::from_str(text.expose()).unwrap_or_default();
        Self(map.into_iter().map(|(name, value)| (name, Secret::new(value))).collect())
    }
}

impl Notifier {
    /// As a request body, with its secrets: the base of an update.
    pub fn to_body(&self, secrets: &Secrets) -> Value {
        let mut body = serde_json::to_value(self).unwrap_or_default();
        for name in SECRETS {
            if let (Some(secret), Value::Object(fields)) = (secrets.get(name), &mut body) {
                fields.insert(name.to_owned(), json!(secret.expose()));
            }
        }
        body
    }

    /// Does it speak XML?
    pub fn is_soap(&self) -> bool {
        self.kind == "SOAP_API"
    }
}

/// Where the calls of a notifier go: scheme, host and port.
pub fn origin_of(notifier: Option<&Notifier>) -> Option<String> {
    let url = url::Url::parse(&notifier?.base_uri).ok()?;
    Some(url.origin().ascii_serialization())
}

/// The host that the calls of a notifier go to.
pub fn host_of(notifier: Option<&Notifier>) -> Option<String> {
    Some(url::Url::parse(&notifier?.base_uri).ok()?.host_str()?.to_owned())
}

/// Lays the fields of a change over a notifier. One that leads elsewhere needs its secrets again.
pub fn laid_over(stored: &Value, change: &Value) -> Value {
    let (Some(old), Some(new)) = (stored.as_object(), change.as_object()) else { return change.clone() };
    let mut merged = old.clone();
    if leads_elsewhere(old, new) {
        SECRETS.iter().for_each(|name| drop(merged.remove(*name)));
    }
    if given(new, "accessTokenURI").is_some() {
        merged.remove("accessTokenURL");
    }
    Value::Object(merge_object(merged, new))
}

/// Does a change of a notifier lead to another host? Who may change an address must not thereby learn the credentials
/// that go there. Another `authType` sends them to another of its hosts.
pub fn leads_elsewhere(old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let origin = |value: Option<&Value>| url::Url::parse(value?.as_str()?).ok().map(|url| url.origin());
    let moved = |names: &[&str]| {
        let of = |map| origin(names.iter().find_map(|name| given(map, name)));
        names.iter().any(|name| given(new, name).is_some()) && of(new) != of(old)
    };
    let type_of = |map: &Map<String, Value>| map.get("authType").and_then(Value::as_str).map(str::to_ascii_uppercase);
    let sends_otherwise = type_of(new).is_some_and(|given| type_of(old).is_none_or(|stored| stored != given));
    moved(&["baseURI"]) || moved(&["accessTokenURL", "accessTokenURI"]) || sends_otherwise
}

/// A field of a change; `null` is absence.
pub fn given<'v>(change: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    change.get(name).filter(|value| !value.is_null())
}

/// Lays the fields of a change that have a value over those of an object.
pub fn merge_object(mut stored: Map<String, Value>, change: &Map<String, Value>) -> Map<String, Value> {
    let given = change.iter().filter(|(_, value)| !value.is_null());
    stored.extend(given.map(|(name, value)| (name.clone(), value.clone())));
    stored
}

#[cfg(test)]
mod tests;
