//! The articles port for other domains.

use base::{PageRequest, cursor::List, page::NumberedPage};
use db::{Conn, Result};
use ports::RelatedArticle;

use super::{rules, store};
use crate::state::ACTIVE;

/// Answers [`ports::Articles`].
#[derive(Clone, Copy, Debug)]
pub struct ArticlePort;

impl ports::Articles for ArticlePort {
    fn about(&self, conn: &mut Conn, tenants: &[String], texts: &[String], most: usize) -> Result<Vec<RelatedArticle>> {
        let page_size = u32::try_from(most).unwrap_or(u32::MAX);
        let walk = PageRequest::numbered(NumberedPage { page_no: 1, page_size }, List::default());
        let mut found: Vec<RelatedArticle> = Vec::new();
        for text in texts {
            let Ok(words) = rules::query_words(text) else { continue };
            if words.is_empty() {
                continue;
            }
            let heads = store::search(conn, tenants, &words, &[ACTIVE], None, &walk, |_, _| ())?;
            for (head, ()) in heads.rows {
                if found.iter().all(|known| known.id != head.id) {
                    found.push(RelatedArticle { id: head.id, title: head.title });
                }
            }
            if found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }

    fn content(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<String>> {
        store::active_content(conn, tenants, id)
    }
}
