//! What may be said of a group: its kind, how it is named, which groups a search means. Pure.

use base::{problem::Problem, query_string, text::fold, timestamp::Timestamp};
use uuid::Uuid;

use super::{criteria::Criteria, store::Group, wire::NewGroup};

/// What a change says about something that need not be there.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Setting<T> {
    /// Nothing: it stays as it is.
    #[default]
    Keep,
    /// It is not to be there any more.
    Clear,
    /// It is to be this.
    Set(T),
}

impl<T> Setting<T> {
    /// What comes of what was there.
    pub fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Keep => old,
            Self::Clear => None,
            Self::Set(new) => Some(new),
        }
    }

    /// The same about something else.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Setting<U> {
        match self {
            Self::Keep => Setting::Keep,
            Self::Clear => Setting::Clear,
            Self::Set(new) => Setting::Set(f(new)),
        }
    }
}

/// The two kinds of group. They have the same rules and never mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Groups of devices, ids `DGP-<uuid>`.
    Device,
    /// Groups of what makes up a service, ids `SGP-<uuid>`.
    Service,
}

impl Kind {
    /// How the kind is stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Service => "service",
        }
    }

    /// How the audit log names it.
    pub const fn entity(self) -> &'static str {
        match self {
            Self::Device => "DeviceGroup",
            Self::Service => "ServiceGroup",
        }
    }

    /// Reads how the kind is stored.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Device, Self::Service].into_iter().find(|kind| kind.word() == word)
    }

    /// What every unique id starts with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Device => "DGP-",
            Self::Service => "SGP-",
        }
    }

    /// The type of a group among the children of another.
    pub const fn child_type(self) -> &'static str {
        match self {
            Self::Device => "DEVICE_GROUP",
            Self::Service => "SERVICE_GROUP",
        }
    }

    /// What an unknown group is answered with, and one of another tenant.
    pub fn not_found(self) -> Problem {
        Problem::not_found(format!("The {} group was not found.", self.word()))
    }

    /// What a second group of the same name is answered with.
    pub fn taken(self, name: &str) -> Problem {
        Problem::conflict(format!("The tenant has a {} group named \"{name}\" already.", self.word()))
    }

    /// What a parent is answered with that the group holds itself.
    pub fn cycle(self, name: &str) -> Problem {
        let word = self.word();
        Problem::conflict(format!(
            "The {word} group \"{name}\" cannot stand below itself or below one of its children."
        ))
    }

    /// What the deletion of a parent is answered with.
    pub fn has_children(self, name: &str) -> Problem {
        Problem::conflict(format!("The {} group \"{name}\" has child groups: move or delete them first.", self.word()))
    }

    /// What a change is answered with that came second.
    pub fn overtaken(self) -> Problem {
        Problem::conflict(format!("Somebody else changed the {} group meanwhile. Read it again.", self.word()))
    }
}

/// How a group is named in paths and bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Its integer id.
    Id(i64),
    /// Its unique id, in the spelling in which it is stored.
    UniqueId(String),
    /// Its name, folded.
    Name(String),
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => write!(f, "{id}"),
            Self::UniqueId(text) | Self::Name(text) => f.write_str(text),
        }
    }
}

impl Reference {
    /// Reads an id: the integer, or the unique id in any letter case. `None` for anything that names no group.
    pub fn parse(kind: Kind, text: &str) -> Option<Self> {
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Self::Id);
        }
        let (start, rest) = text.split_at_checked(kind.prefix().len())?;
        let uuid = uuid(rest).filter(|_| start.eq_ignore_ascii_case(kind.prefix()))?;
        Some(Self::UniqueId(unique_id(kind, uuid)))
    }

    /// Names a group by its name, whatever the letter case.
    pub fn name(text: &str) -> Self {
        Self::Name(fold(text.trim()))
    }
}

/// The UUID that a text is in its usual form, with hyphens.
pub fn uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

/// The unique id of a group.
pub fn unique_id(kind: Kind, uuid: Uuid) -> String {
    format!("{}{uuid}", kind.prefix())
}

/// What a search may be sorted by.
pub const SORTS: [&str; 2] = ["id", "name"];

/// The variables of a search.
const VARIABLES: [&str; 4] = ["id", "uniqueId", "name", "isEquals"];

/// Which groups a search means; an empty list says nothing.
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
                _ => filter.exact = boolean(&term.value)?,
            }
        }
        Ok(filter)
    }
}

fn reference(kind: Kind, name: &str, value: &str) -> Result<Reference, Problem> {
    let message = || format!("{name}: must be an integer or {}<uuid>", kind.prefix());
    Reference::parse(kind, value).ok_or_else(|| Problem::field("queryString", message()))
}

fn boolean(value: &str) -> Result<bool, Problem> {
    match fold(value).as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Problem::field("queryString", "isEquals: must be true or false")),
    }
}

/// What a new group gets beside what its body says.
pub struct Birth {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// Its integer id.
    pub id: i64,
    /// Its unique id, without the prefix.
    pub uuid: Uuid,
    /// Its parent.
    pub parent_id: Option<i64>,
    /// When.
    pub now: Timestamp,
}

/// The first version of a group.
pub fn created(kind: Kind, new: &NewGroup, birth: Birth) -> Group {
    Group {
        tenant_id: birth.tenant_id,
        id: birth.id,
        unique_id: unique_id(kind, birth.uuid),
        version: 1,
        kind: kind.word().to_owned(),
        name: new.name.clone(),
        name_key: fold(&new.name),
        description: new.description.clone(),
        parent_id: birth.parent_id,
        rules: new.criteria.as_ref().map(Criteria::to_json),
        created_ms: birth.now.millis(),
        updated_ms: birth.now.millis(),
    }
}

/// What is to become of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Its new name.
    pub name: Option<String>,
    /// Its new description.
    pub description: Option<String>,
    /// Its new parent, by id.
    pub parent: Setting<i64>,
    /// Its new filter criteria.
    pub criteria: Setting<Criteria>,
}

/// The next version of a group.
pub fn changed(old: &Group, change: Change, now: Timestamp) -> Group {
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Group {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.description.clone()),
        parent_id: change.parent.over(old.parent_id),
        rules: change.criteria.map(|criteria| criteria.to_json()).over(old.rules.clone()),
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
    use super::*;

    const UNIQUE: &str = "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f";

    #[test]
    fn references_are_integers_or_unique_ids() {
        let unique = Some(Reference::UniqueId(UNIQUE.to_owned()));
        assert_eq!(Reference::parse(Kind::Device, UNIQUE), unique);
        assert_eq!(Reference::parse(Kind::Device, &UNIQUE.to_ascii_lowercase()), unique);
        assert_eq!(Reference::parse(Kind::Device, &UNIQUE.to_ascii_uppercase()), unique);
        assert_eq!(Reference::parse(Kind::Device, "17"), Some(Reference::Id(17)));
        for text in ["", "-1", "99999999999999999999", "web", "DGP-", "DGP-17", "ä", "DÄP-x", &UNIQUE[4..]] {
            assert_eq!(Reference::parse(Kind::Device, text), None, "{text}");
        }
        assert_eq!(Reference::parse(Kind::Service, UNIQUE), None);
        let plain = format!("DGP-{}", UNIQUE[4..].replace('-', ""));
        assert_eq!(Reference::parse(Kind::Device, &plain), None);
    }

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
    fn a_change_keeps_what_it_leaves_out() {
        let new = NewGroup { name: "Web".to_owned(), description: "shop".to_owned(), ..NewGroup::default() };
        let birth = Birth {
            tenant_id: "client_1".to_owned(),
            id: 5,
            uuid: Uuid::nil(),
            parent_id: Some(4),
            now: Timestamp::from_millis(1),
        };
        let old = created(Kind::Service, &new, birth);
        assert_eq!(old.unique_id, "SGP-00000000-0000-0000-0000-000000000000");
        let same = changed(&old, Change::default(), Timestamp::from_millis(2));
        assert_eq!(same, Group { version: 2, updated_ms: 2, ..old.clone() });
        let change = Change { parent: Setting::Clear, name: Some("DB".to_owned()), ..Change::default() };
        let top = changed(&old, change, Timestamp::from_millis(2));
        assert_eq!((top.parent_id, top.name_key.as_str(), top.description.as_str()), (None, "db", "shop"));
    }
}
