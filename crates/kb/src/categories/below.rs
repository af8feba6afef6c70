//! What a change of a category changes of what is below it, for the audit log and for subscribers.

use db::{Conn, Result};
use outbox::{Recorded as _, TimedEvent, Tx, Unpublished};

use super::{row::Category, store};
use crate::article::ArticleHead;

/// As many categories, and as many articles, are told of one by one; that there are more, the change of the category
/// itself says.
const MOST: usize = 1_000;

/// The field of the audit log that says so.
pub const FIELD: &str = "below";

/// What is below a category and goes into the trash with it, or comes back.
pub struct Below {
    categories: Vec<Category>,
    articles: Vec<ArticleHead>,
}

impl Below {
    /// Reads it as it is before that.
    pub fn load(conn: &mut Conn, category: &Category) -> Result<Self> {
        let with = if category.trashed_with.is_empty() { "" } else { category.id.as_str() };
        let categories = store::below(conn, category, Some(with), MOST + 1)?;
        Ok(Self { categories, articles: store::articles_below(conn, category, with, MOST + 1)? })
    }

    /// Records it as it is afterwards, for what the change of the category itself says besides.
    pub fn record(self, tx: &mut Tx<'_>, trashed_with: &str) -> Result<Vec<Unpublished>> {
        let Self { categories, articles } = self;
        for old in articles.iter().take(MOST) {
            let new = ArticleHead { trashed_with: trashed_with.to_owned(), ..old.clone() };
            tx.record_change(Some(old), Some(&new))?;
        }
        for old in categories.iter().take(MOST) {
            let new = Category {
                trashed_with: trashed_with.to_owned(),
                updated_by: tx.author().to_owned(),
                updated_ms: tx.now.millis(),
                ..old.clone()
            };
            tx.record_change(Some(old), Some(&new))?;
        }
        let is_more = categories.len() > MOST || articles.len() > MOST;
        let text = format!("of what moved with it, {MOST} categories and {MOST} articles are listed");
        Ok(is_more.then(|| Unpublished::field(FIELD, None, Some(&text.into()))).flatten().into_iter().collect())
    }
}

/// Tells subscribers of the paths of the categories below one whose own path changed. Nobody changed these, so the
/// audit log has the one above alone, and an undo of what was done with them is not in its way.
pub fn tell_paths(tx: &mut Tx<'_>, categories: &[Category], old: &Category, new: &Category) -> Result<()> {
    for before in categories {
        let rest = before.path.strip_prefix(&old.path).unwrap_or_default();
        let after = Category { path: format!("{}{rest}", new.path), ..before.clone() };
        tx.record_timed_event(TimedEvent {
            tenant_id: before.tenant_id.clone(),
            entity: before.entity().kind(),
            entity_id: before.id.clone(),
            action: "UPDATE",
            before: Some(before.event_payload()?),
            after: after.event_payload()?,
        });
    }
    Ok(())
}

/// The categories whose paths follow that of a category.
pub fn on_path_of(conn: &mut Conn, category: &Category) -> Result<Vec<Category>> {
    store::below(conn, category, None, MOST)
}
