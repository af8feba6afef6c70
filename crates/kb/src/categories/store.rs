//! Rows of categories. Every function takes the tenant, or the tenants of a scope.

use std::collections::BTreeMap;

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts, Tree};
use diesel::{
    dsl::{max, sql},
    prelude::*,
    sql_types::{BigInt, Text},
};

use super::{row::Category, rules};
use crate::{
    article::ArticleHead,
    lock,
    schema::{kb_articles, kb_categories},
    state,
};

const TREE: Tree = Tree::of("kb_categories");
/// Where the state of a category is.
pub const STATE: state::Columns =
    state::Columns { state: "kb_categories.state", trashed_with: "kb_categories.trashed_with" };

/// How many article categories a tenant has at most.
pub static QUOTA: Quota = Quota::new("article categories", "kb_categories", 20_000);

/// The number of the next one of a tenant. A partner sees its own and those of its clients together, so that none of
/// others has it.
pub fn next_number(conn: &mut Conn, tenant: &str) -> Result<i64> {
    db::next_short_id(conn, "kb.categories", tenant, |conn, number| {
        let same = kb_categories::table.filter(kb_categories::id.eq(rules::id(number)));
        Ok(diesel::select(diesel::dsl::exists(same)).get_result(conn)?)
    })
}

/// The sort orders of the list of categories.
pub const SORTS: Sorts<Category> = Sorts {
    by: &[
        SortBy::text("name", "kb_categories.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdDate", "kb_categories.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("updatedDate", "kb_categories.updated_ms", |row| Key::from(row.updated_ms)),
    ],
    then: &[SortBy::text("id", "kb_categories.id", |row| Key::from(&row.id))],
};

// A change of a category takes the lock of the whole tree.
api::resource! {
    Category, "knowledge-base category",
    find: |conn, tenants, id| db::one!(conn, kb_categories, tenants, id),
    lock: |category, conn| lock(&category.tenant_id).take(conn),
}

/// Has the tenant any category?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, kb_categories, tenant))
}

/// The names of the categories with these tenants and ids, by id.
pub fn names(conn: &mut Conn, mut keys: Vec<(&String, &String)>) -> Result<BTreeMap<String, String>> {
    use kb_categories::dsl;
    keys.sort_unstable();
    keys.dedup();
    db::in_chunks(&keys, |keys| {
        let keys = Condition::pairs_in("(kb_categories.tenant_id, kb_categories.id) IN", keys.iter().copied());
        dsl::kb_categories.filter(keys).select((dsl::id, dsl::name)).load(conn)
    })
}

/// A page of the categories that meet a condition.
pub fn search(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Category>> {
    Ok(db::page!(conn, kb_categories::table.filter(condition), SORTS, sort, walk))
}

/// As many children are read at a time.
const CHILDREN_AT_ONCE: i64 = 500;

/// The categories right below one that are in one of these states, by name: the first of them behind another one.
pub fn children(
    conn: &mut Conn,
    parent: &Category,
    states: &[&'static str],
    after: Option<&Category>,
) -> Result<Vec<Category>> {
    use kb_categories::dsl;
    let behind = |row: &Category| {
        let key = Condition::sql("(kb_categories.name_key, kb_categories.id) > (").text(&row.name_key);
        key.then(", ").text(&row.id).then(")")
    };
    Ok(dsl::kb_categories
        .filter(dsl::tenant_id.eq(&parent.tenant_id))
        .filter(dsl::parent_id.eq(&parent.id))
        .filter(Condition::all(std::iter::once(STATE.in_states(states)).chain(after.map(behind))))
        .order((dsl::name_key, dsl::id))
        .limit(CHILDREN_AT_ONCE)
        .load(conn)?)
}

/// The categories below one, in no matter how many levels: those that are in the trash with `trashed_with`, or outside
/// of it where that is empty, or all of them.
pub fn below(conn: &mut Conn, category: &Category, trashed_with: Option<&str>, most: usize) -> Result<Vec<Category>> {
    use kb_categories::dsl;
    let with = trashed_with.map(|with| Condition::sql("kb_categories.trashed_with = ").text(with));
    let within = TREE.within(&category.tenant_id, &category.id);
    Ok(dsl::kb_categories
        .filter(Condition::all(std::iter::once(within).chain(with)))
        .filter(dsl::id.ne(&category.id))
        .order(dsl::id)
        .limit(i64::try_from(most).unwrap_or(i64::MAX))
        .load(conn)?)
}

/// The articles in a category and below it that are in the trash with `trashed_with`, or outside of it where that is
/// empty.
pub fn articles_below(
    conn: &mut Conn,
    category: &Category,
    trashed_with: &str,
    most: usize,
) -> Result<Vec<ArticleHead>> {
    use kb_articles::dsl;
    let within = Condition::sql("kb_articles.category_id IN (SELECT kb_categories.id FROM kb_categories WHERE ")
        .append(TREE.within(&category.tenant_id, &category.id))
        .then(")");
    Ok(dsl::kb_articles
        .filter(dsl::tenant_id.eq(&category.tenant_id))
        .filter(within)
        .filter(dsl::trashed_with.eq(trashed_with))
        .order(dsl::id)
        .limit(i64::try_from(most).unwrap_or(i64::MAX))
        .select(db::columns::<ArticleHead>())
        .load(conn)?)
}

/// Refuses a category whose name a sibling outside the trash has.
fn check_name(conn: &mut Conn, row: &Category) -> Result<()> {
    use kb_categories::dsl;
    if db::has_namesake!(conn, kb_categories, row, dsl::parent_id.eq(&row.parent_id), dsl::trashed_with.eq("")) {
        return Err(rules::name_taken(&row.name).into());
    }
    Ok(())
}

/// Stores a new category.
///
/// # Errors
/// 409 when a sibling has its name.
pub fn insert(conn: &mut Conn, row: &Category) -> Result<()> {
    check_name(conn, row)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(kb_categories::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores the next version of a category. The paths of all below it follow its name and its place, in one statement;
/// its articles count as changed with its name, which they show.
///
/// # Errors
/// 409 when a sibling has the name, or the category would stand below itself or too deep, or a path be too long.
pub fn update(conn: &mut Conn, old: &Category, new: &Category) -> Result<()> {
    use kb_categories::dsl;
    // In the trash, where an undo leaves it, its name is nobody's.
    if new.trashed_with.is_empty() {
        check_name(conn, new)?;
    }
    let own = || dsl::kb_categories.filter(dsl::tenant_id.eq(old.tenant_id.as_str()));
    let within = || own().filter(TREE.within(&old.tenant_id, &old.id));
    if old.parent_id != new.parent_id {
        let above = own().filter(dsl::id.eq(&old.id)).filter(TREE.upward(&old.tenant_id, &new.parent_id));
        if above.select(dsl::id).first::<String>(conn).optional()?.is_some() {
            return Err(rules::cycle(&old.name).into());
        }
        let deepest: Option<i64> = within().select(max(dsl::depth)).get_result(conn)?;
        rules::check_depth(deepest.unwrap_or(old.depth) + new.depth - old.depth)?;
    }
    if old.path != new.path {
        let length = |path: &str| i64::try_from(path.chars().count()).unwrap_or(i64::MAX);
        let longest =
            within().select(max(sql::<BigInt>("CAST(length(path) AS BIGINT)"))).get_result::<Option<i64>>(conn)?;
        rules::check_path(longest.unwrap_or_default(), length(&new.path).saturating_sub(length(&old.path)))?;
        let kept = length(&old.path).saturating_add(1);
        let path = sql::<Text>("")
            .bind::<Text, _>(&new.path)
            .sql(" || substr(path, CAST(")
            .bind::<BigInt, _>(kept)
            .sql(" AS INTEGER))");
        let moved = (
            dsl::path.eq(path),
            dsl::depth.eq(dsl::depth + (new.depth - old.depth)),
            dsl::version.eq(dsl::version + 1),
        );
        diesel::update(within()).set(moved).execute(conn)?;
    }
    diesel::update(dsl::kb_categories.find((&old.tenant_id, &old.id))).set(new).execute(conn)?;
    if old.name != new.name {
        let articles = kb_articles::table
            .filter(kb_articles::tenant_id.eq(&old.tenant_id))
            .filter(kb_articles::category_id.eq(&old.id));
        diesel::update(articles).set(kb_articles::version.eq(kb_articles::version + 1)).execute(conn)?;
    }
    Ok(())
}

/// Puts a category into the trash, with all that is below it and not there yet.
pub fn delete(conn: &mut Conn, category: &Category, author: &str, now_ms: i64) -> Result<()> {
    use kb_categories::dsl;
    let tenant = category.tenant_id.as_str();
    let id = category.id.as_str();
    let within = dsl::kb_categories
        .filter(dsl::tenant_id.eq(tenant))
        .filter(TREE.within(tenant, id))
        .filter(dsl::trashed_with.eq(""));
    diesel::update(within)
        .set((
            dsl::trashed_with.eq(id),
            dsl::version.eq(dsl::version + 1),
            dsl::updated_by.eq(author),
            dsl::updated_ms.eq(now_ms),
        ))
        .execute(conn)?;
    let inside = Condition::sql("kb_articles.category_id IN (SELECT c.id FROM kb_categories c WHERE c.tenant_id = ")
        .text(tenant)
        .then(" AND c.trashed_with = ")
        .text(id)
        .then(")");
    let articles = kb_articles::table
        .filter(kb_articles::tenant_id.eq(tenant))
        .filter(inside)
        .filter(kb_articles::trashed_with.eq(""));
    diesel::update(articles)
        .set((kb_articles::trashed_with.eq(id), kb_articles::version.eq(kb_articles::version + 1)))
        .execute(conn)?;
    Ok(())
}

/// Takes a category out of the trash, with all that came there with it; it is `ACTIVE` then.
///
/// # Errors
/// 409 when a sibling has its name now.
pub fn restore(conn: &mut Conn, category: &Category, author: &str, now_ms: i64) -> Result<()> {
    use kb_categories::dsl;
    check_name(conn, category)?;
    let tenant = category.tenant_id.as_str();
    let id = category.id.as_str();
    let with_it = dsl::kb_categories.filter(dsl::tenant_id.eq(tenant)).filter(dsl::trashed_with.eq(id));
    diesel::update(with_it)
        .set((
            dsl::trashed_with.eq(""),
            dsl::version.eq(dsl::version + 1),
            dsl::updated_by.eq(author),
            dsl::updated_ms.eq(now_ms),
        ))
        .execute(conn)?;
    let itself = dsl::kb_categories.find((tenant, id));
    diesel::update(itself)
        .set((dsl::state.eq(state::ACTIVE), dsl::updated_by.eq(author), dsl::updated_ms.eq(now_ms)))
        .execute(conn)?;
    let articles =
        kb_articles::table.filter(kb_articles::tenant_id.eq(tenant)).filter(kb_articles::trashed_with.eq(id));
    diesel::update(articles)
        .set((kb_articles::trashed_with.eq(""), kb_articles::version.eq(kb_articles::version + 1)))
        .execute(conn)?;
    Ok(())
}

/// Makes an inactive category active.
pub fn activate(conn: &mut Conn, category: &Category, author: &str, now_ms: i64) -> Result<()> {
    use kb_categories::dsl;
    diesel::update(dsl::kb_categories.find((&category.tenant_id, &category.id)))
        .set((
            dsl::state.eq(state::ACTIVE),
            dsl::version.eq(dsl::version + 1),
            dsl::updated_by.eq(author),
            dsl::updated_ms.eq(now_ms),
        ))
        .execute(conn)?;
    Ok(())
}
