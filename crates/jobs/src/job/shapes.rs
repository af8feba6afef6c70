//! The shapes of scripts, for the OpenAPI document: what varies is a union. They are read by [`script`](super::script).

use utoipa::ToSchema;

use super::types;

api::texts! {
    /// What jobs do that need no script.
    JobType = api::spec::one_of(&types::without_script());
}

/// What a job does: a script of the library, a backup of configurations, or one of the other types, which may ask for
/// an approval.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = JobScriptVariant)]
pub enum ScriptVariant {
    /// A script of the library.
    Custom(CustomVariant),
    /// One of the other types.
    Typed(TypedVariant),
}

/// A script of the library.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobCustomScript)]
pub struct CustomVariant {
    /// Which one; a request names its `id`.
    custom_script: CustomScript,
    /// Kept as it is given; default 0.
    #[schema(minimum = 0, maximum = 2_147_483_647)]
    user_type: Option<i64>,
    /// What the script is given: an object or an array, kept as it is given; at most 16,384 bytes.
    #[schema(example = json!({"path": "/tmp"}))]
    parameters: Option<serde_json::Value>,
}

/// A script of the library, as a job shows it.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[schema(as = JobCustomScriptReference)]
pub struct CustomScript {
    /// Its number.
    #[schema(example = 7)]
    id: i64,
    /// Its name.
    name: Option<String>,
    /// What it does.
    description: Option<String>,
    /// What it runs on.
    platforms: Option<Vec<String>>,
}

/// One of the types that need no script.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobOfType)]
pub struct TypedVariant {
    /// One of `GET /jobs/types`, but `custom`.
    #[schema(inline, value_type = JobType, example = "adCheckList")]
    job_type: String,
    /// What is backed up, of a `networkconfigbackup`.
    config_params: Option<ConfigParams>,
    /// How it is approved, of every other type.
    approval_type: Option<ApprovalType>,
    /// An object or an array, kept as it is given; at most 16,384 bytes.
    #[schema(example = json!([{"name": "path", "value": "/tmp"}]))]
    parameters: Option<serde_json::Value>,
}

/// What is backed up.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[schema(as = JobConfigParams, rename_all = "camelCase")]
pub struct ConfigParams {
    /// How many versions are kept.
    #[schema(example = "5")]
    #[schema(rename = "versionsSaved")]
    versions_saved: Option<String>,
    /// Back up when a device changes?
    #[schema(rename = "backUpTrigger")]
    back_up_trigger: Option<bool>,
    /// Alert on a change of the configuration at start?
    #[schema(rename = "startupConfigAlert")]
    startup_config_alert: Option<bool>,
    /// Alert on a change of the running configuration?
    #[schema(rename = "runtimeConfigAlert")]
    runtime_config_alert: Option<bool>,
    /// Back up the configuration at start?
    #[schema(rename = "startUpConfigFilesBackUp")]
    start_up_config_files_back_up: Option<bool>,
    /// Back up the running configuration?
    #[schema(rename = "runTimeConfigFilesBackUp")]
    run_time_config_files_back_up: Option<bool>,
}

/// How a job is approved.
#[derive(serde::Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobApprovalType)]
pub struct ApprovalType {
    /// Kept as it is given.
    approval_type: Option<i64>,
    /// Why.
    approval_reason: Option<String>,
    /// Is somebody alerted?
    alert_required: Option<bool>,
}
