//! The attributes that filter criteria can test: the variables of the lists and the attributes of the bodies, by name.

use base::{text::fold, timestamp::Timestamp};

use crate::model::document::{CLOUD, Resource, SYNTHETIC, TEXTS};

/// A resource, with facts about it from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// The path of its type; needed only for criteria that ask for it ([`Attribute::TypePath`]).
    pub type_path: Option<&'a str>,
    /// The name of its site; needed only for criteria that ask for it ([`Attribute::Site`]).
    pub site: Option<&'a str>,
}

/// The attribute that a rule compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `id`.
    Id,
    /// `type`.
    Kind,
    /// `resourceType`, `deviceType`.
    ResourceType,
    /// The same, compared with a path.
    TypePath,
    /// `state`.
    State,
    /// `agentInstalled`: `true` or `false`.
    AgentInstalled,
    /// `name`: the name that lists show.
    DisplayName,
    /// `deviceLocation`, `location`: the name of the site.
    Site,
    /// `locationId`.
    SiteId,
    /// `tags`: the names of all custom attributes.
    TagNames,
    /// `tags.NAME`: the value of one, by its folded name.
    Tag(String),
    /// `appRoles`.
    AppRoles,
    /// `createdDate`, `launchDate`, `assetManagedTime`, `firstAssetManagedTime`, as timestamps.
    Time(Time),
    /// A text attribute of the document.
    Text(&'static str),
}

/// A time that a rule can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// When it was created here.
    Created,
    /// When its cloud instance was launched.
    Launched,
    /// When it was last managed or unmanaged.
    Managed,
    /// When it was first managed.
    FirstManaged,
}

/// The prefix of a custom attribute's key.
const TAG: &str = "tags.";

/// The keys that are not text attributes of the same name.
const OTHERS: [(&str, Attribute); 18] = [
    ("id", Attribute::Id),
    ("type", Attribute::Kind),
    ("resourceType", Attribute::ResourceType),
    ("deviceType", Attribute::ResourceType),
    ("state", Attribute::State),
    ("agentInstalled", Attribute::AgentInstalled),
    ("name", Attribute::DisplayName),
    ("deviceLocation", Attribute::Site),
    ("location", Attribute::Site),
    ("locationId", Attribute::SiteId),
    ("tags", Attribute::TagNames),
    ("appRoles", Attribute::AppRoles),
    ("createdDate", Attribute::Time(Time::Created)),
    ("launchDate", Attribute::Time(Time::Launched)),
    ("assetManagedTime", Attribute::Time(Time::Managed)),
    ("firstAssetManagedTime", Attribute::Time(Time::FirstManaged)),
    ("osName", Attribute::Text("os")),
    ("dns", Attribute::Text("dnsName")),
];

fn texts() -> impl Iterator<Item = &'static str> {
    TEXTS.into_iter().chain(CLOUD).chain(SYNTHETIC)
}

/// Finds the attribute that a key names in any letter case, with the spelling of the key.
pub fn parse(key: &str) -> Option<(String, Attribute)> {
    if let Some((start, name)) = key.split_at_checked(TAG.len())
        && start.eq_ignore_ascii_case(TAG)
    {
        let name = name.trim();
        return (!name.is_empty()).then(|| (format!("{TAG}{name}"), Attribute::Tag(fold(name))));
    }
    if let Some((known, attribute)) = OTHERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
        return Some(((*known).to_owned(), attribute.clone()));
    }
    texts().find(|known| known.eq_ignore_ascii_case(key)).map(|known| (known.to_owned(), Attribute::Text(known)))
}

/// All keys, as a message lists them.
pub fn key_list() -> String {
    let mut keys: Vec<&str> = OTHERS.iter().map(|(key, _)| *key).chain(texts()).collect();
    keys.sort_unstable();
    keys.dedup();
    format!("{}, {TAG}NAME", keys.join(", "))
}

/// The pattern of a key in its documented spelling.
pub fn form() -> String {
    let keys: Vec<&str> = OTHERS.iter().map(|(key, _)| *key).chain(texts()).collect();
    format!(r"^({}|tags\..*\S.*)$", keys.join("|"))
}

impl Attribute {
    /// Whether its values are addresses, which compare as such.
    pub fn is_address(&self) -> bool {
        matches!(self, Self::Text("ipAddress" | "publicIp" | "privateIp"))
    }

    /// Whether `test` holds for any value that a resource has of it. What has no value, has none to test.
    pub fn any(&self, facts: &Facts<'_>, mut test: impl FnMut(&str) -> bool) -> bool {
        let resource = facts.resource;
        let mut has = |text: &str| !text.is_empty() && test(text);
        match self {
            Self::Id => has(&resource.id),
            Self::Kind => has(&resource.kind),
            Self::ResourceType => has(&resource.resource_type.1),
            Self::TypePath => has(facts.type_path.unwrap_or("")),
            Self::State => has(&resource.state),
            Self::AgentInstalled => has(if resource.agent_installed { "true" } else { "false" }),
            Self::DisplayName => has(resource.document.display_name()),
            Self::Site => has(facts.site.unwrap_or("")),
            Self::SiteId => resource.site_id.is_some_and(|id| has(&id.to_string())),
            Self::TagNames => resource.document.tags.iter().any(|tag| has(&tag.name)),
            Self::Tag(name) => resource.document.tags.iter().any(|tag| fold(&tag.name) == *name && has(&tag.value)),
            Self::AppRoles => resource.document.app_roles.iter().any(|role| has(role)),
            Self::Time(time) => time.of(resource).is_some_and(|time| has(&time.to_string())),
            Self::Text(name) => has(resource.document.text(name)),
        }
    }
}

impl Time {
    fn of(self, resource: &Resource) -> Option<Timestamp> {
        match self {
            Self::Created => Some(resource.created),
            Self::Launched => resource.launched,
            Self::Managed => resource.asset_managed,
            Self::FirstManaged => resource.first_asset_managed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_any_letter_case() {
        let spelled = |key: &str| parse(key).map(|(key, _)| key);
        for (given, key) in [
            ("hostname", "hostName"),
            ("OSNAME", "osName"),
            ("os", "os"),
            ("systemuid", "systemUID"),
            ("Tags.Env", "tags.Env"),
            ("region", "region"),
            ("url", "url"),
        ] {
            assert_eq!(spelled(given).as_deref(), Some(key));
        }
        for key in ["", "tags.", "tags. ", "colour", "hostName ", "ä", "tagsä"] {
            assert_eq!(parse(key), None, "{key}");
        }
    }

    #[test]
    fn every_key_that_is_listed_is_known() {
        for key in key_list().split(", ") {
            assert!(parse(key).is_some(), "{key}");
        }
    }
}
