//! The articles port for other domains.

use base::{Walk, cursor::List, page::PageRequest};
use db::{Conn, Result};
use ports::KnownArticle;

use super::{rules, store};
use crate::state::ACTIVE;

/// Answers [`ports::Articles`].
#[derive(Clone, Copy, Debug)]
pub struct Library;

impl ports::Articles for Library {
    fn about(&self, conn: &mut Conn, tenants: &[String], texts: &[String], most: usize) -> Result<Vec<KnownArticle>> {
        let page_size = u32::try_from(most).unwrap_or(u32::MAX);
        let walk = Walk::numbered(PageRequest { page_no: 1, page_size }, List::default());
        let mut found: Vec<KnownArticle> = Vec::new();
        for text in texts {
            let Ok(words) = rules::query_words(text) else { continue };
            if words.is_empty() {
                continue;
            }
            let heads = store::search(conn, tenants, &words, &[ACTIVE], None, &walk, |_, _| ())?;
            for (head, ()) in heads.rows {
                if found.iter().all(|known| known.id != head.id) {
                    found.push(KnownArticle { id: head.id, title: head.title });
                }
            }
            if found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        Ok(found)
    }
}
