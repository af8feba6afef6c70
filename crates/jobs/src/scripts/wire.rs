//! What clients see and say of scripts ("Scripts of jobs" in `docs/interface.md`).

use api::Request;
use base::{
    Fields,
    body::FromBody,
    problem::{Kind, Problem},
    timestamp::Timestamp,
};
use ports::{Author, Authors};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::row;

/// The largest script, in bytes.
pub const LARGEST: usize = 1 << 20;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

/// The most platforms of one script.
const MOST_PLATFORMS: usize = 20;

/// What a script may be run with.
pub const INTERPRETERS: [&str; 7] = ["sh", "bash", "python3", "perl", "ruby", "node", "pwsh"];

api::path_number! {
    /// The script's number.
    pub ScriptId = "scriptId", 7
}

/// A script of the library. Lists leave `content` out.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobScript)]
pub struct Script {
    /// What `script.customScript.id` of a job takes.
    #[schema(example = 7)]
    pub id: i64,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// Unique in its tenant, whatever the letter case.
    #[schema(example = "Clean up temporary files")]
    pub name: String,
    /// What it does; left out when it does not say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// What it runs on; empty for everything.
    #[schema(example = json!(["LINUX"]))]
    pub platforms: Vec<String>,
    /// What it is run with.
    #[schema(example = "sh")]
    pub interpreter: String,
    /// Its length, in bytes.
    pub size: i64,
    /// The text; left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Who created it.
    pub created_by: Author,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

impl Script {
    /// As it is shown, with its content or without.
    pub fn new(row: &row::Script, authors: &Authors, whole: bool) -> Self {
        Self {
            id: row.id,
            client_unique_id: row.tenant_id.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            platforms: row.platforms.0.clone(),
            interpreter: row.interpreter.clone(),
            size: row.bytes,
            content: whole.then(|| row.content.clone()),
            created_by: authors.of(&row.created_by),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_by: authors.of(&row.updated_by),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// A script to create.
#[derive(Clone, Debug, Request)]
#[request(schema = "JobScriptInput", example = json!({
    "name": "Clean up temporary files", "platforms": ["LINUX"], "interpreter": "sh",
    "content": "find /tmp -user \"$(id -un)\" -mtime +7 -delete\n"
}))]
#[request(update(
    name = ScriptChange,
    schema = "JobScriptUpdate",
    doc = "The changes to a script; what is left out stays as it is."
))]
pub struct NewScript {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// What it runs on; without any, everything.
    #[request(with = platforms, items = 0..=MOST_PLATFORMS, pattern = r"^\s*[A-Za-z0-9_.-][A-Za-z0-9_. -]{0,39}\s*$")]
    pub platforms: Option<Vec<String>>,
    /// `sh` (default), `bash`, `python3`, `perl`, `ruby`, `node` or `pwsh`.
    #[request(words = INTERPRETERS)]
    pub interpreter: Option<&'static str>,
    /// The text, at most 1 MiB.
    #[request(filled, chars = LARGEST, parse = text)]
    pub content: String,
}

/// A new script is a change of one of which nothing is said.
impl From<NewScript> for ScriptChange {
    fn from(new: NewScript) -> Self {
        Self {
            name: Some(new.name),
            description: new.description,
            platforms: new.platforms,
            interpreter: new.interpreter,
            content: Some(new.content),
        }
    }
}

/// A body with a script; one of more than 1 MiB is a 413.
#[derive(Debug)]
pub struct OfScript<T>(pub T);

impl<T: base::body::Request> FromBody for OfScript<T> {
    fn from_body(body: Value) -> Result<Self, Problem> {
        if body.get("content").and_then(Value::as_str).is_some_and(|content| content.len() > LARGEST) {
            return Err(Problem::new(Kind::TooLarge, "The script is larger than 1 MiB."));
        }
        T::parse(&body).map(Self)
    }
}

fn text(text: String) -> Result<String, &'static str> {
    if text.contains('\0') { Err("must not contain a NUL character") } else { Ok(text) }
}

fn platforms(fields: &mut Fields<'_>, name: &str) -> Option<Vec<String>> {
    let mut given: Vec<String> = fields.texts(name)?.iter().map(|name| name.trim().to_ascii_uppercase()).collect();
    if given.len() > MOST_PLATFORMS {
        fields.error(name, format!("must have at most {MOST_PLATFORMS} elements"));
    }
    let plain = |name: &String| {
        (1..=40).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte))
    };
    if !given.iter().all(plain) {
        fields.error(name, "must be names such as LINUX, of at most 40 letters, digits, blanks and _ - .");
    }
    let mut seen = std::collections::HashSet::new();
    given.retain(|name| seen.insert(name.clone()));
    Some(given)
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn one_byte_more_than_a_mebibyte_is_too_large() {
        let body = |size: usize| json!({"name": "a", "content": "x".repeat(size)});
        assert_eq!(OfScript::<NewScript>::from_body(body(LARGEST)).unwrap().0.content.len(), LARGEST);
        assert_eq!(OfScript::<NewScript>::from_body(body(LARGEST + 1)).unwrap_err().kind, Kind::TooLarge);
    }

    #[test]
    fn every_wrong_field_is_listed() {
        fn errors<T: base::body::Request>(body: &Value) -> Vec<String> {
            let problem = OfScript::<T>::from_body(body.clone()).err().unwrap();
            problem.errors.into_iter().map(|error| error.field_name).collect()
        }
        assert_eq!(errors::<NewScript>(&json!({})), ["name", "content"]);
        let wrong = json!({"name": " ", "platforms": ["a/b"], "interpreter": "cmd", "content": ""});
        assert_eq!(errors::<ScriptChange>(&wrong), ["name", "platforms", "interpreter", "content"]);
        assert!(ScriptChange::parse(&json!({})).unwrap().name.is_none());
    }
}
