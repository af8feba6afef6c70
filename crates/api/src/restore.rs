//! What domains restore when a change set is undone.

use std::sync::Arc;

use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Recorded, Tx, audit, change_sets::objects::ObjectChange};
use serde_json::{Map, Value};

use crate::{RequestScope, Resource};

/// Restores objects of some kinds as they were before a change set, by the rules of any write of theirs: names that are
/// taken meanwhile, limits, and what else refers to them.
pub trait Restorer: Send + Sync {
    /// The kinds, as the audit log names them.
    fn kinds(&self) -> &'static [&'static str];

    /// Can the object be what it was? One of which the audit log does not keep enough stays as it is, whole.
    fn can_restore(&self, _: &ObjectChange) -> bool {
        true
    }

    /// What of a change stays as it is: fields that the audit log does not keep, or that no operation sets.
    fn left(&self, change: &ObjectChange) -> Vec<String>;

    /// The same, where it depends on what is there now. `comes_back` tells by its kind and id what else is restored.
    fn find_left(
        &self,
        _: &mut Conn,
        change: &ObjectChange,
        _comes_back: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>> {
        Ok(self.left(change))
    }

    /// Restores an object: removes what is new, puts back what is gone under its id, or sets the fields that differ to
    /// what they were before.
    ///
    /// # Errors
    /// The problem that keeps it from being restored.
    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()>;

    /// Restores the first of some objects, and of those behind it as many as statements can restore together; answers
    /// how many.
    ///
    /// # Errors
    /// The problem that keeps the first from being restored.
    fn restore_first(&self, tx: &mut Tx<'_>, scope: &RequestScope, changes: &[ObjectChange]) -> Result<usize> {
        let Some(first) = changes.first() else { return Ok(0) };
        self.restore(tx, scope, first).map(|()| 1)
    }

    /// Forgets what this process remembers of objects that may have been restored; called after each commit.
    fn forget_cached(&self) {}
}

/// The restorers of all domains.
#[derive(Clone, Default)]
pub struct Restorers(Vec<Arc<dyn Restorer>>);

impl Restorers {
    /// These.
    pub fn new(all: Vec<Arc<dyn Restorer>>) -> Self {
        Self(all)
    }

    /// That of a kind, if it can be restored.
    pub fn of(&self, kind: &str) -> Option<&dyn Restorer> {
        self.0.iter().find(|restorer| restorer.kinds().contains(&kind)).map(|restorer| &**restorer)
    }

    /// [`Restorer::forget_cached`], of all.
    pub fn forget_cached(&self) {
        self.0.iter().for_each(|restorer| restorer.forget_cached());
    }
}

/// Whose an object is, which never changes.
const TENANT: &str = "clientUniqueId";

/// The fields of a change that stay as they are: those that are neither derived (by the first name of their path; the
/// tenant always is) nor can be set, and those whose former value the audit log does not keep.
pub fn left(change: &ObjectChange, derived: &[&str], can_be_set: impl Fn(&str) -> bool) -> Vec<String> {
    let is_derived = |path: &str| path == TENANT || is_in(path, derived);
    let left = change
        .fields
        .iter()
        .filter(|(path, field)| !is_derived(path) && (!can_be_set(path) || !is_whole(field.before.as_ref())));
    left.map(|(path, _)| path.clone()).collect()
}

/// Has the audit log what an object is created again from, if it is gone? `left` is what stays, and `required` the
/// fields without which there is no such object.
pub fn is_complete(change: &ObjectChange, left: &[String], required: &[&str]) -> bool {
    change.exists || !left.iter().any(|path| is_in(path, required))
}

/// Is a path one of these fields, or inside of one?
pub fn is_in(path: &str, fields: &[&str]) -> bool {
    path.split('.').next().is_some_and(|name| fields.contains(&name))
}

/// A body with the former values of these text fields, as far as the change has them; an empty text where there was
/// none.
pub fn body(change: &ObjectChange, fields: &[&str]) -> Value {
    let former = fields.iter().filter_map(|name| {
        let before = change.fields.get(*name)?.before.as_ref();
        is_whole(before).then(|| ((*name).to_owned(), before.cloned().unwrap_or_else(|| Value::from(""))))
    });
    Value::Object(former.collect())
}

/// The former value of a field that changed; [`None`] where there was none, or the audit log does not keep it.
pub fn former<'c>(change: &'c ObjectChange, path: &str) -> Option<&'c Value> {
    let before = change.fields.get(path)?.before.as_ref();
    before.filter(|value| !value.is_null() && is_whole(Some(value)))
}

/// The same of a text.
pub fn former_text<'c>(change: &'c ObjectChange, path: &str) -> Option<&'c str> {
    former(change, path)?.as_str()
}

/// Who made an object that comes back, and when (in milliseconds), as the audit log has it; else who restores it, now.
pub fn origin(change: &ObjectChange, tx: &Tx<'_>) -> (String, i64) {
    let author = ["createdBy.id", "createdBy"].into_iter().find_map(|path| former_text(change, path));
    let created = ["createdDate", "createdTime"].into_iter().find_map(|path| former_text(change, path));
    let created = created.and_then(Timestamp::parse).unwrap_or(tx.now);
    (author.unwrap_or(tx.author()).to_owned(), created.millis())
}

/// An object of a record, of which `now` is what it is now, with what changed in it as it was; [`None`] when nothing in
/// it changed. What the audit log does not keep stays, and objects without any field go.
pub fn former_object(change: &ObjectChange, name: &str, now: Option<&Value>) -> Option<Map<String, Value>> {
    let is_of = |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let mut changed = change.fields.iter().filter(|(path, _)| is_of(path)).peekable();
    changed.peek()?;
    let mut object = now.and_then(Value::as_object).cloned().unwrap_or_default();
    let former: Vec<_> = changed
        .filter(|(_, field)| is_whole(field.before.as_ref()))
        .filter_map(|(path, field)| {
            let path = path.strip_prefix(name)?.strip_prefix('.')?;
            Some((steps_in(&object, path), field.before.as_ref()))
        })
        .collect();
    let former = former.into_iter();
    // What is new goes first: a value may have become an object, or an object a value.
    let (values, new): (Vec<_>, Vec<_>) = former.partition(|(_, before)| before.is_some());
    new.into_iter().chain(values).for_each(|(path, before)| set(&mut object, &path, before));
    Some(object)
}

/// The names that a path in an object is made of. One that leads nowhere and stands there as a name is one name: older
/// rows of the audit log have dots of names as they are.
fn steps_in(object: &Map<String, Value>, path: &str) -> Vec<String> {
    let steps = audit::steps(path);
    let mut inner = Some(object);
    let mut found = false;
    for step in &steps {
        let value = inner.and_then(|inner| inner.get(step));
        found = value.is_some();
        inner = value.and_then(Value::as_object);
    }
    if !found && object.contains_key(path) { vec![path.to_owned()] } else { steps }
}

/// Sets what is at a path, or removes it, with the objects around it that are left without any field.
fn set(object: &mut Map<String, Value>, path: &[String], value: Option<&Value>) {
    let Some((name, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        match value {
            Some(value) => drop(object.insert(name.clone(), value.clone())),
            None => drop(object.remove(name)),
        }
        return;
    }
    let mut inner = match object.remove(name) {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    };
    set(&mut inner, rest, value);
    if !inner.is_empty() {
        object.insert(name.clone(), Value::Object(inner));
    }
}

/// Restores what is declared as a [`Resource`]: `create` makes it again, with the id that it had, `remove` takes away
/// what is new, and `update` gives what is there the values that it had.
///
/// # Errors
/// Theirs; 404 when it is not there, 409 when it should not be.
pub fn restore_resource<R: Resource + Recorded>(
    tx: &mut Tx<'_>,
    change: &ObjectChange,
    create: impl FnOnce(&mut Tx<'_>) -> Result<R>,
    remove: impl FnOnce(&mut Conn, &R) -> Result<()>,
    update: impl FnOnce(&mut Tx<'_>, &R) -> Result<R>,
) -> Result<()> {
    let tenant = [change.tenant_id.clone()];
    if !change.exists {
        if R::find(tx.conn, &tenant, &change.entity_id)?.is_some() {
            return Err(Problem::conflict(format!("There is another {} with this id.", R::NAME)).into());
        }
        let new = create(tx)?;
        return tx.record_change(None, Some(&new));
    }
    let old = R::lock_existing(tx.conn, &tenant, &change.entity_id)?;
    if !change.existed {
        remove(tx.conn, &old)?;
        return tx.record_change(Some(&old), None);
    }
    let new = update(tx, &old)?;
    tx.record_change(Some(&old), Some(&new))
}

/// Is a value as the audit log has it the whole value? Of long ones it has the length, of secrets that there was one.
pub fn is_whole(value: Option<&Value>) -> bool {
    let Some(text) = value.and_then(Value::as_str) else { return true };
    let is_length = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(" characters)"))
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    text != "[secret]" && !is_length
}

#[cfg(test)]
mod tests;
