//! One term of a filter as SQL, in two forms: [`Filter::condition`] leads from an index to the resources that match,
//! and [`Filter::probe`] checks a given row.

use db::Condition;

/// The resources of these tenants.
pub fn tenants(scope: &[String]) -> Condition {
    match scope {
        [one] => Condition::sql("resources.tenant_id = ").text(one),
        many => Condition::text_in("resources.tenant_id IN", many),
    }
}

/// One term of a filter.
#[derive(Clone, Debug)]
pub enum Filter {
    /// A condition on the row that an index serves.
    Row(Condition),
    /// A condition on the row that no index serves.
    Walked(Condition),
    /// A name.
    Name(NameFilter),
    /// A tag with one of these names.
    Tags(Vec<String>),
    /// One of these roles.
    Roles(Vec<String>),
    /// To be a member of one of these groups.
    Groups(Vec<i64>),
}

/// A name contains one of these texts, or is one of them.
#[derive(Clone, Debug)]
pub struct NameFilter {
    /// The column that holds the name, folded, with its table.
    pub column: &'static str,
    /// Is it all of the name?
    pub exact: bool,
    /// The texts, folded.
    pub keys: Vec<String>,
}

impl Filter {
    /// A condition for the resources of these tenants that match.
    pub fn condition(&self, scope: &[String]) -> Condition {
        match self {
            Self::Row(condition) | Self::Walked(condition) => condition.clone(),
            Self::Name(name) => name.found(scope),
            Self::Tags(keys) => name_condition(scope, "resource_tags t WHERE t.name_key IN", "t", keys),
            Self::Roles(keys) => name_condition(scope, "resource_app_roles r WHERE r.role IN", "r", keys),
            Self::Groups(ids) => Condition::sql(
                "(resources.tenant_id, resources.id) IN (SELECT m.tenant_id, m.resource_id FROM group_members m WHERE ",
            )
            .append(Condition::text_in("m.tenant_id IN", scope))
            .then(" AND ")
            .append(Condition::integer_in("m.group_id IN", ids.iter().copied()))
            .then(")"),
        }
    }

    /// A condition that checks the resource of a row; for few rows.
    pub fn probe(&self) -> Condition {
        match self {
            Self::Row(condition) | Self::Walked(condition) => condition.clone(),
            Self::Name(name) => name.contains_condition(),
            Self::Tags(keys) => Condition::sql(
                "EXISTS (SELECT 1 FROM resource_tags t WHERE t.tenant_id = resources.tenant_id \
                 AND t.resource_id = resources.id AND ",
            )
            .append(Condition::text_in("t.name_key IN", keys))
            .then(")"),
            Self::Roles(keys) => Condition::sql(
                "EXISTS (SELECT 1 FROM resource_app_roles r WHERE r.tenant_id = resources.tenant_id \
                 AND r.resource_id = resources.id AND ",
            )
            .append(Condition::text_in("r.role IN", keys))
            .then(")"),
            Self::Groups(ids) => Condition::sql(
                "EXISTS (SELECT 1 FROM group_members m WHERE m.tenant_id = resources.tenant_id \
                 AND m.resource_id = resources.id AND ",
            )
            .append(Condition::integer_in("m.group_id IN", ids.iter().copied()))
            .then(")"),
        }
    }
}

impl NameFilter {
    /// By the index of the column, which is read from one end to the other where the text may be anywhere in a name. It
    /// covers the query, so that only matching rows are read.
    fn found(&self, scope: &[String]) -> Condition {
        if self.exact {
            return self.contains_condition();
        }
        Condition::sql(
            "(resources.tenant_id, resources.id) IN (SELECT resources.tenant_id, resources.id FROM resources WHERE ",
        )
        .append(tenants(scope))
        .then(" AND ")
        .append(self.contains_condition())
        .then(")")
    }

    /// Every name contains the empty text, but an empty name is not a name, and no index of names has one.
    fn contains_condition(&self) -> Condition {
        let column = Condition::sql(self.column);
        let holds = |key: &String| match key.as_str() {
            "" if self.exact => Condition::sql("1 = 0"),
            "" => Condition::sql("1 = 1"),
            key if self.exact => column.clone().then(" = ").text(key),
            key => Condition::contains(self.column, key),
        };
        Condition::all([column.clone().then(" <> ''"), Condition::any(self.keys.iter().map(holds))])
    }
}

fn name_condition(scope: &[String], text: &'static str, alias: &'static str, keys: &[String]) -> Condition {
    Condition::sql("(resources.tenant_id, resources.id) IN (SELECT ")
        .then(alias)
        .then(".tenant_id, ")
        .then(alias)
        .then(".resource_id FROM ")
        .append(Condition::text_in(text, keys))
        .then(" AND ")
        .then(alias)
        .then(".")
        .append(Condition::text_in("tenant_id IN", scope))
        .then(")")
}
