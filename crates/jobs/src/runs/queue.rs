//! Which run a runner gets: of those that wait, and of those whose runner vanished, the one that was due first.

use base::timestamp::Timestamp;
use db::{Condition, Conn, Order, Result};
use diesel::prelude::*;

use super::{
    row::Run,
    rules::{MOST_ATTEMPTS, OVERTIME_S},
    runner::wire::ClaimQuery,
};
use crate::schema::job_runs;

/// A run that waits, and may not begin any more (`maximumLateness`). One that was given out before has begun.
pub fn too_late(now: Timestamp) -> Condition {
    Condition::sql(
        "job_runs.finished_ms IS NULL AND job_runs.state = 'QUEUED' AND job_runs.attempt = 0 AND EXISTS ( \
             SELECT 1 FROM jobs WHERE jobs.tenant_id = job_runs.tenant_id AND jobs.id = job_runs.job_id \
             AND job_runs.due_ms + (jobs.lateness_s + 1) * 1000 <= ",
    )
    .integer(now.millis())
    .then(")")
}

/// A run that is under way for so long that its runner must have failed to end it.
pub fn takes_too_long(now: Timestamp) -> Condition {
    Condition::sql(
        "job_runs.finished_ms IS NULL AND job_runs.state = 'RUNNING' AND EXISTS ( \
             SELECT 1 FROM jobs WHERE jobs.tenant_id = job_runs.tenant_id AND jobs.id = job_runs.job_id \
             AND job_runs.started_ms + jobs.time_limit_s * 1000 <= ",
    )
    .integer(now.millis().saturating_sub(1_000 * OVERTIME_S))
    .then(")")
}

/// The next run for a runner, among those of these tenants.
pub fn next(conn: &mut Conn, scope: &[String], wanted: &ClaimQuery, now: Timestamp) -> Result<Option<Run>> {
    let left = Condition::sql("job_runs.finished_ms IS NULL AND job_runs.state = 'RUNNING' AND job_runs.lease_ms <= ")
        .integer(now.millis())
        .then(" AND job_runs.attempt < ")
        .integer(MOST_ATTEMPTS);
    let left = first(conn, scope, wanted, left)?;
    let waits = Condition::sql(
        "job_runs.finished_ms IS NULL AND job_runs.state = 'QUEUED' AND (NOT job_runs.exclusive OR NOT EXISTS ( \
             SELECT 1 FROM job_runs other WHERE other.tenant_id = job_runs.tenant_id AND other.job_id = \
             job_runs.job_id \
             AND other.state = 'RUNNING' AND other.finished_ms IS NULL)) AND NOT (",
    )
    .append(too_late(now))
    .then(")");
    let waits = first(conn, scope, wanted, waits)?;
    Ok([left, waits].into_iter().flatten().min_by(|one, other| (one.due_ms, &one.id).cmp(&(other.due_ms, &other.id))))
}

fn first(conn: &mut Conn, scope: &[String], wanted: &ClaimQuery, state: Condition) -> Result<Option<Run>> {
    use job_runs::dsl;
    let order = Order::by([db::Column::Integer("job_runs.due_ms"), db::Column::Text("job_runs.id")], false);
    let condition = Condition::all(
        [
            Some(Condition::text_in("job_runs.tenant_id IN", scope)),
            Some(state),
            given(&wanted.types).map(|types| Condition::text_in("job_runs.job_type IN", types.iter().copied())),
            given(&wanted.jobs).map(|jobs| Condition::text_in("job_runs.job_id IN", jobs)),
            given(&wanted.resources).map(of_resources),
            Some(has_labels(&wanted.labels)),
            wanted.platform.as_deref().map(runs_on),
        ]
        .into_iter()
        .flatten(),
    );
    Ok(dsl::job_runs.filter(condition).order(order).first(conn).optional()?)
}

/// An empty list asks for as little as none.
fn given<T>(list: &Option<Vec<T>>) -> Option<&Vec<T>> {
    list.as_ref().filter(|list| !list.is_empty())
}

fn of_resources(ids: &Vec<String>) -> Condition {
    let named = "EXISTS (SELECT 1 FROM job_resources WHERE job_resources.tenant_id = job_runs.tenant_id \
         AND job_resources.job_id = job_runs.job_id AND job_resources.resource_id IN";
    Condition::text_in(named, ids).then(")")
}

/// No label of the job is missing.
fn has_labels(labels: &[String]) -> Condition {
    let missing = "NOT EXISTS (SELECT 1 FROM job_labels WHERE job_labels.tenant_id = job_runs.tenant_id \
         AND job_labels.job_id = job_runs.job_id";
    if labels.is_empty() {
        return Condition::sql(missing).then(")");
    }
    Condition::sql(missing).then(" AND ").append(Condition::text_in("job_labels.label NOT IN", labels)).then(")")
}

/// The script of the job, when it has one, names this platform or none. A script's number is unique, regardless of its
/// owner.
fn runs_on(platform: &str) -> Condition {
    Condition::sql(
        "NOT EXISTS (SELECT 1 FROM jobs JOIN job_scripts ON job_scripts.id = jobs.script_id \
         WHERE jobs.tenant_id = job_runs.tenant_id AND jobs.id = job_runs.job_id \
         AND job_scripts.platforms <> '[]' AND replace(job_scripts.platforms, ",
    )
    .text(format!("\"{platform}\""))
    .then(", '') = job_scripts.platforms)")
}
