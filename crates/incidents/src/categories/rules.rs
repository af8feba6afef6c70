//! Changes of categories, as pure functions.

use base::{problem::Problem, text::fold, timestamp::Timestamp};

use super::row::Category;

/// The most levels of a tree.
pub const DEEPEST: i64 = 250;
/// The most categories of a tenant.
pub const MOST: i64 = 20_000;

/// A new category, below `parent`.
///
/// # Errors
/// 409 when the tree would be too deep.
pub fn new_row(
    tenant: &str,
    name: String,
    parent: Option<&Category>,
    id: &str,
    author: &str,
    now: Timestamp,
) -> Result<Category, Problem> {
    let depth = parent.map_or(0, |parent| parent.depth) + 1;
    check_depth(depth)?;
    Ok(Category {
        tenant_id: tenant.to_owned(),
        id: format!("SCAT-{id}"),
        version: 1,
        name_key: fold(&name),
        name,
        parent_id: parent.map(|parent| parent.id.clone()).unwrap_or_default(),
        depth,
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    })
}

/// The category after a change of its name, or of its place (`Some`: below that one, or at the top).
pub fn apply_change(
    old: &Category,
    name: Option<String>,
    parent: Option<Option<&Category>>,
    author: &str,
    now: Timestamp,
) -> Category {
    let name = name.unwrap_or_else(|| old.name.clone());
    let (parent_id, depth) = match parent {
        None => (old.parent_id.clone(), old.depth),
        Some(None) => (String::new(), 1),
        Some(Some(parent)) => (parent.id.clone(), parent.depth + 1),
    };
    Category {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        parent_id,
        depth,
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// Refuses a tree with more than [`DEEPEST`] levels.
pub fn check_depth(depth: i64) -> Result<(), Problem> {
    if depth <= DEEPEST {
        return Ok(());
    }
    Err(Problem::conflict(format!("Categories may be nested at most {DEEPEST} levels deep.")))
}

/// 409: a sibling already has this name.
pub fn name_taken(name: &str) -> Problem {
    Problem::conflict(format!("There is an incident category named \"{name}\" in this place already."))
}

/// 409: the category would stand below itself.
pub fn cycle(name: &str) -> Problem {
    Problem::conflict(format!(
        "The incident category \"{name}\" cannot stand below itself or below one of its children."
    ))
}

/// 409: the category to delete has children.
pub fn has_children(name: &str) -> Problem {
    Problem::conflict(format!("The incident category \"{name}\" has child categories: move or delete them first."))
}

/// 409: the category to delete has incidents.
pub fn in_use(name: &str) -> Problem {
    Problem::conflict(format!("The incident category \"{name}\" has incidents: file them under another one first."))
}

/// 409: the tenant has as many categories as it may have.
pub fn too_many() -> Problem {
    Problem::conflict(format!("A tenant has at most {MOST} incident categories."))
}
