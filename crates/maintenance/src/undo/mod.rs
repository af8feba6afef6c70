//! Undoing changes of maintenance windows.

mod holds;

use std::sync::Arc;

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{
    Fields,
    matching::Meter,
    problem::{FieldErrors, Problem},
};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use crate::{
    course::Holds,
    cover::Windows,
    deletion::delete_locked,
    neighbours::Neighbours,
    window::{
        http::{Members, change_locked, check_new, coverable},
        row::Window,
        rules, store,
        targets::Kind,
        view::WithTargets,
        wire::{NewWindow, WindowChange},
    },
};

/// The fields of a window that are no objects.
const PLAIN: [&str; 5] = ["name", "description", "runRBA", "installPatch", "runEscalationAction"];
const TARGETS: &str = "targets";
const HOLDS: &str = "holds";
/// The objects that a window is made of.
const OBJECTS: [&str; 3] = ["schedule", "alertConditions", HOLDS];
/// Those that follow from a change.
const DERIVED: [&str; 7] = ["id", "uniqueId", "createdBy", "createdDate", "createdTime", "updatedDate", "updatedTime"];
/// What a window loses when it is deleted, and the audit log does not have.
const LOST: &str = "calendar addresses";

/// What of this domain is restored when a change set is undone.
pub fn restorers(windows: &Windows) -> Vec<Arc<dyn Restorer>> {
    vec![Arc::new(MaintenanceWindows(Arc::clone(windows.neighbours())))]
}

/// Restores windows.
struct MaintenanceWindows(Arc<Neighbours>);

impl Restorer for MaintenanceWindows {
    fn kinds(&self) -> &'static [&'static str] {
        &["MaintenanceWindow"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &[TARGETS, "schedule", "alertConditions"])
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let can_be_set = |path: &str| path == TARGETS || PLAIN.contains(&path) || restore::is_in(path, &OBJECTS);
        let mut left = restore::left(change, &DERIVED, can_be_set);
        if !change.exists {
            left.push(LOST.to_owned());
        }
        left
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = [change.tenant_id.clone()];
        if !change.exists {
            return self.create(tx, scope, change);
        }
        let old = Window::lock_existing(tx.conn, &tenant, &change.entity_id)?;
        if !change.existed {
            return delete_locked(tx, &old);
        }
        let now = view_of(&old)?;
        let body = body(change, &now);
        let mut fields = Fields::of(&body);
        let mut former = WindowChange::read_all(&mut fields, &Meter::new(Meter::WRITE));
        let mut wrong = fields.wrong();
        rules::check_opens(former.schedule.as_ref(), "schedule", &mut wrong);
        let members = Members::Replace(former.take_targets());
        let holds = former_holds(change, &now)?;
        change_locked(tx, scope, &self.0, &old, Some((members, wrong)), |old, now| {
            let window = rules::changed(old, former, now)?;
            match holds {
                Some(holds) => holds::rewound(window, &holds, now),
                None => Ok(window),
            }
        })?;
        Ok(())
    }
}

impl MaintenanceWindows {
    /// A window that was deleted is there again, with what was said of its occurrences.
    fn create(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.as_str();
        store::lock(tenant).take(tx.conn)?;
        if Window::find(tx.conn, &[tenant.to_owned()], &change.entity_id)?.is_some() {
            return Err(Problem::conflict("There is another maintenance window with this id.").into());
        }
        let body = body(change, &Value::Null);
        let mut fields = Fields::of(&body);
        let mut new = NewWindow::read_all(&mut fields, &Meter::new(Meter::WRITE));
        let wrong: FieldErrors = fields.wrong();
        let targets = check_new(tx.conn, &self.0, &coverable(scope, tenant), &mut new, wrong)?;
        let window = rules::created(&new, tenant, change.entity_id.clone(), tx.author(), tx.now)?;
        let holds = former_holds(change, &Value::Null)?.unwrap_or_default();
        let (created_by, created_ms) = restore::origin(change, tx);
        let window = Window { created_by, created_ms, ..rules::with_holds(window, holds, tx.now)? };
        store::insert(tx.conn, &window, &targets)?;
        tx.record_change(None, Some(&WithTargets(&window, &targets)))
    }
}

/// What is told of a window, without its targets.
fn view_of(window: &Window) -> Result<Value> {
    use outbox::Recorded as _;
    WithTargets(window, &[]).event_payload()
}

/// What was said of the occurrences of a window; `None` where that did not change.
fn former_holds(change: &ObjectChange, now: &Value) -> Result<Option<Holds>> {
    let former = restore::former_object(change, HOLDS, now.get(HOLDS));
    let read = |former| serde_json::from_value(Value::Object(former)).map_err(|_| Problem::internal());
    Ok(former.map(read).transpose()?)
}

/// What a body would say of the former values.
fn body(change: &ObjectChange, now: &Value) -> Value {
    let mut body = match restore::body(change, &PLAIN) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for name in OBJECTS.into_iter().filter(|name| *name != HOLDS) {
        let former = restore::former_object(change, name, now.get(name));
        body.extend(former.map(|former| (name.to_owned(), former.into())));
    }
    if let Some(targets) = restore::former(change, TARGETS).and_then(Value::as_array) {
        body.extend(Kind::ALL.map(|kind| (kind.list().to_owned(), references(targets, kind))));
    }
    Value::Object(body)
}

/// The list of a body that names the targets of a kind.
fn references(targets: &[Value], kind: Kind) -> Value {
    let of_kind = targets.iter().filter(|target| target["kind"] == kind.word());
    let name = if kind == Kind::Device { "uniqueId" } else { "id" };
    of_kind.map(|target| json!({name: target["id"]})).collect()
}
