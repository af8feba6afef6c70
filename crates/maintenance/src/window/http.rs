//! Windows over HTTP.

use std::collections::HashSet;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, RequestScope, Resource as _, answer, cpu, delete, get, post};
use base::{
    Fields,
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use db::{Conn, Result};
use outbox::Tx;

use super::{
    row, rules, store,
    targets::{self, Lists, Target},
    view::{self, WithTargets},
    wire::{self, Created, NewWindow, Window, WindowChange, WindowId},
};
use crate::neighbours::Neighbours;

/// The tenants whose records a window may cover: those that the request sees, for a window of its own tenant; for one
/// of a client, the client's.
pub fn coverable(scope: &RequestScope, owner: &str) -> Vec<String> {
    if owner == scope.tenant_id() { scope.scope() } else { vec![owner.to_owned()] }
}

/// Create a maintenance window
///
/// Every target must exist in the tenant or, at partner level, in one of its clients; with one that does not, or with
/// more than 100 in all, nothing is stored. Groups and locations are resolved whenever it matters, so that a resource
/// that joins a group during a window is covered.
#[utoipa::path(
    operation_id = "createMaintenanceWindow",
    request_body(content = NewWindow, example = json!({
        "name": "Nightly patches", "description": "Web servers",
        "devices": [{"hostName": "web-01"}], "deviceGroups": [{"name": "Web servers"}],
        "locations": [{"name": "Paris"}],
        "schedule": {
            "type": "Recurring", "startTime": "2026-11-20T22:00:00+0000", "endTime": "2026-11-21T02:00:00+0000",
            "timezone": "Europe/London", "pattern": {"type": "daily", "dayFrequency": "everyday"}
        },
        "endBy": "NEVER", "runRBA": false, "installPatch": true, "runEscalationAction": true,
        "alertConditions": {"matchingType": "ALL",
            "rules": [{"key": "subject", "operator": "Contains", "value": "disk"}]}
    })),
    responses((status = 200, description = "The id of the new window", body = Created,
        headers(("ETag" = String, description = "The version of the record, for `If-Match`")))),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let read = cpu::read(body, |body, meter| {
        let mut fields = Fields::of(body);
        Ok((NewWindow::read_all(&mut fields, meter), fields.wrong()))
    });
    let (mut new, wrong) = read.await?;
    context
        .write(move |tx, scope| {
            let targets = check_new(tx.conn, &neighbours, &scope.scope(), &mut new, wrong)?;
            let id = format!("SM-{}", uuid::Uuid::new_v4());
            let window = rules::created(&new, scope.tenant_id(), id, tx.author(), tx.now)?;
            store::insert(tx.conn, &window, &targets)?;
            tx.record_change(None, Some(&WithTargets(&window, &targets)))?;
            Answer::entity(&Created { unique_id: window.id.clone() }, window.version)
        })
        .await
}

/// Checks the body of a new window, and answers what it covers.
///
/// # Errors
/// 400 that lists what is wrong in it, with the targets that are not of these tenants.
pub fn check_new(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    new: &mut NewWindow,
    mut wrong: FieldErrors,
) -> Result<Vec<Target>> {
    rules::check_opens(Some(&new.schedule), "schedule", &mut wrong);
    let targets = targets::resolve(conn, neighbours.resources(), tenants, &new.take_targets().all(), &mut wrong)?;
    wrong.check()?;
    Ok(targets)
}

/// Get a maintenance window
#[utoipa::path(
    operation_id = "getMaintenanceWindow",
    params(WindowId),
    responses((status = 200, description = "The window", body = Window)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    let read = context.read(move |conn, scope| {
        let row = row::Window::existing(conn, &scope.scope(), &id)?;
        Ok((view::one(conn, &neighbours, &scope.scope_and_partner(), &row, scope.now)?, row.version))
    });
    let (shown, version) = read.await?;
    // The tag is that of what people change, for `If-Match`. It opens and closes without them, so it is never a 304.
    answer::tagged(&shown, version)
}

/// Update a maintenance window
///
/// Fields left out stay as they are; with one that is wrong, nothing changes. A list of targets replaces the former one
/// of its kind.
#[utoipa::path(
    operation_id = "updateMaintenanceWindow",
    params(WindowId),
    request_body(content = WindowChange, example = json!({"description": "Web and mail \
        servers", "installPatch": false})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    body: Body,
) -> api::Result<HttpResponse> {
    let read = cpu::read(body, |body, meter| {
        let mut fields = Fields::of(body);
        Ok((WindowChange::read_all(&mut fields, meter), fields.wrong()))
    });
    let (mut change, mut wrong) = read.await?;
    rules::check_opens(change.schedule.as_ref(), "schedule", &mut wrong);
    let members = Members::Replace(change.take_targets());
    let change = move |old: &row::Window, now| rules::changed(old, change, now);
    change_window(context, neighbours, id, Some((members, wrong)), change).await
}

/// Add targets to a maintenance window
///
/// Targets that it has already are kept.
#[utoipa::path(
    operation_id = "addMaintenanceTargets",
    params(WindowId),
    request_body(content = wire::Targets, example = json!({"devices": [{"hostName": "web-02"}]})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/resources")]
pub async fn add_targets(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    Body((targets, wrong)): Body<(wire::Targets, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let kept = |old: &row::Window, now| Ok(rules::next_version(old, now));
    change_window(context, neighbours, id, Some((Members::Add(targets.into()), wrong)), kept).await
}

/// Remove targets from a maintenance window
///
/// At least one must stay. Naming something that exists but is not a target is not an error.
#[utoipa::path(
    operation_id = "removeMaintenanceTargets",
    params(WindowId),
    request_body(content = wire::Targets, example = json!({"devices": [{"hostName": "web-02"}]})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}/resources")]
pub async fn remove_targets(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    Body((targets, wrong)): Body<(wire::Targets, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let kept = |old: &row::Window, now| Ok(rules::next_version(old, now));
    change_window(context, neighbours, id, Some((Members::Remove(targets.into()), wrong)), kept).await
}

/// What becomes of the targets of a window.
pub enum Members {
    /// These take the place of the former ones of their kinds.
    Replace(Lists),
    /// These come in addition.
    Add(Lists),
    /// These go.
    Remove(Lists),
}

/// Changes a window, and answers it. What is wrong with the body that names its targets is told with those that are
/// unknown.
pub async fn change_window(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    id: WindowId,
    members: Option<(Members, FieldErrors)>,
    change: impl FnOnce(&row::Window, Timestamp) -> std::result::Result<row::Window, Problem> + Send + 'static,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = row::Window::locked(tx, scope, &id)?;
            let new = change_locked(tx, scope, &neighbours, &old, members, change)?;
            let shown = view::one(tx.conn, &neighbours, &scope.scope_and_partner(), &new, tx.now)?;
            Answer::entity(&shown, new.version)
        })
        .await
}

/// Changes a window that is locked; answers what it is afterwards.
pub fn change_locked(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    neighbours: &Neighbours,
    old: &row::Window,
    members: Option<(Members, FieldErrors)>,
    change: impl FnOnce(&row::Window, Timestamp) -> std::result::Result<row::Window, Problem>,
) -> Result<row::Window> {
    let before = store::targets_of(tx.conn, old)?;
    let after = match members {
        Some((members, mut wrong)) => {
            let after = members.applied(tx, neighbours, &coverable(scope, &old.tenant_id), &before, &mut wrong)?;
            wrong.check()?;
            after
        }
        None => before.clone(),
    };
    let new = change(old, tx.now)?;
    if new.version != old.version {
        store::update(tx.conn, old, &new, (after != before).then_some(&after))?;
        tx.record_change(Some(&WithTargets(old, &before)), Some(&WithTargets(&new, &after)))?;
    }
    Ok(new)
}

impl Members {
    /// The targets of a window afterwards; those that are unknown are added to what is wrong.
    fn applied(
        self,
        tx: &mut Tx<'_>,
        neighbours: &Neighbours,
        tenants: &[String],
        before: &[Target],
        wrong: &mut FieldErrors,
    ) -> Result<Vec<Target>> {
        let mut after = before.to_vec();
        match self {
            Self::Replace(lists) => {
                after.retain(|target| !lists.has(target.kind));
                // What is written back as it was read stays, also what is not there any more.
                let (kept, new): (Vec<_>, Vec<_>) = lists
                    .all()
                    .into_iter()
                    .map(|reference| (before.iter().find(|target| reference.is(target)).cloned(), reference))
                    .partition(|(known, _)| known.is_some());
                let new: Vec<_> = new.into_iter().map(|(_, reference)| reference).collect();
                let mut given: Vec<Target> = kept.into_iter().filter_map(|(known, _)| known).collect();
                given.extend(targets::resolve(tx.conn, neighbours.resources(), tenants, &new, wrong)?);
                let mut seen = HashSet::new();
                after.extend(given.into_iter().filter(|target| seen.insert(target.clone())));
                after.sort_by_key(|target| target.kind);
            }
            Self::Add(lists) => {
                let given = targets::resolve(tx.conn, neighbours.resources(), tenants, &lists.all(), wrong)?;
                after.extend(given.into_iter().filter(|target| !before.contains(target)));
                after.sort_by_key(|target| target.kind);
            }
            Self::Remove(lists) => {
                let gone = removed(tx, neighbours, tenants, before, &lists.all(), wrong)?;
                after.retain(|target| !gone.contains(target));
            }
        }
        if after != before {
            targets::refuse_number(after.len(), wrong);
        }
        Ok(after)
    }
}

/// The targets that references name. One that is no longer there can be named by its id.
fn removed(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    tenants: &[String],
    before: &[Target],
    references: &[targets::Reference],
    wrong: &mut FieldErrors,
) -> Result<Vec<Target>> {
    let mut gone = Vec::new();
    let found = targets::find(tx.conn, neighbours.resources(), tenants, references)?;
    for (reference, found) in references.iter().zip(found) {
        match (before.iter().find(|target| reference.is(target)), found) {
            (Some(target), _) => gone.push(target.clone()),
            (None, Ok(target)) => gone.push(target),
            (None, Err(error)) => wrong.add(&error.field_name, error.message),
        }
    }
    Ok(gone)
}
