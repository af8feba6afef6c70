//! Trees of rows: each row names its parent.

use crate::Condition;

/// A table keyed by `(tenant_id, id)`, whose column `parent_id` names the row above, of the same tenant; at the top it
/// is empty. An index on `(tenant_id, parent_id)` makes these conditions cheap.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    table: &'static str,
}

impl Tree {
    /// The tree in this table.
    pub const fn of(table: &'static str) -> Self {
        Self { table }
    }

    /// The row with this id, and all rows below it.
    pub fn within(self, tenant: &str, id: &str) -> Condition {
        let step = Condition::sql("SELECT t.id FROM found CROSS JOIN ")
            .then(self.table)
            .then(" t WHERE t.parent_id = found.id AND t.tenant_id = ")
            .text(tenant);
        self.within_recursion(tenant, id, step)
    }

    /// The row with this id, and all rows above it.
    pub fn upward(self, tenant: &str, id: &str) -> Condition {
        let step = Condition::sql("SELECT t.parent_id FROM found CROSS JOIN ")
            .then(self.table)
            .then(" t WHERE t.id = found.id AND t.tenant_id = ")
            .text(tenant);
        self.within_recursion(tenant, id, step)
    }

    /// `UNION` drops what was found before, so that this ends whatever the rows say. To SQLite, `CROSS JOIN` is an
    /// order: it would else walk all rows of the tenant for each row that was found.
    fn within_recursion(self, tenant: &str, id: &str, step: Condition) -> Condition {
        Condition::sql(self.table)
            .then(".tenant_id = ")
            .text(tenant)
            .then(" AND ")
            .then(self.table)
            .then(".id IN (WITH RECURSIVE found(id) AS (SELECT t.id FROM ")
            .then(self.table)
            .then(" t WHERE t.tenant_id = ")
            .text(tenant)
            .then(" AND t.id = ")
            .text(id)
            .then(" UNION ")
            .append(step)
            .then(") SELECT found.id FROM found)")
    }
}

#[cfg(test)]
mod tests {
    use diesel::{QueryDsl as _, RunQueryDsl as _, connection::SimpleConnection as _};

    use super::*;
    use crate::{DatabaseUrl, Db, Options, Result};

    diesel::table! {
        nodes (tenant_id, id) {
            tenant_id -> Text,
            id -> Text,
            parent_id -> Text,
        }
    }

    #[test]
    fn within_goes_down_and_upward_goes_up_in_one_tenant_even_in_a_circle() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            conn.batch_execute(
                "CREATE TABLE nodes (tenant_id TEXT NOT NULL, id TEXT NOT NULL, parent_id TEXT NOT NULL, PRIMARY KEY \
                 (tenant_id, id));
                 INSERT INTO nodes VALUES ('t', 'a', ''), ('t', 'b', 'a'), ('t', 'c', 'b'), ('t', 'd', 'a'),
                     ('u', 'a', ''), ('u', 'x', 'a'), ('t', 'p', 'q'), ('t', 'q', 'p');",
            )?;
            Ok(())
        })
        .unwrap();
        let ids = |condition: Condition| {
            db.read_here(|conn| -> Result<Vec<String>> {
                use diesel::ExpressionMethods as _;
                Ok(nodes::table.filter(condition).select(nodes::id).order(nodes::id.asc()).load(conn)?)
            })
            .unwrap()
        };
        let tree = Tree::of("nodes");
        assert_eq!(ids(tree.within("t", "a")), ["a", "b", "c", "d"]);
        assert_eq!(ids(tree.within("t", "b")), ["b", "c"]);
        assert_eq!(ids(tree.upward("t", "c")), ["a", "b", "c"]);
        assert_eq!(ids(tree.within("t", "p")), ["p", "q"]);
        assert_eq!(ids(tree.upward("t", "p")), ["p", "q"]);
        assert!(ids(tree.within("t", "x")).is_empty());
    }
}
