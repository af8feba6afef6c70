//! An article as it is stored, which changes with its category, too, and what audit log and subscribers see of it.

use base::timestamp::Timestamp;
use diesel::prelude::*;
use outbox::{Entity, Recorded};
use serde_json::{Value, json};

use crate::{schema::kb_articles, state};

/// One row of `kb_articles`, but for its content.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = kb_articles, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct ArticleHead {
    pub tenant_id: String,
    /// `KBA` and digits, unique in the whole database.
    pub id: String,
    /// The number in the id.
    pub number: i64,
    pub version: i64,
    /// Counts the versions of title and content.
    pub revision: i64,
    /// Its category, of the same tenant.
    pub category_id: String,
    /// As it was given.
    pub title: String,
    /// Folded.
    pub title_key: String,
    /// Its state outside the trash.
    pub state: String,
    /// The article or category whose deletion put it into the trash; empty outside.
    pub trashed_with: String,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// Without the content, which is in its revisions.
impl Recorded for ArticleHead {
    fn entity(&self) -> Entity<'_> {
        Entity::published("KbArticle", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        Ok(json!({
            "id": self.id,
            "title": self.title,
            "category": {"id": self.category_id},
            "state": state::effective_state(&self.state, &self.trashed_with),
            "revision": self.revision,
            "createdBy": {"id": self.created_by},
            "updatedBy": {"id": self.updated_by},
            "createdDate": Timestamp::from_millis(self.created_ms),
            "updatedDate": Timestamp::from_millis(self.updated_ms),
        }))
    }
}
