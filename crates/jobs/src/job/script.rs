//! What a job does, as clients say and see it, and as it is stored: a script of the library, a backup of
//! configurations, or one of the other types, which may ask for an approval.

use api::Request;
use base::{
    Fields,
    body::{Request as _, says},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::types::{CONFIG_BACKUP, CUSTOM, NAMES, WITHOUT_SCRIPT};

/// The most bytes of `parameters`.
const MOST_PARAMETERS: usize = 16_384;

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

/// What a job does: a script of the library, a backup of configurations, or one of the other types, which may ask for
/// an approval.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = JobScriptVariant)]
pub enum ScriptVariant {
    /// A script of the library.
    Custom(CustomVariant),
    /// One of the other types.
    Typed(TypedVariant),
}

/// A script of the library.
#[api::without_none]
#[derive(Debug, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "JobCustomScript", check = check_custom)]
pub struct CustomVariant {
    /// Which one; a request names its `id`.
    #[serde(skip)]
    pub custom_script: CustomScript,
    /// Kept as it is given; default 0.
    #[request(range = 0..=2_147_483_647, default)]
    pub user_type: i64,
    /// What the script is given: an object or an array, kept as it is given; at most 16,384 bytes.
    #[request(with = parameters, example = json!({"path": "/tmp"}))]
    pub parameters: Option<Value>,
}

/// A script of the library, as a job shows it.
#[api::without_none]
#[derive(Clone, Debug, Serialize, Request)]
#[request(schema = "JobCustomScriptReference")]
pub struct CustomScript {
    /// Its number.
    #[request(example = 7)]
    pub id: i64,
    /// Its name.
    #[request(with = only_shown)]
    pub name: Option<String>,
    /// What it runs on.
    #[request(with = only_shown)]
    pub platforms: Option<Vec<String>>,
    /// What it does.
    #[request(with = only_shown)]
    pub description: Option<String>,
}

/// One of the types that need no script.
#[api::without_none]
#[derive(Debug, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "JobOfType", check = check_typed)]
pub struct TypedVariant {
    /// One of `GET /jobs/types`, but `custom`.
    #[request(with = job_type, schema = String, words = WITHOUT_SCRIPT, example = "adCheckList")]
    pub job_type: &'static str,
    /// What is backed up, of a `networkconfigbackup`.
    #[request(when = says("jobType", &[CONFIG_BACKUP]))]
    pub config_params: Option<ConfigParams>,
    /// How it is approved, of every other type.
    #[request(when = is_other)]
    pub approval_type: Option<ApprovalType>,
    /// An object or an array, kept as it is given; at most 16,384 bytes.
    #[request(with = parameters, example = json!([{"name": "path", "value": "/tmp"}]))]
    pub parameters: Option<Value>,
}

/// What is backed up.
#[api::without_none]
#[derive(Debug, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "JobConfigParams")]
pub struct ConfigParams {
    /// How many versions are kept.
    #[request(with = versions, example = "5")]
    pub versions_saved: Option<String>,
    /// Back up when a device changes?
    pub back_up_trigger: Option<bool>,
    /// Alert on a change of the configuration at start?
    pub startup_config_alert: Option<bool>,
    /// Alert on a change of the running configuration?
    pub runtime_config_alert: Option<bool>,
    /// Back up the configuration at start?
    pub start_up_config_files_back_up: Option<bool>,
    /// Back up the running configuration?
    pub run_time_config_files_back_up: Option<bool>,
}

/// How a job is approved.
#[api::without_none]
#[derive(Debug, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "JobApprovalType")]
pub struct ApprovalType {
    /// Kept as it is given.
    pub approval_type: Option<i64>,
    /// Why.
    #[request(with = Fields::text)]
    pub approval_reason: Option<String>,
    /// Is somebody alerted?
    pub alert_required: Option<bool>,
}

impl JobScript {
    /// Reads one; what is wrong or missing is noted, and the answer is then not to be used.
    pub fn read(fields: &mut Fields<'_>, name: &str) -> Option<Self> {
        let mut script = fields.object(name)?;
        let variant = if script.has("customScript") {
            ScriptVariant::Custom(CustomVariant::read(&mut script))
        } else {
            ScriptVariant::Typed(TypedVariant::read(&mut script))
        };
        let (job_type, script_id) = match &variant {
            ScriptVariant::Custom(custom) => (CUSTOM, Some(custom.custom_script.id)),
            ScriptVariant::Typed(typed) => (typed.job_type, None),
        };
        Some(Self { job_type, shown: json!(variant), script_id })
    }
}

/// What the script is to be given, of any form; bounded, since it travels in an environment.
fn parameters(script: &mut Fields<'_>, name: &str) -> Option<Value> {
    let given = script.value(name)?;
    if !(given.is_object() || given.is_array()) {
        script.error(name, "must be an object or an array");
    }
    if given.to_string().len() > MOST_PARAMETERS {
        script.error(name, format!("must have at most {MOST_PARAMETERS} bytes as JSON"));
    }
    Some(given.clone())
}

/// The library knows it.
fn only_shown<T>(_: &mut Fields<'_>, _: &str) -> Option<T> {
    None
}

fn job_type(script: &mut Fields<'_>, name: &str) -> Option<&'static str> {
    script.one_of(name, &NAMES)
}

fn versions(config: &mut Fields<'_>, name: &str) -> Option<String> {
    match config.value(name)? {
        Value::Number(number) => Some(number.to_string()),
        _ => config.text_max(name, 40),
    }
}

fn is_other(of: &Fields<'_>) -> bool {
    of.says("jobType", &NAMES) && !of.says("jobType", &[CONFIG_BACKUP])
}

fn check_typed(_: &mut TypedVariant, script: &mut Fields<'_>) {
    if script.says("jobType", &[CUSTOM]) {
        script.require("customScript");
    }
    if is_other(script) && script.has("configParams") {
        script.error("configParams", format!("is for jobs of the type {CONFIG_BACKUP}"));
    }
    if script.says("jobType", &[CONFIG_BACKUP]) && script.has("approvalType") {
        script.error("approvalType", format!("is not for jobs of the type {CONFIG_BACKUP}"));
    }
}

fn check_custom(_: &mut CustomVariant, script: &mut Fields<'_>) {
    if job_type(script, "jobType").is_some_and(|name| name != CUSTOM) {
        script.error("jobType", format!("must be {CUSTOM} where customScript is given"));
    }
    for other in ["configParams", "approvalType"] {
        if script.has(other) {
            script.error(other, "must be absent when customScript is there");
        }
    }
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
        assert_eq!(read(mixed).unwrap_err(), ["script.customScript.id", "script.jobType", "script.configParams"]);
        assert_eq!(read(json!({"jobType": "antivirus", "configParams": {}})).unwrap_err(), ["script.configParams"]);
    }
}
