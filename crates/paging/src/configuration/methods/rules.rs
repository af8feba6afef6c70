//! What a contact method may be. Pure.

use std::collections::BTreeMap;

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::Json;

use super::{
    row::{Destination, Method},
    template,
    wire::{EMAIL, HTTP, MethodChange, PRESETS},
};

/// How many contact methods a person has at most.
pub const MOST: i64 = 20;
/// How long a code is good for.
pub const CODE_MS: i64 = 15 * 60_000;
/// How many wrong codes are taken before a new one is needed.
pub const TRIES: i64 = 5;

/// The fields of a destination that are secrets, or may be.
pub const SECRETS: [&str; 3] = ["url", "password", "token"];

/// 404: no such contact method, or it is somebody else's.
pub fn unknown() -> Problem {
    Problem::not_found("The contact method was not found.")
}

/// 404: no such user, in any tenant that the caller sees.
pub fn no_user() -> Problem {
    Problem::not_found("The user was not found.")
}

/// A new method of a person, and where it leads.
pub fn created(tenant: &str, user: &str, new: &MethodChange, now: Timestamp) -> (Method, Destination) {
    let kind = new.kind.unwrap_or(HTTP);
    let preset = if kind == EMAIL { "" } else { new.preset.unwrap_or(PRESETS[0].name) };
    let row = Method {
        tenant_id: tenant.to_owned(),
        id: format!("CM-{}", uuid::Uuid::now_v7()),
        version: 1,
        user_id: user.to_owned(),
        name: new.name.clone().unwrap_or_default(),
        kind: kind.to_owned(),
        preset: preset.to_owned(),
        settings: Json::default(),
        sealed: String::new(),
        verified: new.verified.unwrap_or(false),
        code_hash: String::new(),
        code_until_ms: 0,
        code_tries: 0,
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    (row, laid_over(&Destination::new(), &new.destination()))
}

/// The method after a change, and where it leads then; `before` is where it led. One that leads elsewhere has to be
/// verified again.
///
/// # Errors
/// 400 for another type.
pub fn changed(
    old: &Method,
    before: &Destination,
    change: &MethodChange,
    now: Timestamp,
) -> Result<(Method, Destination), Problem> {
    if change.kind.is_some_and(|kind| kind != old.kind) {
        return Err(Problem::field("type", "cannot be changed: add another contact method"));
    }
    let destination = laid_over(before, &change.destination());
    let preset = change.preset.filter(|_| old.kind == HTTP).unwrap_or(&old.preset).to_owned();
    // Another text is not another place.
    let place = |destination: &Destination| {
        let mut place = destination.clone();
        place.retain(|name, _| name != "template" && name != "contentType");
        place
    };
    let leads_there = place(&destination) == place(before) && preset == old.preset;
    let row = Method {
        version: old.version + 1,
        name: change.name.clone().unwrap_or_else(|| old.name.clone()),
        preset,
        verified: change.verified.unwrap_or(old.verified && leads_there),
        code_hash: if leads_there { old.code_hash.clone() } else { String::new() },
        updated_ms: now.millis(),
        ..old.clone()
    };
    Ok((row, destination))
}

/// Lays what was said over what is stored. Credentials do not follow to another host: who may change an address must
/// not thereby learn what is sent there.
pub fn laid_over(stored: &Destination, said: &BTreeMap<&'static str, String>) -> Destination {
    let mut merged = stored.clone();
    let moved = said.get("url").is_some_and(|url| origin(Some(url)) != origin(stored.get("url")));
    if moved {
        merged.remove("password");
        merged.remove("token");
    }
    for (name, text) in said {
        if text.is_empty() {
            merged.remove(*name)
        } else {
            merged.insert((*name).to_owned(), text.clone())
        };
    }
    merged
}

fn origin(url: Option<&String>) -> Option<String> {
    Some(url::Url::parse(url?).ok()?.origin().ascii_serialization())
}

/// The host of a URL, which is all that is shown of it.
pub fn host(url: &str) -> Option<String> {
    Some(url::Url::parse(url).ok()?.host_str()?.to_owned())
}

/// What a template makes of a message. To find out takes a while, and is not work for the thread that writes to the
/// database.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The template.
    pub template: String,
    made: Result<String, String>,
}

impl Trial {
    /// Tries a template on a message.
    pub fn of(template: String) -> Self {
        let made = template::render(&template, &example());
        Self { template, made }
    }
}

/// Checks where a method leads; `check_url` says whether a URL may be called. `trial` is that of its template, where
/// template or media type are new.
///
/// # Errors
/// 400 that lists every field that is missing, is not one of its kind, or leads where nothing may be sent.
pub fn check(
    kind: &str,
    preset: &str,
    destination: &Destination,
    trial: Option<&Trial>,
    check_url: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Problem> {
    let mut wrong = Vec::new();
    let has = |name: &str| destination.contains_key(name);
    let known = PRESETS.iter().find(|known| known.name == preset);
    let needs: &[&str] = if kind == EMAIL { &["address"] } else { known.map_or(&[], |known| known.needs) };
    let url = (kind == HTTP).then_some("url");
    for name in url.into_iter().chain(needs.iter().copied()).filter(|name| !has(name)) {
        wrong.push(FieldError::new(name, "is required"));
    }
    let of_other_kind: &[&str] = if kind == EMAIL {
        &["url", "to", "from", "chatId", "userName", "password", "token", "template", "contentType"]
    } else {
        &["address"]
    };
    for name in of_other_kind.iter().filter(|name| has(name)) {
        wrong.push(FieldError::new(*name, format!("is not a field of the type {kind}")));
    }
    if has("password") != has("userName") {
        let missing = if has("password") { "userName" } else { "password" };
        if !wrong.iter().any(|error| error.field_name == missing) {
            wrong.push(FieldError::new(missing, "goes with the other half of HTTP Basic"));
        }
    }
    if has("password") && has("token") {
        wrong.push(FieldError::new("token", "takes the place that userName and password have already"));
    }
    if destination.get("userName").is_some_and(|name| name.contains(':')) {
        wrong.push(FieldError::new("userName", "must not contain a colon, which ends it in HTTP Basic"));
    }
    if let Some(Err(message)) = destination.get("url").filter(|_| kind == HTTP).map(|url| check_url(url)) {
        wrong.push(FieldError::new("url", message));
    }
    if let Some(address) = destination.get("address").filter(|_| kind == EMAIL)
        && !is_address(address)
    {
        wrong.push(FieldError::new("address", "must be an address such as ann@example.net"));
    }
    for name in ["to", "from"] {
        if let Some(number) = destination.get(name)
            && !is_number(number)
        {
            wrong.push(FieldError::new(name, "must be a number such as +4366012345678, or a short sender name"));
        }
    }
    wrong.extend(template_errors(preset, destination, trial));
    if wrong.is_empty() { Ok(()) } else { Err(Problem::fields(wrong)) }
}

/// What is wrong with a template.
fn template_errors(preset: &str, destination: &Destination, trial: Option<&Trial>) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let given = ["template", "contentType"].into_iter().filter(|name| destination.contains_key(*name));
    if !preset.is_empty() && preset != PRESETS[0].name {
        wrong
            .extend(given.map(|name| FieldError::new(name, format!("goes with the preset {} alone", PRESETS[0].name))));
        return wrong;
    }
    let kind = destination.get("contentType");
    match destination.get("template") {
        None => wrong.extend(kind.map(|_| FieldError::new("contentType", "goes with a template alone"))),
        Some(_) => {
            if kind.is_some_and(|kind| !is_media_type(kind)) {
                wrong.push(FieldError::new("contentType", "must be a media type such as text/plain"));
            }
            match trial.map(|trial| &trial.made) {
                Some(Err(error)) => wrong.push(FieldError::new("template", error.clone())),
                Some(Ok(body)) if kind.is_none() && serde_json::from_str::<serde_json::Value>(body).is_err() => {
                    let told = "makes no JSON of a message: show texts by the filter json, or name another contentType";
                    wrong.push(FieldError::new("template", told));
                }
                Some(Ok(_)) | None => {}
            }
        }
    }
    wrong
}

/// A message as a template finds it.
fn example() -> serde_json::Value {
    serde_json::json!({
        "id": "PG-0", "kind": "page", "title": "[Critical] Load is \"31\" (web-01)",
        "text": "[Critical] Load is \"31\" (web-01)\nSince now",
        "details": ["Since now", "Policy: Web team"], "urgency": "high", "policy": "Web team", "step": 1,
        "conversation": "CNV-0",
        "link": "https://muster.example/api/v2/answers?token=0", "alert": {"id": "ALT-0", "subject": "Load is \"31\"",
        "currentState": "Critical", "device": {"id": "0", "name": "web-01"}, "clientUniqueId": "client_1"},
    })
}

fn is_media_type(text: &str) -> bool {
    let part = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let (kind, parameter) = text.split_once(';').unwrap_or((text, "charset=utf-8"));
    let charset = parameter.trim().eq_ignore_ascii_case("charset=utf-8");
    charset && kind.trim().split_once('/').is_some_and(|(kind, subtype)| part(kind) && part(subtype))
}

/// An address of electronic mail that cannot be taken for anything else on its way: no quotes, no comments, no routes.
pub fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_local = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(letter);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 254
        && (1..=64).contains(&local.len())
        && local.chars().all(is_local)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && domain.split('.').all(is_label)
}

fn is_number(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-() .:@_".contains(&byte))
}

#[cfg(test)]
mod tests;
