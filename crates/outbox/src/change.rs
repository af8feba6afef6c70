//! A write and what it changed.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use serde_json::Value;

use crate::{audit, events};

/// On whose behalf something is written.
#[derive(Clone, Debug)]
pub struct Who {
    /// The user that the caller acts as.
    pub user_id: String,
    /// The public id of the API key, or the command.
    pub key_id: String,
    /// The request.
    pub request_id: String,
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

/// One entity that a write changed. `before` and `after` are what clients may see of it: never a secret.
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

/// A write under way.
pub struct Tx<'c> {
    /// The connection, inside the transaction.
    pub conn: &'c mut Conn,
    /// When the request was taken up.
    pub now: Timestamp,
    who: &'c Who,
    changes: Vec<Change>,
}

impl<'c> Tx<'c> {
    /// Runs `f`, then stores what it noted. To be called inside [`Db::write`](db::Db::write).
    pub fn run<T>(
        conn: &'c mut Conn,
        who: &'c Who,
        now: Timestamp,
        f: impl FnOnce(&mut Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut tx = Tx { conn, now, who, changes: Vec::new() };
        let value = f(&mut tx)?;
        tx.store()?;
        Ok(value)
    }

    /// Notes a change. Several of one entity in one write are one: from the first state to the last.
    pub fn note(&mut self, change: Change) {
        let same = |known: &&mut Change| {
            known.entity == change.entity && known.entity_id == change.entity_id && known.tenant_id == change.tenant_id
        };
        match self.changes.iter_mut().find(same) {
            Some(known) => known.after = change.after,
            None => self.changes.push(change),
        }
    }

    fn store(self) -> Result<()> {
        for change in &self.changes {
            // Made and gone within one write, or written as it was: nothing happened.
            if change.before == change.after {
                continue;
            }
            audit::insert(self.conn, self.who, self.now, change)?;
            if change.publish {
                events::insert(self.conn, self.who, self.now, change)?;
            }
        }
        Ok(())
    }
}
