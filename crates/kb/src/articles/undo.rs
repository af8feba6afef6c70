//! Undoing changes of articles: a new one goes into the trash, one that went there comes back, and a former text is the
//! content of the next revision.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use super::{http::check_category, row::ArticleHead, rules, store, wire::ArticleChange};
use crate::state;

const TITLE: &str = "title";
const STATE: &str = "state";
const CATEGORY: &str = "category.id";
/// Says that the text changed; the text itself is in the revision.
const REVISION: &str = "revision";
const FIELDS: [&str; 4] = [TITLE, STATE, CATEGORY, REVISION];
/// Those that follow from a change.
const DERIVED: [&str; 5] = ["id", "createdBy", "updatedBy", "createdDate", "updatedDate"];

/// Restores articles.
pub struct Articles;

impl Restorer for Articles {
    fn kinds(&self) -> &'static [&'static str] {
        &["KbArticle"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        if !change.exists {
            return Err(Problem::conflict("The article is gone for good.").into());
        }
        let old = ArticleHead::lock_existing(tx.conn, std::slice::from_ref(&change.tenant_id), &change.entity_id)?;
        let is_in_trash = !old.trashed_with.is_empty();
        // Where the set did not change that, it is now where it was before.
        let was_in_trash = match change.fields.get(STATE) {
            Some(field) => field.before == Some(json!(state::TRASH)),
            None => is_in_trash,
        };
        let is_to_trash = !change.existed || was_in_trash;
        let mut row = old.clone();
        if is_in_trash && !is_to_trash {
            row = rules::moved_to_trash(&row, None, tx.author(), tx.now);
        }
        if change.existed {
            // One that the set took out of the trash and put back there is changed where it is.
            row.trashed_with.clear();
            row = with_former_values(tx, change, row)?;
        }
        if !is_to_trash {
            check_category(tx, &row.tenant_id, &row.category_id)?;
        } else if is_in_trash {
            row.trashed_with.clone_from(&old.trashed_with);
        } else {
            row = rules::moved_to_trash(&row, Some(&old.id), tx.author(), tx.now);
        }
        store::update_head(tx.conn, &row)?;
        tx.record_change(Some(&old), Some(&row))
    }
}

/// Gives an article the title, the text, the state and the category that it had.
fn with_former_values(tx: &mut Tx<'_>, change: &ObjectChange, row: ArticleHead) -> Result<ArticleHead> {
    let mut body = Map::new();
    if let Some(category) = restore::former(change, CATEGORY) {
        body.insert("category".to_owned(), json!({"id": category}));
    }
    if let Some(state) = restore::former_text(change, STATE).filter(|state| *state != state::TRASH) {
        body.insert(STATE.to_owned(), state.into());
    }
    if let Some(revision) = restore::former(change, REVISION).and_then(Value::as_i64) {
        let (title, content, ..) = store::revision_text(tx.conn, &row, revision)?;
        body.insert(TITLE.to_owned(), title.into());
        body.insert("content".to_owned(), content.into());
    }
    if body.is_empty() {
        return Ok(row);
    }
    let former = ArticleChange::parse(&Value::Object(body))?;
    let content = store::content(tx.conn, &row)?;
    let (next, content) = rules::apply_change(&row, &content, former, tx.author(), tx.now)?;
    store::update(tx.conn, &row, &next, &content)?;
    Ok(next)
}
