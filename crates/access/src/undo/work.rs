//! Objects of a change set are restored, each by the rules of its domain, until all are or none can be.

use std::sync::Arc;

use api::{RequestScope, Restorers};
use base::{
    body::ignored,
    problem::{FieldError, Problem},
};
use outbox::{
    Tx,
    change_sets::{
        ChangeSet,
        objects::{self, FirstChange, ObjectChange, Since},
    },
};

use super::answer::{changed_by, changed_since};

/// Objects that are restored in one transaction. A set of more is undone in several, so that nobody waits long for the
/// one writer of a SQLite file.
pub const WHOLE: usize = 100;

/// How often what was refused of more objects than [`WHOLE`] is tried: each time it is all that is left.
pub const MOST_PASSES: usize = 20;

/// Objects whose changes are read together.
pub const READ_TOGETHER: usize = 25;

/// Restores objects of a set.
#[derive(Clone)]
pub struct Restoration {
    /// The set.
    pub set: Arc<ChangeSet>,
    /// Those of all domains.
    pub restorers: Arc<Restorers>,
}

/// Objects that were gone through.
#[derive(Default)]
pub struct BatchResult {
    /// How many.
    pub done: usize,
    /// How many of them were restored.
    pub restored: usize,
    /// Those that a rule keeps from being restored, as long as others are as they are.
    pub refused: Vec<FirstChange>,
    /// Why the first of them was refused.
    pub why: Option<Problem>,
}

impl BatchResult {
    /// The objects to try again, now that others are restored, unless this was the last pass.
    ///
    /// # Errors
    /// The first refusal, when nothing was restored, or it was the last pass.
    pub fn into_next(self, is_last: bool) -> Result<Vec<FirstChange>, Problem> {
        match self.why {
            Some(why) if self.restored == 0 || is_last => Err(why),
            _ => Ok(self.refused),
        }
    }
}

impl Restoration {
    /// Restores all of some objects, at most [`WHOLE`]; answers how many were still to be restored.
    ///
    /// # Errors
    /// 409 that names the object that a rule keeps from being restored, whatever else is.
    pub fn restore_all(&self, tx: &mut Tx<'_>, scope: &RequestScope, objects: &[FirstChange]) -> db::Result<usize> {
        let mut restored = 0;
        let mut pending = objects.to_vec();
        while !pending.is_empty() {
            let pass = self.restore(tx, scope, &pending, || false)?;
            restored += pass.restored;
            pending = pass.into_next(false)?;
        }
        Ok(restored)
    }

    /// Goes through some objects, up to [`WHOLE`] of them or until it is enough.
    pub fn restore(
        &self,
        tx: &mut Tx<'_>,
        scope: &RequestScope,
        objects: &[FirstChange],
        is_enough: impl Fn() -> bool,
    ) -> db::Result<BatchResult> {
        // Two undos of one set would both find its objects as the set left them.
        db::Lock::of("undo", &self.set.id).take(tx.conn)?;
        let tenants = scope.scope_and_partner();
        let mut pass = BatchResult::default();
        let end = objects.len().min(WHOLE);
        while pass.done < end && (pass.done == 0 || !is_enough()) {
            let firsts = &objects[pass.done..end.min(pass.done + READ_TOGETHER)];
            let are_left = self.are_left(tx, &tenants, firsts)?;
            let changes = objects::changes(tx.conn, &self.set, firsts)?;
            let mut done = 0;
            while done < firsts.len() && (done == 0 || !is_enough()) {
                let count = are_left[done..].iter().take_while(|is_left| **is_left).count();
                let together = self.restore_first(tx, scope, &firsts[done..], &changes[done..done + count])?;
                match together {
                    Ok(together) => {
                        pass.restored += together;
                        done += together.max(1);
                    }
                    Err(problem) => {
                        pass.refused.extend(firsts.get(done).cloned());
                        pass.why.get_or_insert(problem);
                        done += 1;
                    }
                }
            }
            pass.done += done;
        }
        // On Postgres somebody else may have changed one between the look and its lock; nobody can from now on.
        for firsts in objects[..pass.done].chunks(READ_TOGETHER) {
            self.are_left(tx, &tenants, firsts)?;
        }
        Ok(pass)
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
    /// are none. What a rule keeps from it leaves nothing behind.
    fn restore_first(
        &self,
        tx: &mut Tx<'_>,
        scope: &RequestScope,
        firsts: &[FirstChange],
        changes: &[ObjectChange],
    ) -> db::Result<Result<usize, Problem>> {
        let (Some(first), Some(change)) = (firsts.first(), changes.first()) else { return Ok(Ok(0)) };
        let Some(restorer) = self.restorers.of(&change.entity) else { return Ok(Ok(0)) };
        let count = changes.iter().take_while(|other| other.entity == change.entity).count();
        let restore = |tx: &mut Tx<'_>| restorer.restore_first(tx, scope, &changes[..count]);
        // The names of what nobody reads are of what is stored, and not of the request.
        let (restored, _) = ignored::collect(|| tx.attempt(restore));
        match restored {
            Ok(together) => Ok(Ok(together)),
            Err(db::Error::Problem(cause)) => Ok(Err(refused(first, cause))),
            Err(error) => Err(error),
        }
    }
}

/// 409 that names the object that a rule keeps from being restored.
fn refused(first: &FirstChange, cause: Problem) -> Problem {
    let name = format!("{} {}", first.entity, first.entity_id);
    let mut reasons: Vec<String> =
        cause.errors.iter().map(|error| format!("{} {}", error.field_name, error.message)).collect();
    if reasons.is_empty() {
        reasons.push(cause.detail);
    }
    let mut problem = Problem::conflict(format!("{name} cannot be restored, so nothing more is undone."));
    problem.errors = vec![FieldError::new(name, reasons.join("; "))];
    problem
}
