//! Undoing a change set: each of its objects as it was before, by the rules of the domain that it belongs to.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{HttpResponse, web};
use api::{Answer, Parameters, PathIds, RequestContext, RequestScope, Restorer, Restorers, answer, clock, post};
use base::{
    body::ignored,
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use db::Conn;
use outbox::{
    Tx,
    audit::Entry,
    change_sets::{
        self, ChangeSet,
        objects::{self, FirstChange, ObjectChange, Since},
    },
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::change_sets::ChangeSetId;

/// Objects that are restored in one transaction. A set of more is undone in several, so that nobody waits long for the
/// one writer of a SQLite file.
const WHOLE: usize = 100;

/// Objects whose changes are read together.
const READ_TOGETHER: usize = 25;

/// How long objects are restored together while others wait to write.
const SHARE: Duration = Duration::from_millis(10);

/// The largest set that can be undone: its objects are listed in memory.
const MOST: i64 = 50_000;

/// Objects that an answer names at most, of each list.
const MOST_NAMED: usize = 100;

/// The parameters of an undo.
#[derive(Clone, Debug, Parameters)]
pub struct UndoOptions {
    /// Say what would be undone and change nothing; default false.
    #[request(default, example = true)]
    pub preview: bool,
}

/// What an undo did, or would do.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "CHG-0199a1f0-7b4e-7c3a-9d55-3f6f0c1a2b3c", "preview": true, "objects": 3, "alreadyUndone": 0,
    "notUndone": [{"tenantId": "client_1", "entity": "Resource", "entityId": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f",
        "fields": ["credential"]}],
    "notUndoneCount": 1, "changedSince": [],
    "lasting": "Calls of integrations and pages that the changes caused have gone out."
}))]
pub struct Undo {
    /// The set that is undone.
    pub id: String,
    /// Was nothing changed?
    pub preview: bool,
    /// The set of the undo itself, which can be undone too; left out of a preview, and when nothing was left to undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_set: Option<String>,
    /// How many objects were restored, or would be.
    pub objects: usize,
    /// How many an earlier undo of the set had restored.
    pub already_undone: usize,
    /// What stays as it is, the first 100.
    pub not_undone: Vec<NotUndone>,
    /// How many objects stay as they are, in whole or in part.
    pub not_undone_count: usize,
    /// Of a preview: objects that changed since, the first 100. While there are any, an undo is a 409.
    pub changed_since: Vec<ChangedSince>,
    /// What no undo takes back.
    pub lasting: &'static str,
}

const LASTING: &str = "Calls of integrations and pages that the changes caused have gone out.";

/// An object that stays as it is, in whole or in part.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotUndone {
    /// The tenant of the object.
    pub tenant_id: String,
    /// Its kind.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// What of it stays; left out when its kind cannot be restored at all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub fields: Vec<String>,
}

/// An object that something else changed after the set.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedSince {
    /// The tenant of the object.
    pub tenant_id: String,
    /// Its kind.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// When it changed last.
    #[schema(value_type = String)]
    pub time: Timestamp,
    /// The user on whose behalf; left out for what nobody asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub user_id: String,
    /// The request that changed it.
    pub request_id: String,
}

/// What is to be undone, and the set that it is of.
struct Plan {
    set: ChangeSet,
    /// In the order in which they are restored.
    objects: Vec<FirstChange>,
    /// What the answer says; `changed_since` names those that keep the set from being undone.
    undo: Undo,
    /// How many those are.
    changed: usize,
}

/// Undo a change set
///
/// Each object that the set changed is as it was before: what was created is removed, what was removed is there again
/// under its id, and fields that were changed have their earlier values. The rules are those of any other write. An
/// object that changed since is a 409 that names it. Up to 100 objects are restored in one transaction; more in
/// several, and an undo that was interrupted goes on where it was when it is sent again. The undo is a change set of
/// its own, which can be undone. A key that is restricted to certain operations undoes its own change sets only.
#[utoipa::path(
    operation_id = "undoChangeSet",
    params(ChangeSetId, UndoOptions),
    responses(
        (status = 200, description = "What was undone", body = Undo),
        (status = 403, description = "The caller is restricted to certain operations, and somebody else made the set"),
        (status = 404, description = "The tenant has no such change set"),
        (status = 409, description = "Objects changed since, or cannot be restored; they are named"),
    ),
    security(("bearer" = ["admin"]))
)]
#[post("/changeSets/{changeSetId}/undo")]
pub(crate) async fn undo_change_set(
    context: RequestContext<UndoOptions>,
    restorers: web::Data<Restorers>,
    PathIds(id): PathIds<ChangeSetId>,
) -> api::Result<HttpResponse> {
    let restorers = restorers.into_inner();
    let known = Arc::clone(&restorers);
    let plan = context.read(move |conn, scope| look(conn, scope, &known, &id)).await?;
    if context.query.preview {
        return answer::ok(&Undo { preview: true, ..plan.undo });
    }
    let Plan { set, objects, undo, changed } = plan;
    let refusal = match (changed, undo.objects) {
        (0, 0) => Some(nothing_left(&undo)),
        (0, _) => None,
        _ => Some(changed_since(changed, &undo.changed_since)),
    };
    if let Some(problem) = refusal {
        // The same request under its Idempotency-Key gets the answer that it had, before anything is refused.
        return context.write(move |_, _| Err::<Answer, _>(problem.into())).await;
    }
    let context = context.undoing(&set.id);
    let work = Work { set: Arc::new(set), objects: objects.into(), restorers: Arc::clone(&restorers) };
    if work.objects.len() <= WHOLE {
        let whole = context.write(move |tx, scope| {
            let made = change_sets::new_id(tx.actor());
            let (objects, _) = work.restore(tx, scope, 0, || false)?;
            Answer::ok(&Undo { change_set: made, objects, ..undo })
        });
        let answer = whole.await;
        restorers.forget_cached();
        return answer;
    }
    let inner = context.clone();
    context.carry_out(async move { in_parts(&inner, work, undo).await }).await
}

/// Reads what there is to undo, and what keeps it from being undone.
fn look(conn: &mut Conn, scope: &RequestScope, restorers: &Restorers, id: &str) -> db::Result<Plan> {
    let found = change_sets::find(conn, &scope.scope(), id)?;
    let set = found.ok_or_else(|| Problem::not_found("The change set was not found."))?;
    // To take back what others did takes more operations than this one.
    if scope.caller.operations.is_some() && set.key_id != scope.caller.key_id {
        let detail = "A key that is restricted to certain operations can undo its own change sets only.";
        return Err(Problem::forbidden(detail).into());
    }
    if set.objects > MOST {
        return Err(
            Problem::conflict("The change set has more than 50,000 objects, which are too many to undo.").into()
        );
    }
    let undo = Undo { id: set.id.clone(), lasting: LASTING, ..Undo::default() };
    let mut plan = Plan { objects: Vec::new(), undo, changed: 0, set };
    let reach = scope.scope();
    let all = objects::all(conn, &plan.set)?;
    let known: HashSet<(&str, &str)> = all.iter().map(|one| (one.entity.as_str(), one.entity_id.as_str())).collect();
    let comes_back = |kind: &str, id: &str| known.contains(&(kind, id));
    for firsts in all.chunks(READ_TOGETHER) {
        let changes = objects::changes(conn, &plan.set, firsts)?;
        let since = objects::since(conn, &scope.scope_and_partner(), &plan.set, firsts)?;
        for ((first, change), since) in firsts.iter().zip(&changes).zip(since) {
            let restorer = restorers.of(&first.entity).filter(|_| reach.contains(&first.tenant_id));
            if plan.has_to_restore(conn, restorer, first, change, since, &comes_back)? {
                plan.objects.push(first.clone());
            }
        }
    }
    plan.undo.objects = plan.objects.len();
    Ok(plan)
}

impl Plan {
    /// Is an object to be restored? What speaks against it, or stays of it, is noted.
    fn has_to_restore(
        &mut self,
        conn: &mut Conn,
        restorer: Option<&dyn Restorer>,
        first: &FirstChange,
        change: &ObjectChange,
        since: Since,
        comes_back: &dyn Fn(&str, &str) -> bool,
    ) -> db::Result<bool> {
        let Some(restorer) = restorer else {
            self.undo.leave(first, Vec::new());
            return Ok(false);
        };
        if !change.existed && !change.exists {
            return Ok(false);
        }
        if !restorer.can_restore(change) {
            self.undo.leave(first, Vec::new());
            return Ok(false);
        }
        match since {
            Since::Undone => {
                self.undo.already_undone += 1;
                return Ok(false);
            }
            Since::Changed(last) => {
                self.changed += 1;
                if self.undo.changed_since.len() < MOST_NAMED {
                    self.undo.changed_since.push(changed_by(first, *last));
                }
                return Ok(true);
            }
            Since::Unchanged => {}
        }
        let fields = restorer.find_left(conn, change, comes_back)?;
        let is_any = !change.existed || !change.exists || fields.len() < change.fields.len();
        if !fields.is_empty() {
            self.undo.leave(first, fields);
        }
        Ok(is_any)
    }
}

impl Undo {
    /// Notes that fields of an object stay as they are, or all of it.
    fn leave(&mut self, object: &FirstChange, fields: Vec<String>) {
        self.not_undone_count += 1;
        if self.not_undone.len() < MOST_NAMED {
            let FirstChange { tenant_id, entity, entity_id, .. } = object.clone();
            self.not_undone.push(NotUndone { tenant_id, entity, entity_id, fields });
        }
    }
}

fn changed_by(first: &FirstChange, last: Entry) -> ChangedSince {
    ChangedSince {
        tenant_id: first.tenant_id.clone(),
        entity: first.entity.clone(),
        entity_id: first.entity_id.clone(),
        time: Timestamp::from_millis(last.at_ms),
        user_id: last.user_id,
        request_id: last.request_id,
    }
}

/// 409 that names objects.
fn changed_since(count: usize, some: &[ChangedSince]) -> Problem {
    let objects = if count == 1 { "1 object changed".to_owned() } else { format!("{count} objects changed") };
    let mut problem = Problem::conflict(format!("{objects} since, so the change set cannot be undone."));
    problem.errors = some
        .iter()
        .map(|one| {
            let message = format!("changed at {} by the request {}", one.time, one.request_id);
            FieldError::new(format!("{} {}", one.entity, one.entity_id), message)
        })
        .collect();
    problem
}

fn nothing_left(undo: &Undo) -> Problem {
    Problem::conflict(match undo.already_undone {
        0 => "Nothing of the change set can be undone.",
        _ => "The change set is undone already.",
    })
}

/// What is restored.
#[derive(Clone)]
struct Work {
    set: Arc<ChangeSet>,
    objects: Arc<[FirstChange]>,
    restorers: Arc<Restorers>,
}

impl Work {
    /// Restores objects from one of them on, up to [`WHOLE`] or until it is enough; answers how many it restored, and
    /// with which one to go on.
    fn restore(
        &self,
        tx: &mut Tx<'_>,
        scope: &RequestScope,
        from: usize,
        is_enough: impl Fn() -> bool,
    ) -> db::Result<(usize, usize)> {
        let tenants = scope.scope_and_partner();
        let mut restored = 0;
        let mut next = from;
        let end = self.objects.len().min(from + WHOLE);
        while next < end && (next == from || !is_enough()) {
            let firsts = &self.objects[next..end.min(next + READ_TOGETHER)];
            let are_left = self.are_left(tx, &tenants, firsts)?;
            let changes = objects::changes(tx.conn, &self.set, firsts)?;
            let mut done = 0;
            while done < firsts.len() && (done == 0 || !is_enough()) {
                let count = are_left[done..].iter().take_while(|is_left| **is_left).count();
                let together = self.restore_first(tx, scope, &firsts[done..], &changes[done..done + count])?;
                restored += together;
                done += together.max(1);
            }
            next += done;
        }
        // On Postgres somebody else may have changed one between the look and its lock; nobody can from now on.
        for firsts in self.objects[from..next].chunks(READ_TOGETHER) {
            self.are_left(tx, &tenants, firsts)?;
        }
        Ok((restored, next))
    }

    /// Which objects are as the set left them, and not as they were before it? 409 when one is neither.
    fn are_left(&self, tx: &mut Tx<'_>, tenants: &[String], firsts: &[FirstChange]) -> db::Result<Vec<bool>> {
        let since = objects::since(tx.conn, tenants, &self.set, firsts)?;
        let is_left = |(first, since): (&FirstChange, Since)| match since {
            Since::Unchanged => Ok(true),
            Since::Undone => Ok(false),
            Since::Changed(last) => Err(changed_since(1, &[changed_by(first, *last)]).into()),
        };
        firsts.iter().zip(since).map(is_left).collect()
    }

    /// Restores the first of some objects, and those of its kind behind it that can be restored with it; none, if there
    /// are none.
    fn restore_first(
        &self,
        tx: &mut Tx<'_>,
        scope: &RequestScope,
        firsts: &[FirstChange],
        changes: &[ObjectChange],
    ) -> db::Result<usize> {
        let (Some(first), Some(change)) = (firsts.first(), changes.first()) else { return Ok(0) };
        let Some(restorer) = self.restorers.of(&change.entity) else { return Ok(0) };
        let count = changes.iter().take_while(|other| other.entity == change.entity).count();
        // The names of what nobody reads are of what is stored, and not of the request.
        let (restored, _) = ignored::collect(|| restorer.restore_first(tx, scope, &changes[..count]));
        restored.map_err(|error| refused(first, error))
    }
}

/// 409 that names the object that a rule keeps from being restored.
fn refused(first: &FirstChange, error: db::Error) -> db::Error {
    match error {
        db::Error::Problem(cause) => {
            let name = format!("{} {}", first.entity, first.entity_id);
            let mut reasons: Vec<String> =
                cause.errors.iter().map(|error| format!("{} {}", error.field_name, error.message)).collect();
            if reasons.is_empty() {
                reasons.push(cause.detail);
            }
            let mut problem = Problem::conflict(format!("{name} cannot be restored, so nothing more is undone."));
            problem.errors = vec![FieldError::new(name, reasons.join("; "))];
            problem.into()
        }
        error => error,
    }
}

/// Restores objects in several transactions, so short that others write in between.
async fn in_parts(context: &RequestContext<UndoOptions>, work: Work, undo: Undo) -> api::Result<Answer> {
    let actor = context.actor_of_parts();
    let scope = context.request_scope();
    let restorers = Arc::clone(&work.restorers);
    let mut made = None;
    let mut restored = 0;
    let mut from = 0;
    while from < work.objects.len() {
        let (actor, scope, work, db) = (actor.clone(), scope.clone(), work.clone(), context.db.clone());
        let now = clock::now();
        let id = change_sets::new_id(&actor);
        let part = context.db.write_parts_for(context.caller.home.as_str(), move |conn| {
            let begun = Instant::now();
            let is_enough = || begun.elapsed() >= SHARE && db.is_waited_for();
            Tx::run(conn, &actor, now, |tx| work.restore(tx, &scope, from, is_enough))
        });
        let (some, next) = part.await.map_err(|error| interrupted(error, restored))?;
        restorers.forget_cached();
        restored += some;
        made = made.or(id.filter(|_| some > 0));
        from = next;
    }
    Ok(Answer::ok(&Undo { change_set: made, objects: restored, ..undo })?)
}

/// What stopped an undo, with how far it came.
fn interrupted(error: db::Error, restored: usize) -> api::Error {
    match error {
        db::Error::Problem(mut problem) if restored > 0 => {
            problem.detail = format!("{} {restored} objects are restored already.", problem.detail);
            problem.into()
        }
        error => error.into(),
    }
}
