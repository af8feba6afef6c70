//! What clients see and say of scripts ("Scripts of jobs" in `docs/interface.md`).

use base::{
    Fields,
    problem::{Kind, Problem},
    timestamp::Timestamp,
};
use ports::{Author, Authors};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;

/// The largest script, in bytes.
pub const LARGEST: usize = 1 << 20;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

/// The most platforms of one script.
const MOST_PLATFORMS: usize = 20;

/// What a script may be run with.
pub const INTERPRETERS: [&str; 7] = ["sh", "bash", "python3", "perl", "ruby", "node", "pwsh"];

/// A script of the library. Lists leave `content` out.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobScript)]
pub struct Script {
    /// What `script.customScript.id` of a job takes.
    #[schema(example = 7)]
    pub id: i64,
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
    pub fn new(row: &store::Script, authors: &Authors, whole: bool) -> Self {
        Self {
            id: row.id,
            name: row.name.clone(),
            description: row.description.clone(),
            platforms: serde_json::from_str(&row.platforms).unwrap_or_default(),
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

/// A script to create, or what of one changes.
#[derive(Clone, Debug, Default)]
pub struct ScriptChange {
    /// Without blanks around it.
    pub name: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// In capitals.
    pub platforms: Option<Vec<String>>,
    /// One of [`INTERPRETERS`].
    pub interpreter: Option<&'static str>,
    /// The text.
    pub content: Option<String>,
}

/// A script to create; of an update, every field may be left out.
#[derive(ToSchema)]
#[schema(as = JobScriptInput, example = json!({
    "name": "Clean up temporary files", "platforms": ["LINUX"], "interpreter": "sh",
    "content": "find /tmp -user \"$(id -un)\" -mtime +7 -delete\n"
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ScriptInput {
    /// Unique in the tenant, whatever the letter case; at most 200 characters.
    name: String,
    /// What it does; at most 4,000 characters.
    description: Option<String>,
    /// What it runs on; without any, everything.
    #[schema(max_items = 20)]
    platforms: Option<Vec<String>>,
    /// `sh` (default), `bash`, `python3`, `perl`, `ruby`, `node` or `pwsh`.
    interpreter: Option<String>,
    /// The text, at most 1 MiB.
    content: String,
}

impl ScriptChange {
    /// Reads a body; of a new script, name and content are required.
    ///
    /// # Errors
    /// 413 for a content of more than 1 MiB; 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value, is_new: bool) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        if fields.value("content").and_then(Value::as_str).is_some_and(|content| content.len() > LARGEST) {
            return Err(Problem::new(Kind::TooLarge, "The script is larger than 1 MiB."));
        }
        let name = (is_new || fields.has("name")).then(|| name(&mut fields));
        let description = fields.text("description");
        let platforms = platforms(&mut fields);
        let interpreter = fields.one_of("interpreter", &INTERPRETERS);
        if is_new {
            fields.require("content");
        }
        let content = fields.text_max("content", LARGEST);
        if content.as_ref().is_some_and(|content| content.trim().is_empty()) {
            fields.error("content", "is required");
        }
        if content.as_ref().is_some_and(|content| content.contains('\0')) {
            fields.error("content", "must not contain a NUL character");
        }
        fields.finish()?;
        Ok(Self { name, description, platforms, interpreter, content })
    }
}

/// A name without blanks around it; what is wrong with it is noted.
pub fn name(fields: &mut Fields<'_>) -> String {
    let name = fields.required_text("name").trim().to_owned();
    if name.chars().nth(LONGEST_NAME).is_some() {
        fields.error("name", format!("must have at most {LONGEST_NAME} characters"));
    } else if name.chars().any(char::is_control) {
        fields.error("name", "must not contain control characters");
    }
    name
}

fn platforms(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let mut given: Vec<String> =
        fields.texts("platforms")?.iter().map(|name| name.trim().to_ascii_uppercase()).collect();
    if given.len() > MOST_PLATFORMS {
        fields.error("platforms", format!("must have at most {MOST_PLATFORMS} elements"));
    }
    let plain = |name: &String| {
        (1..=40).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte))
    };
    if !given.iter().all(plain) {
        fields.error("platforms", "must be names such as LINUX, of at most 40 letters, digits, blanks and _ - .");
    }
    let mut seen = std::collections::HashSet::new();
    given.retain(|name| seen.insert(name.clone()));
    Some(given)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_byte_more_than_a_mebibyte_is_too_large() {
        let body = |size: usize| json!({"name": "a", "content": "x".repeat(size)});
        assert_eq!(ScriptChange::read(&body(LARGEST), true).unwrap().content.unwrap().len(), LARGEST);
        assert_eq!(ScriptChange::read(&body(LARGEST + 1), true).unwrap_err().kind, Kind::TooLarge);
    }

    #[test]
    fn every_wrong_field_is_listed() {
        let errors = |body: Value, is_new| -> Vec<String> {
            let problem = ScriptChange::read(&body, is_new).unwrap_err();
            problem.errors.into_iter().map(|error| error.field_name).collect()
        };
        assert_eq!(errors(json!({}), true), ["name", "content"]);
        let wrong = json!({"name": " ", "platforms": ["a/b"], "interpreter": "cmd", "content": ""});
        assert_eq!(errors(wrong, false), ["name", "platforms", "interpreter", "content"]);
        assert!(ScriptChange::read(&json!({}), false).unwrap().name.is_none());
    }
}
