//! Changes of categories, and the filter of their list, as pure functions.

use base::{problem::Problem, query_string, text::fold, timestamp::Timestamp};

use super::{row::Category, wire::normal_id};

/// The most levels of a tree.
pub const DEEPEST: i64 = 250;
/// The most categories of a tenant.
pub const MOST: i64 = 20_000;

/// The variables of a list.
const VARIABLES: [&str; 5] = ["uniqueId", "name", "isEquals", "parentId", "allList"];

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

/// Which categories a list means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exact.
    pub ids: Option<Vec<String>>,
    /// Folded names, whole or in part.
    pub names: Option<Vec<String>>,
    /// Do names match as a whole?
    pub whole: bool,
    /// The ids of parents; empty is the top.
    pub parents: Option<Vec<String>>,
    /// Does the list include the visible categories of other tenants?
    pub all: Option<bool>,
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString`, with the error.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            match term.name {
                "uniqueId" => filter.ids = Some(term.values.iter().map(|id| normal_id(id)).collect()),
                "name" => filter.names = Some(term.values.iter().map(|name| fold(name)).collect()),
                "parentId" => filter.parents = Some(term.values.iter().map(|id| parent_id(id)).collect()),
                "allList" => filter.all = Some(term.boolean()?),
                _ => filter.whole = term.boolean()?,
            }
        }
        Ok(filter)
    }
}

fn parent_id(text: &str) -> String {
    if text.eq_ignore_ascii_case("none") { String::new() } else { normal_id(text) }
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
