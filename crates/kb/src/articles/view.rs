//! Conversion of rows to the types of the interface.

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{Authors, People};

use super::{
    row::{ArticleHead, Revision},
    wire::{Article, Version},
};
use crate::{
    categories::{self, wire::CategoryName},
    state,
};

/// These articles without their contents, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[ArticleHead]) -> Result<Vec<Article>> {
    let names = categories::store::names(conn, rows.iter().map(|row| (&row.tenant_id, &row.category_id)).collect())?;
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, tenants, users)?;
    let show = |row: &ArticleHead| Article {
        id: row.id.clone(),
        client_unique_id: row.tenant_id.clone(),
        title: row.title.clone(),
        subject: row.title.clone(),
        content: None,
        snippet: None,
        category: CategoryName {
            id: row.category_id.clone(),
            name: names.get(&row.category_id).cloned().unwrap_or_default(),
        },
        state: state::effective_state(&row.state, &row.trashed_with).to_owned(),
        revision: row.revision,
        created_by: authors.of(&row.created_by),
        updated_by: authors.of(&row.updated_by),
        created_date: Timestamp::from_millis(row.created_ms).to_string(),
        updated_date: Timestamp::from_millis(row.updated_ms).to_string(),
        created_time: Timestamp::from_millis(row.created_ms).to_string(),
        updated_time: Timestamp::from_millis(row.updated_ms).to_string(),
    };
    Ok(rows.iter().map(show).collect())
}

/// One article with its content.
pub fn one(
    conn: &mut Conn,
    people: &dyn People,
    tenants: &[String],
    row: &ArticleHead,
    content: String,
) -> Result<Article> {
    let shown = all(conn, people, tenants, std::slice::from_ref(row))?.pop().ok_or_else(ArticleHead::not_found)?;
    Ok(Article { content: Some(content), ..shown })
}

/// These revisions, in their order.
pub fn versions(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Revision]) -> Result<Vec<Version>> {
    let authors = Authors::load(conn, people, tenants, rows.iter().map(|row| row.created_by.as_str()))?;
    let show = |row: &Revision| Version {
        revision: row.revision,
        title: row.title.clone(),
        created_by: authors.of(&row.created_by),
        created_date: Timestamp::from_millis(row.created_ms).to_string(),
    };
    Ok(rows.iter().map(show).collect())
}
