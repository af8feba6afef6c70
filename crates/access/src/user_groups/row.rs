//! The row of a user group.

use diesel::prelude::*;

use crate::{history, schema::user_groups};

/// A group as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = user_groups, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    pub tenant_id: String,
    /// `USRGRP-<uuid>`.
    pub id: String,
    /// Unique in its tenant, whatever the letter case.
    pub name: String,
    pub name_fold: String,
    /// Empty when there is none.
    pub description: String,
    /// In use, or not any more?
    pub activated: bool,
    /// Counts its changes, those of its members too; the `ETag`.
    pub version: i64,
    pub created_ms: i64,
    /// When it was changed last; `None` before the first change.
    pub updated_ms: Option<i64>,
}

impl Row {
    /// What others see of it, as it was until an instant.
    pub(super) fn until(&self, until_ms: i64) -> history::Group {
        history::Group {
            tenant_id: self.tenant_id.clone(),
            id: self.id.clone(),
            until_ms,
            name: self.name.clone(),
            description: self.description.clone(),
            created_ms: self.created_ms,
            updated_ms: self.updated_ms,
            activated: self.activated,
        }
    }
}

/// What ids of groups begin with.
pub(super) const PREFIX: &str = "USRGRP-";

/// The id in a text, in its one spelling; anything else is not looked up.
pub(super) fn normal_id(text: &str) -> Option<String> {
    let id = base::text::spelled(text, PREFIX);
    let uuid = id.strip_prefix(PREFIX).filter(|rest| rest.len() == 36)?;
    uuid::Uuid::try_parse(uuid).is_ok().then_some(id)
}
