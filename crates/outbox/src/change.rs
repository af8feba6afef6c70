//! A write and what it changed.

use std::{borrow::Cow, collections::HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Error, Result};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    audit::{self, Entry},
    change_sets::{self, SetMembership},
    events::{self, NewEvent},
};

/// On whose behalf something is written.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The user that the caller acts as.
    pub user_id: String,
    /// The public id of the API key, or the command.
    pub key_id: String,
    /// The request.
    pub request_id: String,
    /// The change set that its writes belong to; [`None`] for what nobody asked of the interface, such as a command.
    pub change_set: Option<SetMembership>,
}

impl Actor {
    /// A part of the service itself, such as `scheduler`, that acts without being asked.
    pub fn service(name: &str) -> Self {
        Self::without_change_set("", format!("service:{name}"), Uuid::now_v7().to_string())
    }

    /// One whose writes belong to no change set.
    pub fn without_change_set(
        user_id: impl Into<String>,
        key_id: impl Into<String>,
        request_id: impl Into<String>,
    ) -> Self {
        let (user_id, key_id, request_id) = (user_id.into(), key_id.into(), request_id.into());
        Self { user_id, key_id, request_id, change_set: None }
    }
}

/// What was done to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is new.
    Create,
    /// It has changed.
    Update,
    /// It is gone.
    Delete,
}

impl Action {
    /// The word used on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// One entity that a write changed. `before` and `after` are what clients may see of it: never a
/// secret. That a secret changed, [`Unpublished`] says.
#[derive(Clone, Debug)]
pub struct Change {
    /// The tenant that owns the entity.
    pub tenant_id: String,
    /// Its kind, such as `Resource`.
    pub entity: &'static str,
    /// Its id.
    pub entity_id: String,
    /// Its state before; `None` for a new one.
    pub before: Option<Value>,
    /// Its state after; `None` for one that is gone.
    pub after: Option<Value>,
    /// Do subscribers hear of it? The audit log always does.
    pub publish: bool,
}

impl Change {
    /// What was done.
    pub fn action(&self) -> Action {
        match (&self.before, &self.after) {
            (None, _) => Action::Create,
            (Some(_), Some(_)) => Action::Update,
            (Some(_), None) => Action::Delete,
        }
    }
}

/// What a change is a change of.
#[derive(Clone, Debug)]
pub struct Entity<'a> {
    kind: &'static str,
    tenant_id: &'a str,
    id: Cow<'a, str>,
    publish: bool,
}

impl<'a> Entity<'a> {
    /// One of a kind such as `Roster`, of a tenant: subscribers and the audit log hear of it.
    pub fn published(kind: &'static str, tenant_id: &'a str, id: impl Into<Cow<'a, str>>) -> Self {
        Self { kind, tenant_id, id: id.into(), publish: true }
    }

    /// As [`Entity::published`], but the audit log alone hears of it.
    pub fn audited(kind: &'static str, tenant_id: &'a str, id: impl Into<Cow<'a, str>>) -> Self {
        Self { kind, tenant_id, id: id.into(), publish: false }
    }

    /// Its kind.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    fn change(self, before: Option<Value>, after: Option<Value>) -> Change {
        let Self { kind, tenant_id, id, publish } = self;
        let tenant_id = tenant_id.to_owned();
        let entity_id = id.into_owned();
        Change { tenant_id, entity: kind, entity_id, before, after, publish }
    }
}

/// A row whose changes are recorded.
pub trait Recorded {
    /// What it is.
    fn entity(&self) -> Entity<'_>;

    /// What audit log and subscribers see of it: never a secret, and others by their ids alone.
    fn event_payload(&self) -> Result<Value>;
}

/// What is told of a row that is told just as clients see it.
pub fn payload<T: Serialize>(shown: &T) -> Result<Value> {
    serde_json::to_value(shown).map_err(|error| Error::Fault(format!("a change cannot be told: {error}")))
}

/// A field that changed and that only the audit log has, beside those of the [`Change`]: subscribers are not told of
/// it.
#[derive(Clone, Debug)]
pub struct Unpublished {
    pub(crate) name: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    pub(crate) secret: bool,
}

impl Unpublished {
    /// A secret that is another one now; `was` and `is` say whether there was one before, and is one after. The log has
    /// that it changed, never what it is.
    pub fn secret(name: impl Into<String>, was: bool, is: bool) -> Self {
        let shown = |any: bool| any.then(|| Value::from("[secret]"));
        Self { name: name.into(), before: shown(was), after: shown(is), secret: true }
    }

    /// A field by its value before and after; nothing when it is as it was.
    pub fn field(name: &str, before: Option<&Value>, after: Option<&Value>) -> Option<Self> {
        let field = || Self { name: name.to_owned(), before: before.cloned(), after: after.cloned(), secret: false };
        (before != after).then(field)
    }
}

/// Something that happens because its time has come, or that follows from a change of something else. Nobody did it, so
/// the audit log has nothing of it; subscribers hear of it.
#[derive(Clone, Debug)]
pub struct TimedEvent {
    /// The tenant of the entity.
    pub tenant_id: String,
    /// Its kind, such as `Roster`.
    pub entity: &'static str,
    /// Its id.
    pub entity_id: String,
    /// What happens, in a word such as `OPENED`.
    pub action: &'static str,
    /// What was so before, where that tells something.
    pub before: Option<Value>,
    /// What is so now.
    pub after: Value,
}

/// A change of this write that is not stored yet, and the fields that only the audit log has.
#[derive(Debug)]
struct PendingChange {
    change: Change,
    unpublished: Vec<Unpublished>,
}

impl PendingChange {
    /// `false` for an entity that was made and removed within the write, or written unchanged.
    fn is_any(&self) -> bool {
        let Change { before, after, .. } = &self.change;
        before != after || (before.is_some() && !self.unpublished.is_empty())
    }

    /// Merges a later change of the same entity in the same write.
    fn follow(&mut self, later: Self) {
        self.change.after = later.change.after;
        for field in later.unpublished {
            match self.unpublished.iter_mut().find(|existing| existing.name == field.name) {
                Some(existing) => existing.after = field.after,
                None => self.unpublished.push(field),
            }
        }
        self.unpublished.retain(|field| field.secret || field.before != field.after);
    }
}

/// A write under way.
pub struct Tx<'c> {
    /// The connection, inside the transaction.
    pub conn: &'c mut Conn,
    /// When the request was taken up.
    pub now: Timestamp,
    pub(crate) actor: &'c Actor,
    changes: Vec<PendingChange>,
    happenings: Vec<TimedEvent>,
    /// The index in `changes` of an entity, by kind, id and tenant.
    indexes: HashMap<(&'static str, String, String), usize>,
}

impl<'c> Tx<'c> {
    /// Runs `f`, then stores what it noted. To be called inside [`Db::write`](db::Db::write).
    pub fn run<T>(
        conn: &'c mut Conn,
        actor: &'c Actor,
        now: Timestamp,
        f: impl FnOnce(&mut Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut tx = Tx { conn, now, actor, changes: Vec::new(), happenings: Vec::new(), indexes: HashMap::new() };
        let value = f(&mut tx)?;
        tx.store()?;
        Ok(value)
    }

    /// The user on whose behalf it is.
    pub fn author(&self) -> &str {
        &self.actor.user_id
    }

    /// On whose behalf it is.
    pub fn actor(&self) -> &Actor {
        self.actor
    }

    /// Runs a part that may fail alone: what it wrote and noted is then undone, and the write goes on.
    pub fn attempt<T>(&mut self, f: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        let actor = self.actor;
        let now = self.now;
        let (value, changes, happenings) = db::savepoint(self.conn, |conn| {
            let mut part =
                Tx { conn, now, actor, changes: Vec::new(), happenings: Vec::new(), indexes: HashMap::new() };
            let value = f(&mut part)?;
            Ok((value, part.changes, part.happenings))
        })?;
        self.happenings.extend(happenings);
        changes.into_iter().for_each(|pending| self.add(pending));
        Ok(value)
    }

    /// Tells subscribers of something whose time has come.
    pub fn record_timed_event(&mut self, happening: TimedEvent) {
        self.happenings.push(happening);
    }

    /// Records that a row was made (`after` alone), changed, or removed (`before` alone).
    pub fn record_change<T: Recorded>(&mut self, before: Option<&T>, after: Option<&T>) -> Result<()> {
        self.record_change_with(before, after, Vec::new())
    }

    /// As [`Tx::record_change`], with fields that only the audit log has, such as secrets that changed.
    pub fn record_change_with<T: Recorded>(
        &mut self,
        before: Option<&T>,
        after: Option<&T>,
        unpublished: Vec<Unpublished>,
    ) -> Result<()> {
        let Some(row) = after.or(before) else { return Ok(()) };
        self.record_states(row.entity(), [before, after], T::event_payload, unpublished)
    }

    /// Records a change of what has no row: by what is told of it before and after.
    pub fn record_payloads(&mut self, entity: Entity<'_>, before: Option<Value>, after: Option<Value>) {
        self.note_with(entity.change(before, after), Vec::new());
    }

    /// Notes a change, and fields of it that only the audit log has. There is a row as soon as either changed;
    /// subscribers hear of the change alone. Several of one entity in one write are one: from the first state to the
    /// last.
    pub fn note_with(&mut self, change: Change, unpublished: Vec<Unpublished>) {
        self.add(PendingChange { change, unpublished });
    }

    fn add(&mut self, pending: PendingChange) {
        let Change { entity, entity_id, tenant_id, .. } = &pending.change;
        let key = (*entity, entity_id.clone(), tenant_id.clone());
        let next = self.changes.len();
        let index = *self.indexes.entry(key).or_insert(next);
        match self.changes.get_mut(index) {
            Some(existing) => existing.follow(pending),
            None => self.changes.push(pending),
        }
    }

    /// As [`Tx::record_change`], of an entity whose row does not tell all that clients see of it: by their views.
    pub fn record_view<T: Serialize>(
        &mut self,
        entity: Entity<'_>,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Result<()> {
        self.record_view_with(entity, before, after, Vec::new())
    }

    /// As [`Tx::record_view`], with fields that only the audit log has, such as secrets that changed.
    pub fn record_view_with<T: Serialize>(
        &mut self,
        entity: Entity<'_>,
        before: Option<&T>,
        after: Option<&T>,
        unpublished: Vec<Unpublished>,
    ) -> Result<()> {
        self.record_states(entity, [before, after], payload, unpublished)
    }

    fn record_states<T>(
        &mut self,
        entity: Entity<'_>,
        states: [Option<&T>; 2],
        payload: impl Fn(&T) -> Result<Value>,
        unpublished: Vec<Unpublished>,
    ) -> Result<()> {
        let [before, after] = states.map(|state| state.map(&payload).transpose());
        self.note_with(entity.change(before?, after?), unpublished);
        Ok(())
    }

    /// Both tables are written many rows at once: a write may have changed a thousand entities.
    fn store(self) -> Result<()> {
        let Tx { conn, now, actor, changes, happenings, .. } = self;
        let changes = changes.iter().filter(|pending| pending.is_any()).map(|pending| (pending, Uuid::now_v7()));
        let changes: Vec<(&PendingChange, Uuid)> = changes.collect();
        let (entries, mut new_events) = prepare_rows(actor, now, &changes)?;
        audit::insert(conn, &entries)?;
        change_sets::record(conn, actor, now, &entries)?;
        new_events.extend(happenings.iter().map(|happening| NewEvent::happened(actor, now, happening)));
        events::insert(conn, &new_events)
    }
}

/// The rows of the audit log and of the outbox.
type PreparedRows = (Vec<Entry>, Vec<NewEvent>);

/// Makes the rows for changes: one of the audit log for each, and one event for each that subscribers see.
fn prepare_rows(actor: &Actor, now: Timestamp, changes: &[(&PendingChange, Uuid)]) -> Result<PreparedRows> {
    let entries =
        changes.iter().map(|(pending, uuid)| Entry::of(actor, now, *uuid, &pending.change, &pending.unpublished));
    let new_events = changes.iter().map(|(pending, _)| &pending.change);
    let new_events = new_events.filter(|change| change.publish && change.before != change.after);
    Ok((entries.collect::<Result<_>>()?, new_events.map(|change| NewEvent::of(actor, now, change)).collect()))
}
