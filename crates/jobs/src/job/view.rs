//! From rows to what clients see of jobs.

use std::collections::{HashMap, HashSet};

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::{Authors, People};
use serde_json::{Value, json};

use super::{
    row,
    script::CustomScript,
    store,
    types::CUSTOM,
    wire::{Job, JobEntity, JobEntityResource, JobResource},
};
use crate::scripts;

/// Jobs with all that belongs to them; `around` are the tenants whose scripts they may run, and whose people they name.
pub fn jobs(conn: &mut Conn, people: &dyn People, around: &[String], rows: &[row::Job]) -> Result<Vec<Job>> {
    let tenants: HashSet<String> = rows.iter().map(|row| row.tenant_id.clone()).collect();
    let tenants: Vec<String> = tenants.into_iter().collect();
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let (mut entities, mut labels): (HashMap<String, Vec<JobEntity>>, HashMap<String, Vec<String>>) =
        Default::default();
    for row in store::resources(conn, &tenants, &ids)? {
        let resource = JobEntityResource { id: row.resource_id, r#type: row.kind };
        entities.entry(row.job_id).or_default().push(JobEntity { resource });
    }
    for (job, label) in store::labels(conn, &tenants, &ids)? {
        labels.entry(job).or_default().push(label);
    }
    let queued: HashSet<String> = store::queued(conn, &tenants, &ids)?.into_iter().collect();
    let library = library(conn, around, rows)?;
    let authors = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, around, authors)?;
    let active: HashSet<String> = people.active(conn, &tenants)?.into_iter().collect();
    let show = |row: &row::Job| {
        let entities = entities.remove(&row.id).unwrap_or_default();
        Ok(Job {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            schedule: schedule(row),
            job_queued: row.job_queued.unwrap_or_else(|| queued.contains(&row.id)),
            script: script(row, &library),
            resources: entities.iter().map(|entity| JobResource { id: entity.resource.id.clone() }).collect(),
            entities,
            labels: labels.remove(&row.id).unwrap_or_default(),
            misfire_policy: row.misfire.clone(),
            maximum_lateness: row.lateness_s,
            overlap_policy: row.overlap.clone(),
            time_limit: row.time_limit_s,
            active: row.active,
            alert_on_failure: row.alert_on_failure,
            next_run: row.next_due_ms.filter(|_| active.contains(&row.tenant_id)).map(Timestamp::from_millis),
            created_by: authors.of(&row.created_by),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_by: authors.of(&row.updated_by),
            updated_date: Timestamp::from_millis(row.updated_ms),
        })
    };
    rows.iter().map(show).collect()
}

/// What jobs show of the scripts that they run, by number.
fn library(conn: &mut Conn, around: &[String], rows: &[row::Job]) -> Result<HashMap<i64, CustomScript>> {
    let ids: HashSet<i64> = rows.iter().filter_map(|row| row.script_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let found = scripts::store::summaries(conn, around, &ids)?.into_iter();
    Ok(found
        .map(|(id, name, description, platforms)| {
            let description = Some(description).filter(|text| !text.is_empty());
            (id, CustomScript { id, name: Some(name), platforms: Some(platforms.0), description })
        })
        .collect())
}

/// The `script` of one job.
pub fn script_of(conn: &mut Conn, around: &[String], row: &row::Job) -> Result<Value> {
    let library = library(conn, around, std::slice::from_ref(row))?;
    Ok(script(row, &library))
}

pub fn job(conn: &mut Conn, people: &dyn People, around: &[String], row: &row::Job) -> Result<Job> {
    let shown = jobs(conn, people, around, std::slice::from_ref(row))?.pop();
    Ok(shown.ok_or_else(|| Problem::internal())?)
}

/// Records that a job is new, has changed or is gone.
pub fn record_change(tx: &mut Tx<'_>, row: &row::Job, before: Option<&Job>, after: Option<&Job>) -> Result<()> {
    let entity = Entity::published("Job", &row.tenant_id, &row.id);
    tx.record_view(entity, before, after)
}

fn schedule(row: &row::Job) -> Value {
    let mut schedule = row.schedule.0.clone();
    if let (false, Some(members)) = (row.zone.is_empty(), schedule.as_object_mut()) {
        // As they were given: those of a cron expression as those of windows are.
        if members.contains_key("cron") {
            members.insert("timezone".to_owned(), json!(row.zone));
        } else {
            members.insert("timeZone".to_owned(), json!({"name": row.zone}));
        }
    }
    schedule
}

fn script(row: &row::Job, library: &HashMap<i64, CustomScript>) -> Value {
    let stored = &*row.script;
    if row.job_type != CUSTOM {
        return stored.clone();
    }
    let named = row.script_id.map(|id| library.get(&id).map_or_else(|| json!({"id": id}), |script| json!(script)));
    let mut shown = json!({"customScript": named, "userType": stored["userType"]});
    if let Some(parameters) = stored.get("parameters") {
        shown["parameters"] = parameters.clone();
    }
    shown
}
