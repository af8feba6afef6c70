//! Selection of one row, and the sources that rows are read from.

use diesel::Selectable;

use crate::Sql;

/// The columns that the fields of a row are read from, by `#[derive(Selectable)]`.
pub fn columns<R: Selectable<Sql>>() -> R::SelectExpression {
    R::construct_selection()
}

/// The row of a table with this id, of one of these tenants: `one!(conn, sites, scope, id)`, an `Option`. The key of
/// the table is `(tenant_id, id)`.
///
/// In the common case of one tenant the text never changes, so that the statement stays prepared. Not by `first`: its
/// `LIMIT` is written at run time, and such a statement is prepared anew each time. A macro for the same reason as
/// [`page!`](crate::page).
#[macro_export]
macro_rules! one {
    ($conn:expr, $table:ident, $scope:expr, $id:expr) => {{
        let id = $id;
        let row = match $scope {
            [tenant] => {
                let this = $crate::Prepared($table::table.find((tenant, id)));
                $crate::direct!($conn, |own| this.get_result(own))
            }
            many => $table::table.filter($table::tenant_id.eq_any(many)).filter($table::id.eq(id)).get_result($conn),
        };
        row.optional()?
    }};
}

/// Has a tenant any row in a table? `has_any!(conn, sites, tenant)`; the table has `tenant_id`.
#[macro_export]
macro_rules! has_any {
    ($conn:expr, $table:ident, $tenant:expr) => {{
        let own = $table::table.filter($table::tenant_id.eq($tenant));
        diesel::select(diesel::dsl::exists(own)).get_result::<bool>($conn)?
    }};
}

/// Has another row of the tenant the same name? `has_namesake!(conn, sites, row)`; the table and the row have
/// `tenant_id`, `id` and `name_key`. Conditions that leave out some of the others may follow.
#[macro_export]
macro_rules! has_namesake {
    ($conn:expr, $table:ident, $row:expr $(, $only:expr)*) => {{
        let row = $row;
        let others = $table::table
            .filter($table::tenant_id.eq(&row.tenant_id))
            .filter($table::name_key.eq(&row.name_key))
            .filter($table::id.ne(&row.id))
            $(.filter($only))*;
        diesel::select(diesel::dsl::exists(others)).get_result::<bool>($conn)?
    }};
}
