//! Undoing a change set: each of its objects as it was before, by the rules of the domain that it belongs to.

mod answer;
mod work;

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use actix_web::{HttpResponse, web};
use api::{
    Answer, OptionalBody, Parameters, PathIds, Request, RequestContext, RequestScope, Restorer, Restorers,
    answer as answers, clock, post,
};
use base::problem::Problem;
use db::Conn;
use outbox::{
    Tx,
    change_sets::{
        self, ChangeSet,
        objects::{self, FirstChange, ObjectChange, Since},
    },
};

use self::{
    answer::{LASTING, MOST_NAMED, Undo, changed_by, changed_since, nothing_left},
    work::{BatchResult, MOST_PASSES, READ_TOGETHER, Restoration, WHOLE},
};
use crate::change_sets::ChangeSetId;

/// How long objects are restored together while others wait to write.
const SHARE: Duration = Duration::from_millis(10);

/// The largest set that can be undone: its objects are listed in memory.
const MOST: i64 = 50_000;

/// The parameters of an undo.
#[derive(Clone, Debug, Parameters)]
pub struct UndoOptions {
    /// Say what would be undone and change nothing; default false.
    #[request(default, example = true)]
    pub preview: bool,
}

/// What an undo may say.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "UndoInput", example = json!({"preview": true}))]
pub(crate) struct UndoBody {
    /// As the parameter of the URL: say what would be undone and change nothing; default false.
    #[request(default)]
    preview: bool,
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
    request_body(content = Option<UndoBody>, description = "May be left out"),
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
    OptionalBody(body): OptionalBody<UndoBody>,
) -> api::Result<HttpResponse> {
    let restorers = restorers.into_inner();
    let known = Arc::clone(&restorers);
    let plan = context.read(move |conn, scope| look(conn, scope, &known, &id)).await?;
    if context.query.preview || body.preview {
        return answers::ok(&Undo { preview: true, ..plan.undo });
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
    let restored = objects.iter().map(|one| (one.entity.clone(), one.entity_id.clone())).collect();
    let context = context.undoing(&set.id, restored);
    let work = Restoration { set: Arc::new(set), restorers: Arc::clone(&restorers) };
    if objects.len() <= WHOLE {
        let whole = context.write(move |tx, scope| {
            let made = change_sets::new_id(tx.actor());
            let restored = work.restore_all(tx, scope, &objects)?;
            Answer::ok(&undo.restored(made, restored)?)
        });
        let answer = whole.await;
        restorers.forget_cached();
        return answer;
    }
    let inner = context.clone();
    context.carry_out(async move { in_parts(&inner, work, objects, undo).await }).await
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

/// Restores objects in several transactions, so short that others write in between.
async fn in_parts(
    context: &RequestContext<UndoOptions>,
    work: Restoration,
    objects: Vec<FirstChange>,
    undo: Undo,
) -> api::Result<Answer> {
    let actor = context.actor_of_parts();
    let scope = context.request_scope();
    let mut made = None;
    let mut restored = 0;
    let mut pending: Arc<[FirstChange]> = objects.into();
    let mut pass = BatchResult::default();
    let mut number = 0;
    while !pending.is_empty() {
        let actor = actor.clone();
        let scope = scope.clone();
        let inner = work.clone();
        let db = context.db.clone();
        let objects = Arc::clone(&pending);
        let from = pass.done;
        let now = clock::now();
        let id = change_sets::new_id(&actor);
        let part = context.db.write_parts_for(context.caller.home.as_str(), move |conn| {
            let begun = Instant::now();
            let is_enough = || begun.elapsed() >= SHARE && db.is_waited_for();
            Tx::run(conn, &actor, now, |tx| inner.restore(tx, &scope, &objects[from..], is_enough))
        });
        let part = part.await.map_err(|error| interrupted(error, restored))?;
        work.restorers.forget_cached();
        restored += part.restored;
        made = made.or(id.filter(|_| part.restored > 0));
        pass.done += part.done;
        pass.restored += part.restored;
        pass.refused.extend(part.refused);
        pass.why = pass.why.or(part.why);
        if pass.done == pending.len() {
            number += 1;
            let next = std::mem::take(&mut pass).into_next(number == MOST_PASSES);
            pending = next.map_err(|problem| interrupted(problem.into(), restored))?.into();
        }
    }
    Ok(Answer::ok(&undo.restored(made, restored)?)?)
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
