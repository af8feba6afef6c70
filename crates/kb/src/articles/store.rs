//! Rows of articles and of their revisions. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, FullText, Lock, Quota, Result, SortBy, Sorts, Tree};
use diesel::prelude::*;
use outbox::{Keep, Retention, Setting};

use super::{
    row::{ArticleHead, Revision},
    rules,
};
use crate::{
    lock,
    schema::{kb_article_revisions, kb_articles},
    state,
};

/// How many articles a tenant has at most.
pub static QUOTA: Quota = Quota::new("articles", "kb_articles", 100_000);

/// The number of the next one of a tenant. A partner sees its own and those of its clients together, so that none of
/// others has it.
pub fn next_number(conn: &mut Conn, tenant: &str) -> Result<i64> {
    db::next_short_id(conn, "kb.articles", tenant, |conn, number| {
        let same = kb_articles::table.filter(kb_articles::id.eq(rules::id(number)));
        Ok(diesel::select(diesel::dsl::exists(same)).get_result(conn)?)
    })
}

/// Revisions that others have replaced.
pub const RETENTION: Retention = Retention {
    kind: "article_versions",
    keep: Keep::Setting(Setting {
        option: "keep-article-versions",
        variable: "MUSTER_KEEP_ARTICLE_VERSIONS",
        days: 0,
        help: "How many days a former version of an article is kept after another replaced it; 0 for ever",
    }),
    most: Some(100_000),
    table: "kb_article_revisions",
    id: "article_id || ' ' || revision",
    since: "replaced_ms",
    only: "replaced_ms IS NOT NULL",
    remove: Some(|conn, tenant, ids, _| {
        for (article, revision) in ids.iter().filter_map(|id| id.split_once(' ')) {
            let revision: i64 =
                revision.parse().map_err(|_| db::Error::Fault("a revision without a number".to_owned()))?;
            diesel::delete(kb_article_revisions::table.find((tenant, article, revision))).execute(conn)?;
        }
        Ok(ids.len())
    }),
};

/// Where the words of articles are.
pub const WORDS: FullText = FullText { table: "kb_articles", index: "kb_article_terms" };
const CATEGORIES: Tree = Tree::of("kb_categories");
/// Where the state of an article is.
pub const STATE: state::Columns =
    state::Columns { state: "kb_articles.state", trashed_with: "kb_articles.trashed_with" };

/// The sort orders of the list of articles.
pub const SORTS: Sorts<ArticleHead> = Sorts {
    by: &[
        SortBy::text("title", "kb_articles.title_key", |row| Key::from(&row.title_key)),
        SortBy::integer("createdDate", "kb_articles.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("updatedDate", "kb_articles.updated_ms", |row| Key::from(row.updated_ms)),
    ],
    then: &[SortBy::text("id", "kb_articles.id", |row| Key::from(&row.id))],
};

/// The sort order of the list of an article's revisions.
pub const REVISION_SORTS: Sorts<Revision> = Sorts {
    by: &[],
    then: &[SortBy::integer("revision", "kb_article_revisions.revision", |row| Key::from(row.revision))],
};

// Changes of articles share the lock of the tree: they exclude changes of categories, not each other.
api::resource! {
    ArticleHead, "knowledge-base article",
    find: |conn, tenants, id| {
        let these = kb_articles::table.filter(kb_articles::tenant_id.eq_any(tenants));
        these.filter(kb_articles::id.eq(id)).select(db::columns::<ArticleHead>()).get_result(conn).optional()?
    },
    lock: |article, conn| {
        lock(&article.tenant_id).share(conn)?;
        Lock::of("kb-article", &article.id).take(conn)
    },
}

/// The content of an article.
pub fn content(conn: &mut Conn, article: &ArticleHead) -> Result<String> {
    let row = kb_articles::table.find((&article.tenant_id, &article.id));
    Ok(row.select(kb_articles::content).get_result(conn)?)
}

/// The content of an active article of one of these tenants.
pub fn active_content(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<String>> {
    let of_tenants = kb_articles::table.filter(kb_articles::tenant_id.eq_any(tenants)).filter(kb_articles::id.eq(id));
    let active = of_tenants.filter(kb_articles::state.eq(state::ACTIVE));
    Ok(active.select(kb_articles::content).first(conn).optional()?)
}

/// Title, content, author and time of a revision of an article, or 404.
pub fn revision_text(conn: &mut Conn, article: &ArticleHead, revision: i64) -> Result<(String, String, String, i64)> {
    use kb_article_revisions::dsl;
    let row = dsl::kb_article_revisions.find((&article.tenant_id, &article.id, revision));
    let found = row.select((dsl::title, dsl::content, dsl::created_by, dsl::created_ms)).get_result(conn);
    Ok(found.optional()?.ok_or_else(rules::no_revision)?)
}

/// A page of the revisions of an article.
pub fn revisions(conn: &mut Conn, article: &ArticleHead, sort: Sort, walk: &PageRequest) -> Result<PageRows<Revision>> {
    use kb_article_revisions::dsl;
    let own = dsl::kb_article_revisions
        .filter(dsl::tenant_id.eq(article.tenant_id.clone()))
        .filter(dsl::article_id.eq(article.id.clone()));
    let rows = own.select((dsl::revision, dsl::title, dsl::created_by, dsl::created_ms));
    Ok(db::page!(conn, rows, REVISION_SORTS, sort, walk))
}

/// A page of the articles that meet a condition.
pub fn list(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<ArticleHead>> {
    Ok(db::page!(conn, kb_articles::table.filter(condition).select(db::columns::<ArticleHead>()), SORTS, sort, walk))
}

/// A page of the articles of these tenants that have all words, best first; each is handed to `show` with its content.
/// `below` (tenant and id) keeps to a category and those below it.
pub fn search<T>(
    conn: &mut Conn,
    scope: &[String],
    words: &[String],
    states: &[&'static str],
    below: Option<(&str, &str)>,
    walk: &PageRequest,
    mut show: impl FnMut(&ArticleHead, &str) -> T,
) -> Result<PageRows<(ArticleHead, T)>> {
    let category = below.map(|(tenant, id)| {
        Condition::sql("EXISTS (SELECT 1 FROM kb_categories WHERE kb_categories.id = kb_articles.category_id AND ")
            .append(CATEGORIES.within(tenant, id))
            .then(")")
    });
    let filter = Condition::all([STATE.in_states(states)].into_iter().chain(category));
    let (hits, total) = WORDS.search(conn, scope, words, &filter, walk)?;
    let found = walk.cut(hits, total, FullText::keys);
    let numbers: Vec<i64> = found.rows.iter().map(|(_, number)| *number).collect();
    let mut rows = Vec::with_capacity(numbers.len());
    let query = kb_articles::table
        .filter(kb_articles::tenant_id.eq_any(scope.to_vec()))
        .filter(kb_articles::number.eq_any(numbers.clone()))
        .select((db::columns::<ArticleHead>(), kb_articles::content));
    // One content at a time: together they may be large.
    db::for_each_row(conn, query, |(head, content): (ArticleHead, String)| {
        let shown = show(&head, &content);
        rows.push((head, shown));
        Ok::<_, db::Error>(())
    })?;
    rows.sort_by_key(|(head, _)| numbers.iter().position(|number| *number == head.number));
    Ok(found.with(rows))
}

/// Stores a new article.
pub fn insert(conn: &mut Conn, head: &ArticleHead, content: &str) -> Result<()> {
    QUOTA.admit(conn, &head.tenant_id, 1)?;
    diesel::insert_into(kb_articles::table).values((head, kb_articles::content.eq(content))).execute(conn)?;
    insert_revision(conn, head, content)
}

/// Stores the next version of an article.
pub fn update(conn: &mut Conn, old: &ArticleHead, head: &ArticleHead, content: &str) -> Result<()> {
    let row = kb_articles::table.find((&old.tenant_id, &old.id));
    diesel::update(row).set((head, kb_articles::content.eq(content))).execute(conn)?;
    if head.revision == old.revision { Ok(()) } else { insert_revision(conn, head, content) }
}

/// Stores where an article is in its life.
pub fn update_head(conn: &mut Conn, head: &ArticleHead) -> Result<()> {
    diesel::update(kb_articles::table.find((&head.tenant_id, &head.id))).set(head).execute(conn)?;
    Ok(())
}

/// Keeps a revision, and the words to find the article by.
fn insert_revision(conn: &mut Conn, head: &ArticleHead, content: &str) -> Result<()> {
    use kb_article_revisions::dsl;
    let former = dsl::kb_article_revisions.find((&head.tenant_id, &head.id, head.revision - 1));
    diesel::update(former).set(dsl::replaced_ms.eq(Some(head.updated_ms))).execute(conn)?;
    diesel::insert_into(dsl::kb_article_revisions)
        .values((
            dsl::tenant_id.eq(&head.tenant_id),
            dsl::article_id.eq(&head.id),
            dsl::revision.eq(head.revision),
            dsl::title.eq(&head.title),
            dsl::content.eq(content),
            dsl::created_by.eq(&head.updated_by),
            dsl::created_ms.eq(head.updated_ms),
        ))
        .execute(conn)?;
    WORDS.put(conn, &head.tenant_id, head.number, &head.title, content)
}
