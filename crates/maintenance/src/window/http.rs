//! Windows over HTTP.

use std::collections::HashSet;

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, RequestScope, answer, context::check_version, cpu};
use base::{
    Fields,
    problem::{Problem, Wrong},
};
use db::{Conn, Result};
use outbox::Tx;

use super::{
    documented::{TargetsInput, WindowInput, WindowUpdate},
    rules, shown, store,
    targets::{self, Kind, Lists, Target},
    wire::{Created, NewWindow, Window, WindowChange},
};
use crate::cover::Windows;

/// In whose records a request looks.
pub struct Reach {
    /// The tenants whose windows it sees.
    pub scope: Vec<String>,
    /// The tenants whose people made them.
    around: Vec<String>,
    tenant: String,
}

impl Reach {
    /// Of a request.
    pub fn of(context: &RequestScope) -> Self {
        Self { scope: context.scope(), around: context.scope_and_partner(), tenant: context.tenant.id.to_string() }
    }

    /// The tenants whose records a window may cover: those that the request sees, for a window of its own tenant; for
    /// one of a client, the client's.
    fn coverable(&self, owner: &str) -> Vec<String> {
        if owner == self.tenant { self.scope.clone() } else { vec![owner.to_owned()] }
    }
}

/// Create a maintenance window
///
/// Every target must exist: of the tenant, and at partner level of its clients. One that does not, or more than 100
/// together, and nothing is stored. What is in a group or at a location is found out when it is asked for, so that a
/// resource that joins a group during a window is covered.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "createMaintenanceWindow",
    request_body(content = WindowInput, example = json!({
        "name": "Nightly patches", "description": "Web servers",
        "devices": [{"hostName": "web-01"}], "deviceGroups": [{"name": "Web servers"}], "locations": [{"name": "Paris"}],
        "schedule": {
            "type": "Recurring", "startTime": "2026-11-20T22:00:00+0000", "endTime": "2026-11-21T02:00:00+0000",
            "timezone": "Europe/London", "pattern": {"type": "daily", "dayFrequency": "everyday"}
        },
        "endBy": "NEVER", "runRBA": false, "installPatch": true, "runEscalationAction": true,
        "alertConditions": {"matchingType": "ALL", "rules": [{"key": "subject", "operator": "Contains", "value": "disk"}]}
    })),
    responses((status = 200, description = "The id of the new window", body = Created)),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances")]
pub async fn create(context: RequestContext, windows: web::Data<Windows>, body: Body) -> api::Result<HttpResponse> {
    let (new, wrong) = cpu::read(&context, body, |body, meter| Ok(WindowChange::read(body, true, meter))).await?;
    let (tenant, scope, author, now) =
        (context.tenant.id.to_string(), context.scope(), context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let (new, targets) = check_new(tx.conn, &windows, &scope, new, wrong)?;
            let id = format!("SM-{}", uuid::Uuid::new_v4());
            let window = rules::created(&new, &tenant, id, &author, now)?;
            store::insert(tx.conn, &window, &targets)?;
            shown::note(tx, None, Some((&window, &targets)))?;
            Answer::entity(&Created { unique_id: window.id.clone() }, window.version)
        })
        .await
}

/// The new window of a body, of which nothing is wrong, and what it covers.
///
/// # Errors
/// 400 that lists what is wrong in it, with the targets that are not of these tenants.
pub fn check_new(
    conn: &mut Conn,
    windows: &Windows,
    tenants: &[String],
    mut new: WindowChange,
    mut wrong: Wrong,
) -> Result<(NewWindow, Vec<Target>)> {
    rules::check_opens(new.schedule.as_ref(), &mut wrong);
    let references = std::mem::take(&mut new.targets).all();
    let targets = targets::resolve(conn, windows.resources(), tenants, &references, &mut wrong)?;
    wrong.check()?;
    Ok((new.complete()?, targets))
}

/// Get a maintenance window
#[utoipa::path(
    tag = "maintenance",
    operation_id = "getMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The window", body = Window)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}")]
pub async fn get(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (seen, id, now) = (Reach::of(&context), path.into_inner().1, context.now);
    let read = context.db.read(move |conn| {
        let row = store::existing(conn, &seen.scope, &id)?;
        Ok((shown::one(conn, &windows, &seen.around, &row, now)?, row.version))
    });
    let (shown, version) = read.await?;
    // The tag is that of what people change, for `If-Match`. It opens and closes without them, so it is never a 304.
    answer::tagged(&shown, version)
}

/// Update a maintenance window
///
/// Fields left out stay as they are; one that is wrong, and nothing changes. A list of targets takes the place of the
/// former one of its kind.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "updateMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = WindowUpdate, example = json!({"description": "Web and mail servers", "installPatch": false})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}")]
pub async fn update(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let read = cpu::read(&context, body, |body, meter| Ok(WindowChange::read(body, false, meter)));
    let (mut change, mut wrong) = read.await?;
    rules::check_opens(change.schedule.as_ref(), &mut wrong);
    let members = Members::Replace(std::mem::take(&mut change.targets));
    let change = move |old: &store::Window, now| rules::changed(old, change, now);
    change_window(context, windows, path.into_inner().1, Some((members, wrong)), change).await
}

/// Add targets to a maintenance window
///
/// What is among them already stays among them.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "addMaintenanceTargets",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = TargetsInput, example = json!({"devices": [{"hostName": "web-02"}]})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/resources")]
pub async fn add_targets(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (lists, wrong) = read_targets(&body);
    let kept = |old: &store::Window, now| Ok(rules::next_version(old, now));
    change_window(context, windows, path.into_inner().1, Some((Members::Add(lists), wrong)), kept).await
}

/// Remove targets from a maintenance window
///
/// At least one must stay. What is not among them is no error when it exists.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "removeMaintenanceTargets",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = TargetsInput, example = json!({"devices": [{"hostName": "web-02"}]})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}/resources")]
pub async fn remove_targets(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (lists, wrong) = read_targets(&body);
    let kept = |old: &store::Window, now| Ok(rules::next_version(old, now));
    change_window(context, windows, path.into_inner().1, Some((Members::Remove(lists), wrong)), kept).await
}

fn read_targets(body: &Body) -> (Lists, Wrong) {
    let mut fields = Fields::of(&body.0);
    let needed = !Kind::ALL.into_iter().any(|kind| fields.has(kind.list()));
    let lists = Lists::read(&mut fields, needed);
    (lists, fields.wrong())
}

/// Delete a maintenance window
///
/// Its alerts stay what they are.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "deleteMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let window = take_up(tx, &scope, &id, wanted)?;
            let targets = store::targets_of(tx.conn, &window)?;
            store::delete(tx.conn, &window)?;
            shown::note(tx, Some((&window, &targets)), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// The window that is to be changed, which nobody else changes until the end of the transaction.
pub fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> Result<store::Window> {
    let seen = store::existing(tx.conn, scope, id)?;
    store::take_up(tx.conn, &seen.tenant_id)?;
    let window = store::existing(tx.conn, scope, id)?;
    check_version(wanted, window.version)?;
    Ok(window)
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
    windows: web::Data<Windows>,
    id: String,
    members: Option<(Members, Wrong)>,
    change: impl FnOnce(&store::Window, base::timestamp::Timestamp) -> std::result::Result<store::Window, Problem>
    + Send
    + 'static,
) -> api::Result<HttpResponse> {
    let (wanted, now, seen) = (context.if_match()?, context.now, Reach::of(&context));
    context
        .write(move |tx, _| {
            let old = take_up(tx, &seen.scope, &id, wanted)?;
            let before = store::targets_of(tx.conn, &old)?;
            let after = match members {
                Some((members, mut wrong)) => {
                    let after = members.applied(tx, &windows, &seen.coverable(&old.tenant_id), &before, &mut wrong)?;
                    wrong.check()?;
                    after
                }
                None => before.clone(),
            };
            let new = change(&old, now)?;
            if new.version != old.version {
                store::update(tx.conn, &old, &new, (after != before).then_some(&after))?;
                shown::note(tx, Some((&old, &before)), Some((&new, &after)))?;
            }
            Answer::entity(&shown::one(tx.conn, &windows, &seen.around, &new, now)?, new.version)
        })
        .await
}

impl Members {
    /// The targets of a window afterwards; those that are unknown are added to what is wrong.
    fn applied(
        self,
        tx: &mut Tx<'_>,
        windows: &Windows,
        tenants: &[String],
        before: &[Target],
        wrong: &mut Wrong,
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
                given.extend(targets::resolve(tx.conn, windows.resources(), tenants, &new, wrong)?);
                let mut seen = HashSet::new();
                after.extend(given.into_iter().filter(|target| seen.insert(target.clone())));
                after.sort_by_key(|target| target.kind);
            }
            Self::Add(lists) => {
                let given = targets::resolve(tx.conn, windows.resources(), tenants, &lists.all(), wrong)?;
                after.extend(given.into_iter().filter(|target| !before.contains(target)));
                after.sort_by_key(|target| target.kind);
            }
            Self::Remove(lists) => {
                let gone = removed(tx, windows, tenants, before, &lists.all(), wrong)?;
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
    windows: &Windows,
    tenants: &[String],
    before: &[Target],
    references: &[targets::Reference],
    wrong: &mut Wrong,
) -> Result<Vec<Target>> {
    let mut gone = Vec::new();
    let found = targets::find(tx.conn, windows.resources(), tenants, references)?;
    for (reference, found) in references.iter().zip(found) {
        match (before.iter().find(|target| reference.is(target)), found) {
            (Some(target), _) => gone.push(target.clone()),
            (None, Ok(target)) => gone.push(target),
            (None, Err(error)) => wrong.add(&error.field_name, error.message),
        }
    }
    Ok(gone)
}
