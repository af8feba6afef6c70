//! The tags of machines.

use std::collections::BTreeMap;

use base::text::fold;
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use serde::Deserialize;

use super::MOST_VALUES;
use crate::{
    model::document::{STATES, Tag},
    resources::filter,
    schema::resources,
};

/// The tags of a document.
#[derive(Default, Deserialize)]
struct DocumentTags {
    #[serde(default)]
    tags: Vec<Tag>,
}

/// Names and values of the tags of each of these resources. Of several tenants' resources of one id, that of the tenant
/// that was named first counts.
pub(super) fn tags_of(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>> {
    let ids: Vec<String> = ids.iter().map(|id| fold(id.trim())).collect();
    let rank = |tenant: &str| tenants.iter().position(|known| known == tenant);
    let mut documents: BTreeMap<String, (String, String)> = BTreeMap::new();
    for ids in ids.chunks(MOST_VALUES) {
        use resources::dsl;
        let rows: Vec<(String, String, String)> = dsl::resources
            .filter(filter::tenants(tenants))
            .filter(Condition::text_in("resources.id IN", ids))
            .filter(filter::states(STATES))
            .select((dsl::tenant_id, dsl::id, dsl::document))
            .load(conn)?;
        for (tenant, id, document) in rows {
            if documents.get(&id).is_none_or(|(known, _)| rank(&tenant) < rank(known)) {
                documents.insert(id, (tenant, document));
            }
        }
    }
    let tags = |id: &String| {
        let document = documents.get(id).map(|(_, document)| document.as_str()).unwrap_or("{}");
        let document_tags: DocumentTags = serde_json::from_str(document).unwrap_or_default();
        document_tags.tags.into_iter().map(|tag| (tag.name, tag.value)).collect()
    };
    Ok(ids.iter().map(tags).collect())
}
