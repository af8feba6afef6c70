//! Undoing changes of jobs. What would have been due meanwhile is not made up for.

use std::sync::Arc;

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{
    body::Request as _,
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::{Notices, People, Resources};
use serde_json::{Map, Value, json};

use crate::job::{
    http::{Neighbours, change_locked, delete_locked, insert, of_scripts},
    row::Job,
    rules, view,
    wire::{JobChange, NewJob},
};

/// The fields of a job that are no lists and no objects.
const PLAIN: [&str; 9] = [
    "name",
    "description",
    "active",
    JOB_QUEUED,
    "timeLimit",
    "misfirePolicy",
    "maximumLateness",
    "overlapPolicy",
    "alertOnFailure",
];
/// Of a job that is gone the audit log does not tell whether it was given, or followed from runs that are gone too.
const JOB_QUEUED: &str = "jobQueued";
const OBJECTS: [&str; 2] = ["schedule", "script"];
const LABELS: &str = "labels";
const ENTITIES: &str = "entities";
/// Those that follow from a change; `resources` are the `entities` once more.
const DERIVED: [&str; 7] = ["id", "resources", "nextRun", "createdBy", "createdDate", "updatedBy", "updatedDate"];
/// What a job loses when it is deleted, and the audit log does not have.
const LOST: &str = "runs";

/// Restores jobs.
pub struct Jobs {
    pub people: Arc<dyn People>,
    pub resources: Arc<dyn Resources>,
    pub notices: Arc<dyn Notices>,
}

impl Restorer for Jobs {
    fn kinds(&self) -> &'static [&'static str] {
        &["Job"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let can_be_set =
            |path: &str| PLAIN.contains(&path) || [LABELS, ENTITIES].contains(&path) || restore::is_in(path, &OBJECTS);
        let mut left = restore::left(change, &DERIVED, can_be_set);
        if !change.exists {
            if restore::former(change, JOB_QUEUED) == Some(&Value::Bool(true)) {
                left.push(JOB_QUEUED.to_owned());
            }
            left.push(LOST.to_owned());
        }
        left
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &["schedule", "script", ENTITIES, LABELS])
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = [change.tenant_id.clone()];
        let none = FieldErrors::default;
        if !change.exists {
            if Job::find(tx.conn, &tenant, &change.entity_id)?.is_some() {
                return Err(Problem::conflict("There is another job with this id.").into());
            }
            let mut former = JobChange::from(NewJob::parse(&body(change, &Value::Null))?);
            former.job_queued = None;
            let ports = (&*self.people, &*self.resources);
            let (created_by, created_ms) = restore::origin(change, tx);
            let made = insert(tx, scope, ports, &change.tenant_id, (&former, none()), |now| {
                let author = scope.author();
                let created = Timestamp::from_millis(created_ms);
                let blank = rules::blank(&change.tenant_id, change.entity_id.clone(), &created_by, created);
                rules::created_again(&blank, &former, author, now)
            });
            return made.map(drop);
        }
        let old = Job::lock_existing(tx.conn, &tenant, &change.entity_id)?;
        if !change.existed {
            return delete_locked(tx, scope, (&*self.people, &*self.notices), &old);
        }
        let now = view::job(tx.conn, &*self.people, &of_scripts(scope, &old.tenant_id), &old)?;
        let former = JobChange::parse(&body(change, &json!(now)))?;
        let neighbours = Neighbours { people: &*self.people, resources: &*self.resources, notices: &*self.notices };
        change_locked(tx, scope, neighbours, &old, (&former, none())).map(drop)
    }
}

/// What a body would say of the former values of a job, of which clients see `now`.
fn body(change: &ObjectChange, now: &Value) -> Value {
    let mut body = match restore::body(change, &PLAIN) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for name in OBJECTS {
        let former = restore::former_object(change, name, now.get(name));
        body.extend(former.map(|former| (name.to_owned(), former.into())));
    }
    // Lists without elements are left out of what clients see.
    for name in [LABELS, ENTITIES] {
        let before = change.fields.get(name).map(|field| field.before.as_ref());
        if let Some(before) = before.filter(|before| restore::is_whole(*before)) {
            body.insert(name.to_owned(), before.cloned().unwrap_or_else(|| json!([])));
        }
    }
    Value::Object(body)
}
