//! Changes of categories, as pure functions.

use base::{problem::Problem, text::fold, timestamp::Timestamp};

use super::{
    row::{Category, SEPARATOR},
    wire::{CategoryChange, NewCategory},
};

/// The most levels of a tree.
pub const DEEPEST: i64 = 250;

/// The longest path, in characters; one that was stored before there was a bound stays.
pub const LONGEST_PATH: i64 = 4_000;

/// The id with this number.
pub fn id(number: i64) -> String {
    format!("KBC{number:010}")
}

/// A new category, below `parent`.
///
/// # Errors
/// 409 when the parent is in the trash, or the tree would be too deep, or the path too long.
pub fn new_row(
    tenant: &str,
    new: NewCategory,
    parent: Option<&Category>,
    number: i64,
    author: &str,
    now: Timestamp,
) -> Result<Category, Problem> {
    let TreePosition { parent_id, depth, path } = TreePosition::below(parent, &new.name)?;
    check_depth(depth)?;
    check_path(0, i64::try_from(path.chars().count()).unwrap_or(i64::MAX))?;
    Ok(Category {
        tenant_id: tenant.to_owned(),
        id: id(number),
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        description: new.description,
        parent_id,
        depth,
        path,
        state: new.state.to_owned(),
        trashed_with: String::new(),
        created_by: author.to_owned(),
        updated_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    })
}

/// Where a category stands.
struct TreePosition {
    parent_id: String,
    depth: i64,
    path: String,
}

impl TreePosition {
    fn below(parent: Option<&Category>, name: &str) -> Result<Self, Problem> {
        let Some(parent) = parent else {
            return Ok(Self { parent_id: String::new(), depth: 1, path: name.to_owned() });
        };
        if !parent.trashed_with.is_empty() {
            return Err(in_trash(&parent.id, &parent.name));
        }
        Ok(Self {
            parent_id: parent.id.clone(),
            depth: parent.depth + 1,
            path: format!("{}{SEPARATOR}{name}", parent.path),
        })
    }
}

/// The category after a change; `parent` is the one above it then.
///
/// # Errors
/// 409 when it, or the parent, is in the trash.
pub fn apply_change(
    old: &Category,
    change: CategoryChange,
    parent: Option<&Category>,
    author: &str,
    now: Timestamp,
) -> Result<Category, Problem> {
    if !old.trashed_with.is_empty() {
        return Err(in_trash(&old.id, &old.name));
    }
    let name = change.name.unwrap_or_else(|| old.name.clone());
    let TreePosition { parent_id, depth, path } = TreePosition::below(parent, &name)?;
    Ok(Category {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.description.clone()),
        parent_id,
        depth,
        path,
        state: change.state.map_or_else(|| old.state.clone(), ToOwned::to_owned),
        updated_by: author.to_owned(),
        updated_ms: now.millis(),
        ..old.clone()
    })
}

/// Refuses a tree with more than [`DEEPEST`] levels.
pub fn check_depth(depth: i64) -> Result<(), Problem> {
    if depth <= DEEPEST {
        return Ok(());
    }
    Err(Problem::conflict(format!("Categories may be nested at most {DEEPEST} levels deep.")))
}

/// Refuses paths that grow beyond [`LONGEST_PATH`]; `longest` is the longest that there is, and `growth` how much
/// longer it would be.
pub fn check_path(longest: i64, growth: i64) -> Result<(), Problem> {
    let length = longest.saturating_add(growth);
    if growth <= 0 || length <= LONGEST_PATH {
        return Ok(());
    }
    let message = format!("A path of categories has at most {LONGEST_PATH} characters, and this would be {length}: ");
    Err(Problem::conflict(message + "use shorter names, or fewer levels."))
}

/// 409: a sibling already has this name.
pub fn name_taken(name: &str) -> Problem {
    Problem::conflict(format!("There is a knowledge-base category named \"{name}\" in this place already."))
}

/// 409: the category would stand below itself.
pub fn cycle(name: &str) -> Problem {
    let message = "cannot stand below itself or below one of its children.";
    Problem::conflict(format!("The knowledge-base category \"{name}\" {message}"))
}

/// 409: the category is in the trash.
pub fn in_trash(id: &str, name: &str) -> Problem {
    Problem::conflict(format!("The knowledge-base category {id} \"{name}\" is in the trash: restore it first."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_bounded_where_they_grow() {
        assert!(check_path(0, LONGEST_PATH).is_ok() && check_path(LONGEST_PATH - 1, 1).is_ok());
        assert!(check_path(0, LONGEST_PATH + 1).is_err() && check_path(LONGEST_PATH, 1).is_err());
        assert!(check_path(50_000, -1).is_ok(), "what is stored may become shorter");
    }
}
