//! Rows of categories. Every function takes the tenant, or the tenants that are visible.

use std::collections::BTreeMap;

use api::Resource as _;
use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Result, SortBy, Sorts, Tree};
use diesel::{dsl::max, prelude::*};

use super::{row::Category, rules, wire::CategoryReference};
use crate::schema::{incident_categories, incidents};

/// Ids that one statement takes: SQLite allows no more than 32,766 values.
const AT_ONCE: usize = 500;

const TREE: Tree = Tree::of("incident_categories");

/// The sort orders of the list of categories.
pub const SORTS: Sorts<Category> = Sorts {
    by: &[
        SortBy::text("name", "incident_categories.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdDate", "incident_categories.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("updatedDate", "incident_categories.updated_ms", |row| Key::from(row.updated_ms)),
    ],
    then: &[SortBy::text("uniqueId", "incident_categories.id", |row| Key::from(&row.id))],
};

api::resource! {
    Category, "incident category",
    find: |conn, tenants, id| db::one!(conn, incident_categories, tenants, id),
    lock: |category, conn| lock_of_tree(&category.tenant_id).take(conn),
}

/// The lock of a tenant's tree: changes of categories take it, filing of incidents shares it.
pub fn lock_of_tree(tenant: &str) -> db::Lock {
    db::Lock::of("incident-categories", tenant)
}

fn visible_rows(visible: &[String]) -> Condition {
    match visible {
        [one] => Condition::sql("incident_categories.tenant_id = ").text(one),
        many => Condition::text_in("incident_categories.tenant_id IN", many),
    }
}

/// The categories of these tenants that match a reference; two at most, which is enough to see that a name is not
/// unique.
pub fn matching(conn: &mut Conn, visible: &[String], reference: &CategoryReference) -> Result<Vec<Category>> {
    match (&reference.unique_id, &reference.name) {
        (Some(id), _) => Ok(Category::find(conn, visible, id)?.into_iter().collect()),
        (None, Some(key)) => Ok(incident_categories::table
            .filter(visible_rows(visible))
            .filter(incident_categories::name_key.eq(key))
            .order(incident_categories::id)
            .limit(2)
            .load(conn)?),
        (None, None) => Ok(Vec::new()),
    }
}

/// The names of the categories with these ids, by id.
pub fn names(conn: &mut Conn, visible: &[String], ids: &[String]) -> Result<BTreeMap<String, String>> {
    use incident_categories::dsl;
    db::in_chunks(ids, |ids| {
        dsl::incident_categories
            .filter(visible_rows(visible))
            .filter(dsl::id.eq_any(ids))
            .select((dsl::id, dsl::name))
            .load(conn)
    })
}

/// The categories right below these, by name.
pub fn children(conn: &mut Conn, visible: &[String], ids: &[String]) -> Result<Vec<Category>> {
    use incident_categories::dsl;
    db::in_chunks(ids, |ids| {
        dsl::incident_categories
            .filter(visible_rows(visible))
            .filter(dsl::parent_id.eq_any(ids))
            .order((dsl::name_key, dsl::id))
            .load(conn)
    })
}

/// A page of the categories of these tenants that meet a condition.
pub fn search(
    conn: &mut Conn,
    visible: &[String],
    condition: Condition,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Category>> {
    let condition = Condition::all([visible_rows(visible), condition]);
    Ok(db::page!(conn, incident_categories::table.filter(condition), SORTS, sort, walk))
}

/// Stores new categories of one tenant and one parent.
///
/// # Errors
/// 409 when a sibling has one of the names, or the tenant has too many categories.
pub fn insert(conn: &mut Conn, tenant: &str, parent: &str, rows: &[Category]) -> Result<()> {
    use incident_categories::dsl;
    let own = || dsl::incident_categories.filter(dsl::tenant_id.eq(tenant));
    let known: i64 = own().count().get_result(conn)?;
    if known.saturating_add(i64::try_from(rows.len()).unwrap_or(i64::MAX)) > rules::MOST {
        return Err(rules::too_many().into());
    }
    for rows in rows.chunks(AT_ONCE) {
        let keys = rows.iter().map(|row| row.name_key.as_str());
        let siblings = own().filter(dsl::parent_id.eq(parent)).filter(dsl::name_key.eq_any(keys));
        if let Some(name) = siblings.order(dsl::name_key).select(dsl::name).first::<String>(conn).optional()? {
            return Err(rules::name_taken(&name).into());
        }
    }
    db::insert_rows!(conn, incident_categories::table, rows)
}

/// Stores the next version of a category. With another name its children count as changed, which show it; in another
/// place all below it move along, in one statement.
///
/// # Errors
/// 409 when a sibling has the name, or the category would stand below itself or too deep.
pub fn update(conn: &mut Conn, old: &Category, new: &Category) -> Result<()> {
    use incident_categories::dsl;
    let own = || dsl::incident_categories.filter(dsl::tenant_id.eq(old.tenant_id.as_str()));
    if db::has_namesake!(conn, incident_categories, new, dsl::parent_id.eq(&new.parent_id)) {
        return Err(rules::name_taken(&new.name).into());
    }
    if old.parent_id != new.parent_id {
        let above = TREE.upward(&old.tenant_id, &new.parent_id);
        let itself = own().filter(dsl::id.eq(&old.id)).filter(above).select(dsl::id);
        if itself.first::<String>(conn).optional()?.is_some() {
            return Err(rules::cycle(&old.name).into());
        }
        let within = || own().filter(TREE.within(&old.tenant_id, &old.id));
        let deepest: Option<i64> = within().select(max(dsl::depth)).get_result(conn)?;
        let deeper = new.depth - old.depth;
        rules::check_depth(deepest.unwrap_or(old.depth) + deeper)?;
        if deeper != 0 {
            diesel::update(within()).set(dsl::depth.eq(dsl::depth + deeper)).execute(conn)?;
        }
    }
    diesel::update(dsl::incident_categories.find((&old.tenant_id, &old.id))).set(new).execute(conn)?;
    if old.name != new.name {
        let children = own().filter(dsl::parent_id.eq(&old.id));
        diesel::update(children).set(dsl::version.eq(dsl::version + 1)).execute(conn)?;
    }
    Ok(())
}

/// Removes a category.
///
/// # Errors
/// 409 while it has children.
pub fn delete(conn: &mut Conn, category: &Category) -> Result<()> {
    use incident_categories::dsl;
    let own = dsl::incident_categories.filter(dsl::tenant_id.eq(&category.tenant_id));
    if own.filter(dsl::parent_id.eq(&category.id)).select(dsl::id).first::<String>(conn).optional()?.is_some() {
        return Err(rules::has_children(&category.name).into());
    }
    diesel::delete(dsl::incident_categories.find((&category.tenant_id, &category.id))).execute(conn)?;
    Ok(())
}

/// Is any incident of these tenants filed under a category?
pub fn has_incidents(conn: &mut Conn, scope: &[String], category: &str) -> Result<bool> {
    use incidents::dsl;
    let own = || dsl::incidents.filter(dsl::tenant_id.eq_any(scope)).select(dsl::id);
    let above: Option<String> = own().filter(dsl::category_id.eq(category)).first(conn).optional()?;
    let below: Option<String> =
        own().filter(dsl::sub_category_id.eq(category)).filter(dsl::sub_category_id.ne("")).first(conn).optional()?;
    Ok(above.is_some() || below.is_some())
}
