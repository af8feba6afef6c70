//! What the searches of this crate have in common.

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

/// A folded column contains one of these folded texts, or as a whole is one of them.
pub(crate) fn matching(column: &'static str, texts: &[String], whole: bool) -> Condition {
    Condition::any(texts.iter().map(|text| match whole {
        true => Condition::sql(column).then(" = ").text(text.clone()),
        false => Condition::sql(column).then(" LIKE ").text(containing(text)).then(" ESCAPE '!'"),
    }))
}

/// The pattern of `LIKE` for texts that contain this one.
fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_literal() {
        assert_eq!(containing("100%_!"), "%100!%!_!!%");
    }
}
