//! Fills the index of words that a migration made anew on SQLite.

use db::{Backend, Backfill, BackfillStep, Conn, Result};
use diesel::prelude::*;

use super::store::WORDS;
use crate::schema::kb_articles::dsl;

/// The backfill of `kb_article_terms`. A cursor is the id of an article.
pub const BACKFILL: Backfill = Backfill { name: "kb-article-terms", left, lock: |_, _| Ok(()), step };

fn left(conn: &mut Conn, cursor: &str) -> Result<i64> {
    match Backend::of(conn) {
        Backend::Sqlite => Ok(dsl::kb_articles.filter(dsl::id.gt(cursor)).count().get_result(conn)?),
        Backend::Postgres => Ok(0),
    }
}

fn step(conn: &mut Conn, cursor: &str, most: usize) -> Result<BackfillStep> {
    if Backend::of(conn) == Backend::Postgres {
        return Ok(BackfillStep { rows: 0, cursor: None });
    }
    let next = dsl::kb_articles.filter(dsl::id.gt(cursor)).order(dsl::id);
    let rows: Vec<(String, String, i64, String)> = next
        .limit(i64::try_from(most).unwrap_or(i64::MAX))
        .select((dsl::tenant_id, dsl::id, dsl::number, dsl::title))
        .load(conn)?;
    for (tenant, id, number, title) in &rows {
        // One at a time: together they may be large.
        let content: String = dsl::kb_articles.find((tenant, id)).select(dsl::content).get_result(conn)?;
        WORDS.put(conn, tenant, *number, title, &content)?;
    }
    Ok(BackfillStep { rows: rows.len(), cursor: rows.into_iter().next_back().map(|(_, id, ..)| id) })
}

#[cfg(test)]
mod tests {
    use base::{NumberedPage, PageRequest, cursor::List};
    use db::{Condition, DatabaseUrl, Db, Options};
    use diesel::connection::SimpleConnection as _;

    use super::*;

    #[test]
    fn articles_from_before_the_index_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[outbox::migrations(), crate::MIGRATIONS]).unwrap();
        let found = |word: &str| {
            let walk = PageRequest::numbered(NumberedPage { page_no: 1, page_size: 10 }, List::default());
            let (scope, word) = (["client_1".to_owned()], [word.to_owned()]);
            let found = db.read_here(|conn| WORDS.search(conn, &scope, &word, &Condition::sql("1 = 1"), &walk));
            found.unwrap().1
        };
        db.write_here(|conn| {
            conn.batch_execute(
                "INSERT INTO kb_categories VALUES \
                 ('client_1', 'KBC1', 1, 'c', 'c', '', '', 1, 'c', 'ACTIVE', '', '', '', 0, 0); \
                 INSERT INTO kb_articles VALUES \
                 ('client_1', 'KBA1', 1, 1, 1, 'KBC1', 'one', 'one', 'disk', 'ACTIVE', '', '', '', 0, 0), \
                 ('client_1', 'KBA2', 2, 1, 1, 'KBC1', 'two', 'two', 'disk', 'ACTIVE', '', '', '', 0, 0)",
            )?;
            assert_eq!(left(conn, "")?, 2);
            assert_eq!(step(conn, "", 1)?, BackfillStep { rows: 1, cursor: Some("KBA1".to_owned()) });
            assert_eq!(left(conn, "KBA1")?, 1);
            step(conn, "KBA1", 9)?;
            assert_eq!(step(conn, "KBA2", 9)?, BackfillStep { rows: 0, cursor: None });
            Ok(())
        })
        .unwrap();
        assert_eq!((found("disk"), found("one")), (2, 1));
    }
}
