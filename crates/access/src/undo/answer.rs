//! What an undo did, or would do, and why it is refused.

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use outbox::{audit::Entry, change_sets::objects::FirstChange};
use serde::Serialize;
use utoipa::ToSchema;

/// Objects that an answer names at most, of each list.
pub const MOST_NAMED: usize = 100;

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

pub const LASTING: &str = "Calls of integrations and pages that the changes caused have gone out.";

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

impl Undo {
    /// The answer to an undo that restored so many objects under a set of its own.
    ///
    /// # Errors
    /// 409 when another undo of the same set was faster.
    pub fn restored(mut self, made: Option<String>, objects: usize) -> Result<Self, Problem> {
        self.already_undone += self.objects.saturating_sub(objects);
        if objects == 0 {
            return Err(nothing_left(&self));
        }
        Ok(Self { change_set: made, objects, ..self })
    }

    /// Notes that fields of an object stay as they are, or all of it.
    pub fn leave(&mut self, object: &FirstChange, fields: Vec<String>) {
        self.not_undone_count += 1;
        if self.not_undone.len() < MOST_NAMED {
            let FirstChange { tenant_id, entity, entity_id, .. } = object.clone();
            self.not_undone.push(NotUndone { tenant_id, entity, entity_id, fields });
        }
    }
}

pub fn changed_by(first: &FirstChange, last: Entry) -> ChangedSince {
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
pub fn changed_since(count: usize, some: &[ChangedSince]) -> Problem {
    let objects = if count == 1 { "1 object changed".to_owned() } else { format!("{count} objects changed") };
    let mut problem = Problem::conflict(format!(
        "{objects} since, so the change set cannot be undone. What later ones did counts also where they were undone."
    ));
    problem.errors = some
        .iter()
        .map(|one| {
            let message = format!("changed at {} by the request {}", one.time, one.request_id);
            FieldError::new(format!("{} {}", one.entity, one.entity_id), message)
        })
        .collect();
    problem
}

pub fn nothing_left(undo: &Undo) -> Problem {
    Problem::conflict(match undo.already_undone {
        0 => "Nothing of the change set can be undone.",
        _ => "The change set is undone already.",
    })
}
