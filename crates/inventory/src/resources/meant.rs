//! What one term of a filter asks of a resource, to be asked in two ways: which resources are meant ([`Filter::condition`],
//! which leads from an index to them), and is this one meant ([`Filter::probe`], which begins at its row).

use db::Condition;

use super::names;

/// What one term asks for.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Something of the row, for which there is an index.
    Row(Condition),
    /// Something of the row, for which there is none.
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
    /// The column that holds the name, folded.
    pub column: &'static str,
    /// The name's bit in the index.
    pub field: i64,
    /// Is it all of the name?
    pub exact: bool,
    /// The texts, folded.
    pub keys: Vec<String>,
}

impl Filter {
    /// The resources of these tenants that are meant.
    pub fn condition(&self, scope: &[String]) -> Condition {
        match self {
            Self::Row(condition) | Self::Walked(condition) => condition.clone(),
            Self::Name(name) => Condition::any(name.keys.iter().map(|key| name.found(scope, key))),
            Self::Tags(keys) => having(scope, "resource_tags t WHERE t.name_key IN", "t", keys),
            Self::Roles(keys) => having(scope, "resource_app_roles r WHERE r.role IN", "r", keys),
            Self::Groups(ids) => Condition::sql(
                "(resources.tenant_id, resources.id) IN (SELECT m.tenant_id, m.resource_id FROM group_members m WHERE ",
            )
            .append(Condition::text_in("m.tenant_id IN", scope))
            .then(" AND ")
            .append(Condition::integer_in("m.group_id IN", ids.iter().copied()))
            .then(")"),
        }
    }

    /// Is the resource of a row meant? To be asked of few.
    pub fn probe(&self) -> Condition {
        match self {
            Self::Row(condition) | Self::Walked(condition) => condition.clone(),
            Self::Name(name) => Condition::any(name.keys.iter().map(|key| name.holds(key))),
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

    /// The same for filters that ask for the same.
    pub fn key(&self) -> String {
        format!("{:?}", self.probe())
    }

    /// The groups that it asks for.
    pub fn groups(&self) -> &[i64] {
        match self {
            Self::Groups(ids) => ids,
            _ => &[],
        }
    }
}

impl NameFilter {
    /// Does the index of names hold all of each text, so that it alone decides?
    pub fn is_indexed(&self) -> bool {
        // A suffix that is as long as they are kept may be the start of a longer one.
        let most = if self.exact { names::LONGEST - 1 } else { names::LONGEST };
        self.keys.iter().all(|key| key.chars().nth(most).is_none())
    }

    /// What of the index is to be looked at for a text.
    pub fn range(&self, key: &str) -> Condition {
        let start: String = key.chars().take(names::LONGEST).collect();
        if self.exact {
            return Condition::sql("resource_names.suffix = ").text(start);
        }
        let end = format!("{start}\u{10FFFF}");
        Condition::sql("resource_names.suffix >= ").text(start).then(" AND resource_names.suffix < ").text(end)
    }

    /// What `fields` of such an entry has to have in common with.
    pub fn mask(&self) -> i64 {
        if self.exact { self.field * names::WHOLE } else { self.field }
    }

    fn found(&self, scope: &[String], key: &str) -> Condition {
        let found = Condition::sql(
            "(resources.tenant_id, resources.id) IN (SELECT resource_names.tenant_id, resource_names.resource_id \
             FROM resource_names WHERE ",
        )
        .append(Condition::text_in("resource_names.tenant_id IN", scope))
        .then(" AND ")
        .append(self.range(key))
        .then(" AND (resource_names.fields & ")
        .integer(self.mask())
        .then(") <> 0)");
        if self.is_indexed() {
            return found;
        }
        // The index holds only the start of what is this long: the name itself decides.
        Condition::all([found, self.holds(key)])
    }

    fn holds(&self, key: &str) -> Condition {
        let column = Condition::sql("resources.").then(self.column);
        match key {
            "" if self.exact => Condition::sql("1 = 0"),
            _ if self.exact => column.then(" = ").text(key),
            // Every name has nothing in it, but an empty one is no name.
            "" => column.then(" <> ''"),
            _ => {
                Condition::sql("replace(").append(column.clone()).then(", ").text(key).then(", '') <> ").append(column)
            }
        }
    }
}

fn having(scope: &[String], text: &'static str, alias: &'static str, keys: &[String]) -> Condition {
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
