//! The tree against a model of it: whatever is done, in whatever order, paths, depths and the trash are right.

use std::collections::BTreeMap;

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, DatabaseUrl, Db, Options, Result};
use diesel::prelude::*;
use proptest::prelude::*;

use super::{
    row::{self, Category},
    rules, store,
    wire::{CategoryChange, NewCategory},
};
use crate::schema::kb_categories;

const TENANT: &str = "client_1";

/// What is done to categories, which are named by their place among those that there are.
#[derive(Clone, Debug)]
enum Operation {
    Create { name: u8, below: Option<usize> },
    Rename { which: usize, name: u8 },
    Move { which: usize, below: Option<usize> },
    Delete { which: usize },
    Restore { which: usize },
}

fn operation() -> impl Strategy<Value = Operation> {
    let below = || proptest::option::of(0..8_usize);
    prop_oneof![
        3 => (0..6_u8, below()).prop_map(|(name, below)| Operation::Create { name, below }),
        2 => (0..8_usize, 0..6_u8).prop_map(|(which, name)| Operation::Rename { which, name }),
        3 => (0..8_usize, below()).prop_map(|(which, below)| Operation::Move { which, below }),
        1 => (0..8_usize).prop_map(|which| Operation::Delete { which }),
        1 => (0..8_usize).prop_map(|which| Operation::Restore { which }),
    ]
}

fn database(directory: &tempfile::TempDir) -> Db {
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::MIGRATIONS]).unwrap();
    db
}

fn all(conn: &mut Conn) -> Result<Vec<Category>> {
    Ok(kb_categories::table.order(kb_categories::id).load(conn)?)
}

fn name(number: u8) -> String {
    ["a", "A", "b ☂", "b", "a >", "ä"].get(usize::from(number)).copied().unwrap_or("z").to_owned()
}

/// Does it as a handler does; what is refused changes nothing.
fn act(conn: &mut Conn, operation: &Operation) -> Result<()> {
    let now = Timestamp::from_millis(0);
    let known = all(conn)?;
    let pick = |place: &usize| known.get(*place % known.len().max(1)).cloned();
    let place = |below: &Option<usize>| below.as_ref().and_then(pick);
    let change = |conn: &mut Conn, old: &Category, change: CategoryChange, above: Option<Category>| {
        let row = rules::apply_change(old, change, above.as_ref(), "", now)?;
        store::update(conn, old, &row)
    };
    match operation {
        Operation::Create { name: number, below } => {
            let new = NewCategory {
                name: name(*number),
                description: String::new(),
                parent: None,
                state: crate::state::ACTIVE,
            };
            let number = store::next_number(conn, TENANT)?;
            let row = rules::new_row(TENANT, new, place(below).as_ref(), number, "", now)?;
            store::insert(conn, &row)
        }
        Operation::Rename { which, name: number } => {
            let Some(old) = pick(which) else { return Ok(()) };
            let above = Category::find(conn, &[TENANT.to_owned()], &old.parent_id)?;
            change(conn, &old, CategoryChange { name: Some(name(*number)), ..CategoryChange::default() }, above)
        }
        Operation::Move { which, below } => {
            let Some(old) = pick(which) else { return Ok(()) };
            change(conn, &old, CategoryChange::default(), place(below))
        }
        Operation::Delete { which } => match pick(which).filter(|old| old.trashed_with.is_empty()) {
            Some(old) => store::delete(conn, &old, "", 0),
            None => Ok(()),
        },
        Operation::Restore { which } => {
            let Some(old) = pick(which).filter(|old| !old.trashed_with.is_empty()) else { return Ok(()) };
            let above = known.iter().find(|row| row.id == old.parent_id);
            if above.is_some_and(|above| !above.trashed_with.is_empty()) {
                Ok(())
            } else {
                store::restore(conn, &old, "", 0)
            }
        }
    }
}

/// What must hold of any tree.
fn check(rows: &[Category]) -> Result<(), TestCaseError> {
    let by_id: BTreeMap<&str, &Category> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    for row in rows {
        let mut chain = vec![row];
        while let Some(above) = by_id.get(chain[chain.len() - 1].parent_id.as_str()) {
            prop_assert!(chain.len() <= rows.len(), "{} stands below itself", row.id);
            chain.push(above);
        }
        prop_assert!(chain[chain.len() - 1].parent_id.is_empty(), "nothing is above {}", row.id);
        let names: Vec<&str> = chain.iter().rev().map(|one| one.name.as_str()).collect();
        prop_assert_eq!(&row.path, &names.join(row::SEPARATOR));
        prop_assert_eq!(row.depth, i64::try_from(chain.len()).unwrap());
        let above = by_id.get(row.parent_id.as_str());
        let hidden = above.is_some_and(|above| !above.trashed_with.is_empty());
        prop_assert!(!hidden || !row.trashed_with.is_empty(), "{} is in use below the trash", row.id);
        let namesakes = rows.iter().filter(|other| {
            other.parent_id == row.parent_id && other.name_key == row.name_key && other.trashed_with.is_empty()
        });
        prop_assert!(namesakes.count() <= 1, "{} has a namesake", row.id);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_tree_stays_one(operations in prop::collection::vec(operation(), 1..40)) {
        let directory = tempfile::tempdir().unwrap();
        let db = database(&directory);
        for operation in operations {
            let text = format!("{operation:?}");
            let done = db.write_here(move |conn| act(conn, &operation));
            prop_assert!(matches!(done, Ok(()) | Err(db::Error::Problem(_))), "{}: {:?}", text, done);
            check(&db.read_here(all).unwrap())?;
        }
    }
}
