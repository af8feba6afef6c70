//! The filter of a group search, and the versions of a group. Pure.

use base::{problem::Problem, query_string, text::fold, timestamp::Timestamp};
use db::Json;
use uuid::Uuid;

use super::{
    input::{GroupChange, NewGroup},
    kind::{Kind, Reference, unique_id},
    row::Group,
};

/// The variables of a search.
const VARIABLES: [&str; 4] = ["id", "uniqueId", "name", "isEquals"];

/// The filter of a group search; an empty list filters nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Any of these, by `id`.
    pub ids: Vec<Reference>,
    /// Any of these, by `uniqueId`.
    pub unique_ids: Vec<Reference>,
    /// Folded names.
    pub names: Vec<String>,
    /// Whether a name is all of the group's name, and not a part of it.
    pub exact: bool,
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString` that names what is wrong.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            let references =
                || term.values.iter().map(|value| reference(kind, term.name, value)).collect::<Result<_, Problem>>();
            match term.name {
                "id" => filter.ids = references()?,
                "uniqueId" => filter.unique_ids = references()?,
                "name" => filter.names = term.values.iter().map(|value| fold(value)).collect(),
                _ => filter.exact = term.boolean()?,
            }
        }
        Ok(filter)
    }
}

fn reference(kind: Kind, name: &str, value: &str) -> Result<Reference, Problem> {
    let message = || format!("{name}: must be an integer or {}<uuid>", kind.prefix());
    Reference::parse(kind, value).ok_or_else(|| Problem::field("queryString", message()))
}

/// The values of a new group that are not in its body.
pub struct Origin {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// Its integer id.
    pub id: i64,
    /// Its unique id, without the prefix.
    pub uuid: Uuid,
    /// Its parent.
    pub parent_id: Option<i64>,
    /// The time of creation.
    pub now: Timestamp,
}

/// The first version of a group.
pub fn created(kind: Kind, new: &NewGroup, origin: Origin) -> Group {
    Group {
        tenant_id: origin.tenant_id,
        id: origin.id,
        unique_id: unique_id(kind, origin.uuid),
        version: 1,
        kind: kind.word().to_owned(),
        name: new.name.clone(),
        name_key: fold(&new.name),
        description: new.description.clone(),
        parent_id: origin.parent_id,
        rules: new.criteria.clone().map(Json),
        created_ms: origin.now.millis(),
        updated_ms: origin.now.millis(),
    }
}

/// The next version of a group.
pub fn changed(old: &Group, change: GroupChange<i64>, now: Timestamp) -> Group {
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Group {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.description.clone()),
        parent_id: change.parent.apply_to(old.parent_id),
        rules: change.criteria.map(Json).apply_to(old.rules.clone()),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// The tenants whose resources a group may hold: a partner's group, reached at partner level, also those of its
/// clients; any other only those of its own tenant.
pub fn member_tenants(owner: &str, tenant: &str, scope: &[String]) -> Vec<String> {
    if owner == tenant { scope.to_vec() } else { vec![owner.to_owned()] }
}

#[cfg(test)]
mod tests {
    use super::{super::kind::Setting, *};

    const UNIQUE: &str = "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f";

    #[test]
    fn a_filter_takes_either_id() {
        let filter = Filter::parse(Kind::Device, &format!("id:3,{UNIQUE}+name:Web,DB+isEquals:true")).unwrap();
        assert_eq!(filter.ids, [Reference::Id(3), Reference::UniqueId(UNIQUE.to_owned())]);
        assert_eq!((filter.names, filter.exact), (vec!["web".to_owned(), "db".to_owned()], true));
        let problem = Filter::parse(Kind::Service, &format!("uniqueId:{UNIQUE}")).unwrap_err();
        assert_eq!(problem.errors[0].message, "uniqueId: must be an integer or SGP-<uuid>");
        assert!(Filter::parse(Kind::Device, "isEquals:2").is_err());
    }

    #[test]
    fn a_client_s_group_holds_its_own_resources_only() {
        let scope = ["msp_1".to_owned(), "client_1".to_owned(), "client_2".to_owned()];
        assert_eq!(member_tenants("msp_1", "msp_1", &scope), scope);
        assert_eq!(member_tenants("client_1", "msp_1", &scope), ["client_1"]);
        assert_eq!(member_tenants("client_1", "client_1", &scope[1..2]), ["client_1"]);
    }

    #[test]
    fn a_change_keeps_other_fields() {
        let new = NewGroup { name: "Web".to_owned(), description: "shop".to_owned(), ..NewGroup::default() };
        let origin = Origin {
            tenant_id: "client_1".to_owned(),
            id: 5,
            uuid: Uuid::nil(),
            parent_id: Some(4),
            now: Timestamp::from_millis(1),
        };
        let old = created(Kind::Service, &new, origin);
        assert_eq!(old.unique_id, "SGP-00000000-0000-0000-0000-000000000000");
        let same = changed(&old, GroupChange::default(), Timestamp::from_millis(2));
        assert_eq!(same, Group { version: 2, updated_ms: 2, ..old.clone() });
        let change = GroupChange { parent: Setting::Clear, name: Some("DB".to_owned()), ..GroupChange::default() };
        let top = changed(&old, change, Timestamp::from_millis(2));
        assert_eq!((top.parent_id, top.name_key.as_str(), top.description.as_str()), (None, "db", "shop"));
    }
}
