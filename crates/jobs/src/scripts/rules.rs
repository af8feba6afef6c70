//! What becomes of scripts. Pure.

use base::{problem::Problem, text::fold, timestamp::Timestamp};
use db::Json;

use super::{row::Script, wire::ScriptChange};

/// The script after a change; one that is new changes from [`blank`].
pub fn changed(old: &Script, change: &ScriptChange, by: &str, now: Timestamp) -> Script {
    let name = change.name.clone().unwrap_or_else(|| old.name.clone());
    let content = change.content.clone().unwrap_or_else(|| old.content.clone());
    Script {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.clone().unwrap_or_else(|| old.description.clone()),
        platforms: change.platforms.clone().map_or_else(|| old.platforms.clone(), Json),
        interpreter: change.interpreter.map_or_else(|| old.interpreter.clone(), str::to_owned),
        bytes: i64::try_from(content.len()).unwrap_or(i64::MAX),
        content,
        updated_by: by.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// What a new script starts from.
pub fn blank(tenant: &str, id: i64, by: &str, now: Timestamp) -> Script {
    Script {
        tenant_id: tenant.to_owned(),
        id,
        version: 0,
        name: String::new(),
        name_key: String::new(),
        description: String::new(),
        platforms: Json::default(),
        interpreter: "sh".to_owned(),
        content: String::new(),
        bytes: 0,
        created_by: by.to_owned(),
        created_ms: now.millis(),
        updated_by: by.to_owned(),
        updated_ms: now.millis(),
    }
}

/// 404: no such script, or it is another tenant's.
pub fn no_script() -> Problem {
    Problem::not_found("The script was not found.")
}

/// 409: another script of the tenant has this name.
pub fn taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a script named \"{name}\" already."))
}

/// 409: jobs run the script.
pub fn in_use(jobs: i64) -> Problem {
    let jobs = if jobs == 1 { "a job runs".to_owned() } else { format!("{jobs} jobs run") };
    Problem::conflict(format!("The script cannot be deleted: {jobs} it."))
}
