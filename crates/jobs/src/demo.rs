//! Jobs that ran, for `--demo`: a script of the library by night, a report by week, and what became of their runs.

use std::sync::Arc;

use base::{
    body::Request as _,
    problem::Problem,
    tenant::TenantId,
    timestamp::{DAY_MS, Timestamp},
};
use db::{Db, Result};
use outbox::{Actor, Tx};
use ports::People;
use serde_json::{Value, json};

use crate::{
    job::{self, wire::NewJob},
    runs::{
        self,
        row::Run,
        rules::{self, SKIPPED},
    },
    scripts::{self, wire::NewScript},
};

const CLEANUP: &str = "#!/bin/sh\n# Removes what nobody has touched for a week.\nfind \"${TMPDIR:-/tmp}\" -user \"$(id \
                       -un)\" -mtime +7 -print -delete\n";

/// What became of the last nights, the latest first: status, exit code, what was printed.
const NIGHTS: [(&str, i64, &str); 5] = [
    ("SUCCEEDED", 0, "/tmp/build-4711\n/tmp/upload-17.part\n2 files removed\n"),
    ("SUCCEEDED", 0, "0 files removed\n"),
    ("FAILED", 1, "find: '/tmp/.X11-unix': Permission denied\n"),
    (SKIPPED, 0, ""),
    ("SUCCEEDED", 0, "14 files removed\n"),
];

/// Adds the jobs to a tenant that has none, by the first of `people`; without one nothing happens. Says whether it did
/// anything.
pub fn fill(db: &Db, directory: Arc<dyn People>, tenant: &TenantId, people: &[String], now: Timestamp) -> Result<bool> {
    let Some(author) = people.first().cloned() else { return Ok(false) };
    let tenant = tenant.to_string();
    let actor = Actor::without_change_set(author.clone(), "demo", "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| fill_empty(tx, &*directory, &tenant, &author)))
}

fn fill_empty(tx: &mut Tx<'_>, people: &dyn People, tenant: &str, author: &str) -> Result<bool> {
    if job::store::any(tx.conn, tenant)? {
        return Ok(false);
    }
    let now = tx.now;
    let script = NewScript::parse(
        &json!({"name": "Clean up temporary files", "platforms": ["LINUX", "MACOS"], "interpreter": "sh",
            "content": CLEANUP}),
    )?;
    let id = db::next_id(tx.conn, "jobs.scripts")?;
    let script = scripts::rules::changed(&scripts::rules::blank(tenant, id, author, now), &script.into(), author, now);
    scripts::store::insert(tx.conn, &script)?;
    let midnight = now.millis().div_euclid(DAY_MS) * DAY_MS;
    let two = midnight + 2 * 3_600_000;
    let tonight = if two > now.millis() { two } else { two + DAY_MS };
    let nightly = add(
        tx,
        people,
        (tenant, author),
        &json!({
            "name": "Nightly cleanup",
            "description": "Keeps the build machines from filling up",
            "schedule": {
                "startDate": Timestamp::from_millis(tonight - 30 * DAY_MS),
                "pattern": {"type": "daily", "frequency": "everyday"},
            },
            "script": {"customScript": {"id": id}, "userType": 0},
            "misfirePolicy": "skip",
        }),
    )?;
    add(
        tx,
        people,
        (tenant, author),
        &json!({
            "name": "Missing patches, by week",
            "schedule": {
                "startDate": Timestamp::from_millis(midnight + DAY_MS),
                "pattern": {"type": "weekly", "weekDays": "Monday", "repeatFrequency": 1},
            },
            "script": {"jobType": "missingPatchesRequest",
                "approvalType": {"approvalType": 1, "approvalReason": "Change window", "alertRequired": false}},
        }),
    )?;
    for (night, (status, exit_code, output)) in (1..).zip(NIGHTS) {
        past(tx, &nightly, tonight - night * DAY_MS, status, exit_code, output)?;
    }
    Ok(true)
}

fn add(tx: &mut Tx<'_>, people: &dyn People, (tenant, author): (&str, &str), body: &Value) -> Result<job::row::Job> {
    let change = NewJob::parse(body)?.into();
    let blank = job::rules::blank(tenant, uuid::Uuid::now_v7().to_string(), author, tx.now);
    let row = job::rules::changed(&blank, &change, author, tx.now)?;
    job::store::insert(tx.conn, &row)?;
    let shown = job::view::job(tx.conn, people, &[tenant.to_owned()], &row)?;
    job::view::record_change(tx, &row, None, Some(&shown))?;
    Ok(row)
}

/// A run of a past night.
fn past(tx: &mut Tx<'_>, job: &job::row::Job, due_ms: i64, status: &str, exit_code: i64, output: &str) -> Result<()> {
    let due = Timestamp::from_millis(due_ms);
    let run = rules::queued(job, runs::store::new_id(), due_ms, "schedule", due);
    if status == SKIPPED {
        let reason = "A run of the job was not over when this one was due.".to_owned();
        return runs::store::insert(tx.conn, &[rules::not_run(run, SKIPPED, reason, due)]);
    }
    runs::store::append(tx.conn, &run, output)?;
    let run = Run {
        state: status.to_owned(),
        started_ms: Some(due_ms + 2_000),
        finished_ms: Some(due_ms + 9_000),
        attempt: 1,
        runner: "build-01".to_owned(),
        runner_user: job.created_by.clone(),
        exit_code: Some(exit_code),
        output_bytes: i64::try_from(output.len()).map_err(|_| Problem::internal())?,
        ..run
    };
    runs::store::insert(tx.conn, &[run])
}
