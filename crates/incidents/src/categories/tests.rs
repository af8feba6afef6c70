//! The tree against what must hold of any: whatever is done, in whatever order.

use std::collections::BTreeMap;

use base::timestamp::Timestamp;
use db::{Conn, DatabaseUrl, Db, Options, Result};
use diesel::prelude::*;
use proptest::prelude::*;

use super::{row::Category, rules, store};
use crate::schema::incident_categories;

const TENANT: &str = "client_1";

/// What is done to categories, which are named by their place among those that there are: create one of a name below
/// another, change name and place of one, delete one.
type Step = (u8, usize, u8, Option<usize>);

fn all(conn: &mut Conn) -> Result<Vec<Category>> {
    Ok(incident_categories::table.order(incident_categories::id).load(conn)?)
}

/// Does it as a handler does; what is refused changes nothing.
fn act(conn: &mut Conn, (kind, which, name, below): Step) -> Result<()> {
    let now = Timestamp::from_millis(0);
    let known = all(conn)?;
    let pick = |place: usize| known.get(place % known.len().max(1)).cloned();
    let above = below.and_then(pick);
    let name = ["a", "A", "b", "ä"][usize::from(name)].to_owned();
    match (kind, pick(which)) {
        (0, _) | (_, None) => {
            let id = format!("{:04}", known.len());
            let row = rules::new_row(TENANT, name, above.as_ref(), &id, "", now)?;
            let parent = above.map(|above| above.id).unwrap_or_default();
            store::insert(conn, TENANT, &parent, &[row])
        }
        (1, Some(old)) => store::update(conn, &old, &rules::apply_change(&old, Some(name), None, "", now)),
        (2, Some(old)) => store::update(conn, &old, &rules::apply_change(&old, None, Some(above.as_ref()), "", now)),
        (_, Some(old)) => store::delete(conn, &old),
    }
}

fn check(rows: &[Category]) -> Result<(), TestCaseError> {
    let by_id: BTreeMap<&str, &Category> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    for row in rows {
        let mut depth = 1;
        let mut top = row;
        while let Some(above) = by_id.get(top.parent_id.as_str()) {
            depth += 1;
            top = above;
            prop_assert!(depth <= rows.len(), "{} stands below itself", row.id);
        }
        prop_assert!(top.parent_id.is_empty(), "what is above {} was deleted", row.id);
        prop_assert_eq!(row.depth, i64::try_from(depth).unwrap());
        let same = |other: &&Category| other.parent_id == row.parent_id && other.name_key == row.name_key;
        prop_assert_eq!(rows.iter().filter(same).count(), 1);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_tree_stays_one(
        steps in prop::collection::vec((0..4_u8, 0..8_usize, 0..4_u8, proptest::option::of(0..8_usize)), 1..40)
    ) {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[outbox::migrations(), crate::MIGRATIONS]).unwrap();
        for step in steps {
            let done = db.write_here(move |conn| act(conn, step));
            let expected = matches!(done, Ok(()) | Err(db::Error::Problem(_) | db::Error::Taken(_)));
            prop_assert!(expected, "{:?}: {:?}", step, done);
            check(&db.read_here(all).unwrap())?;
        }
    }
}
