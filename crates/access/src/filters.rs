//! Conditions that the searches of this crate share.

use std::collections::HashSet;

use api::Tenant;
use base::tenant::Level;
use db::Condition;

/// The people that may be read at a tenant, by the column that names theirs: its own, at a partner those of its clients
/// too, and at a client those of its partner too.
pub(crate) fn readable(column: &'static str, tenant: &Tenant) -> Condition {
    match tenant.id.level() {
        Level::Partner => writable(column, tenant),
        Level::Client => Condition::sql(column)
            .then(" IN (")
            .text(tenant.id.as_str())
            .then(", ")
            .text(tenant.partner.as_str())
            .then(")"),
    }
}

/// The people that may be changed at a tenant: its own, and at a partner those of its clients too.
pub(crate) fn writable(column: &'static str, tenant: &Tenant) -> Condition {
    match tenant.id.level() {
        // Not a list: a partner may have thousands of clients.
        Level::Partner => Condition::sql(column)
            .then(" IN (SELECT tenants.id FROM tenants WHERE tenants.partner_id = ")
            .text(tenant.id.as_str())
            .then(")"),
        Level::Client => Condition::sql(column).then(" = ").text(tenant.id.as_str()),
    }
}

/// A column is true, or false.
pub(crate) fn boolean(column: &'static str, value: bool) -> Condition {
    Condition::sql(column).then(if value { " = TRUE" } else { " = FALSE" })
}

/// The rows of these tenants among rows that were found by ids, of which each names one row of all tenants. A statement
/// that names many tenants and many ids looks for every pair of them.
pub(crate) fn of_tenants<R>(rows: Vec<R>, tenants: &[String], tenant_of: impl Fn(&R) -> &String) -> Vec<R> {
    let tenants: HashSet<&String> = tenants.iter().collect();
    rows.into_iter().filter(|row| tenants.contains(tenant_of(row))).collect()
}
