//! The four forms of a job's `script`, read from a body.

use base::Fields;
use serde_json::{Map, Value, json};

use super::types::{CONFIG_BACKUP, CUSTOM, NAMES};

/// What a job does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobScript {
    /// One of the types.
    pub job_type: &'static str,
    /// As clients see it; of a custom one, what the library does not know.
    pub shown: Value,
    /// Of a custom one, the script of the library.
    pub script_id: Option<i64>,
}

/// The most bytes of `parameters`.
const MOST_PARAMETERS: usize = 16_384;

const BACKUP_FLAGS: [&str; 5] = [
    "backUpTrigger",
    "startupConfigAlert",
    "runtimeConfigAlert",
    "startUpConfigFilesBackUp",
    "runTimeConfigFilesBackUp",
];

impl JobScript {
    /// Reads one; what is wrong or missing is noted, and the answer is then not to be used.
    pub fn read(fields: &mut Fields<'_>, name: &str) -> Option<Self> {
        let mut script = fields.object(name)?;
        let given = parameters(&mut script);
        let mut read = if script.has("customScript") { custom(&mut script)? } else { plain(&mut script)? };
        if let (Some(given), Some(shown)) = (given, read.shown.as_object_mut()) {
            shown.insert("parameters".to_owned(), given);
        }
        Some(read)
    }
}

/// What the script is to be given, of any form; bounded, since it travels in an environment.
fn parameters(script: &mut Fields<'_>) -> Option<Value> {
    let given = script.value("parameters").filter(|given| !given.is_null())?;
    if !(given.is_object() || given.is_array()) {
        script.error("parameters", "must be an object or an array");
    }
    if given.to_string().len() > MOST_PARAMETERS {
        script.error("parameters", format!("must have at most {MOST_PARAMETERS} bytes as JSON"));
    }
    Some(given.clone())
}

fn plain(script: &mut Fields<'_>) -> Option<JobScript> {
    script.require("jobType");
    let job_type = script.one_of("jobType", &NAMES)?;
    let mut shown = Map::new();
    shown.insert("jobType".to_owned(), json!(job_type));
    if job_type == CUSTOM {
        script.require("customScript");
    }
    if script.has("configParams") {
        if job_type == CONFIG_BACKUP {
            shown.insert("configParams".to_owned(), config(script)?);
        } else {
            script.error("configParams", format!("is for jobs of the type {CONFIG_BACKUP}"));
        }
    }
    if script.has("approvalType") {
        if job_type == CONFIG_BACKUP {
            script.error("approvalType", format!("is not for jobs of the type {CONFIG_BACKUP}"));
        } else {
            shown.insert("approvalType".to_owned(), approval(script)?);
        }
    }
    Some(JobScript { job_type, shown: Value::Object(shown), script_id: None })
}

fn custom(script: &mut Fields<'_>) -> Option<JobScript> {
    if script.has("jobType") && script.one_of("jobType", &NAMES).is_some_and(|name| name != CUSTOM) {
        script.error("jobType", format!("must be {CUSTOM} where customScript is given"));
    }
    for other in ["configParams", "approvalType"] {
        if script.has(other) {
            script.error(other, "must not stand beside customScript");
        }
    }
    let user_type = script.integer_in("userType", 0..=i64::from(i32::MAX)).unwrap_or(0);
    let id = script.object("customScript").and_then(|mut custom| {
        custom.require("id");
        custom.integer("id")
    });
    Some(JobScript { job_type: CUSTOM, shown: json!({"userType": user_type}), script_id: Some(id?) })
}

fn approval(script: &mut Fields<'_>) -> Option<Value> {
    let mut given = script.object("approvalType")?;
    let mut shown = Map::new();
    if let Some(kind) = given.integer("approvalType") {
        shown.insert("approvalType".to_owned(), json!(kind));
    }
    if let Some(reason) = given.text("approvalReason") {
        shown.insert("approvalReason".to_owned(), json!(reason));
    }
    if let Some(alert) = given.boolean("alertRequired") {
        shown.insert("alertRequired".to_owned(), json!(alert));
    }
    Some(Value::Object(shown))
}

fn config(script: &mut Fields<'_>) -> Option<Value> {
    let mut given = script.object("configParams")?;
    let mut shown = Map::new();
    let versions = match given.value("versionsSaved") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => given.text_max("versionsSaved", 40),
    };
    if let Some(versions) = versions {
        shown.insert("versionsSaved".to_owned(), json!(versions));
    }
    for name in BACKUP_FLAGS {
        if let Some(flag) = given.boolean(name) {
            shown.insert(name.to_owned(), json!(flag));
        }
    }
    Some(Value::Object(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: Value) -> Result<JobScript, Vec<String>> {
        let body = json!({"script": script});
        let mut fields = Fields::of(&body);
        let read = JobScript::read(&mut fields, "script");
        match fields.finish() {
            Ok(()) => Ok(read.unwrap()),
            Err(problem) => Err(problem.errors.into_iter().map(|error| error.field_name).collect()),
        }
    }

    #[test]
    fn each_form_comes_back_as_it_is_documented() {
        let plain = json!({"jobType": "adCheckList"});
        assert_eq!(read(json!({"jobType": "ADCHECKLIST", "other": 1})).unwrap().shown, plain);
        let approved = json!({"jobType": "appinstall",
            "approvalType": {"approvalType": 1, "approvalReason": "weekly", "alertRequired": false}});
        assert_eq!(read(approved.clone()).unwrap().shown, approved);
        let lenient = json!({"jobType": "networkconfigbackup",
            "configParams": {"versionsSaved": 3, "backUpTrigger": "TRUE"}});
        let strict = json!({"jobType": "networkconfigbackup",
            "configParams": {"versionsSaved": "3", "backUpTrigger": true}});
        assert_eq!(read(lenient).unwrap().shown, strict);
        let given = json!({"jobType": "antivirus", "parameters": [{"name": "path", "value": "/tmp"}]});
        assert_eq!(read(given.clone()).unwrap().shown, given);
        assert_eq!(read(json!({"jobType": "antivirus", "parameters": "x"})).unwrap_err(), ["script.parameters"]);
        let large = json!({"jobType": "antivirus", "parameters": ["x".repeat(MOST_PARAMETERS)]});
        assert_eq!(read(large).unwrap_err(), ["script.parameters"]);
        let custom = read(json!({"customScript": {"id": "7", "name": "ignored"}, "userType": 1})).unwrap();
        assert_eq!((custom.job_type, custom.script_id, custom.shown), (CUSTOM, Some(7), json!({"userType": 1})));
    }

    #[test]
    fn forms_do_not_mix() {
        assert_eq!(read(json!({})).unwrap_err(), ["script.jobType"]);
        assert_eq!(read(json!({"jobType": "custom"})).unwrap_err(), ["script.customScript"]);
        assert_eq!(read(json!({"jobType": "nothing"})).unwrap_err(), ["script.jobType"]);
        let mixed = json!({"jobType": "antivirus", "customScript": {}, "configParams": {}});
        assert_eq!(read(mixed).unwrap_err(), ["script.jobType", "script.configParams", "script.customScript.id"]);
        assert_eq!(read(json!({"jobType": "antivirus", "configParams": {}})).unwrap_err(), ["script.configParams"]);
    }
}
