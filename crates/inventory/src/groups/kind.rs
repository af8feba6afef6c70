//! The two kinds of group, and references to groups. Pure.

use base::{problem::Problem, text::fold};
use uuid::Uuid;

/// The change to an optional value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Setting<T> {
    /// The value stays as it is.
    #[default]
    Keep,
    /// The value is removed.
    Clear,
    /// The value becomes this one.
    Set(T),
}

impl<T> Setting<T> {
    /// Applies the change to the old value.
    pub fn apply_to(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Keep => old,
            Self::Clear => None,
            Self::Set(new) => Some(new),
        }
    }

    /// Converts the new value.
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
    /// Groups of the resources of a service, ids `SGP-<uuid>`.
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

    /// The prefix of every unique id.
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

    /// 404: no such group, or it is another tenant's.
    pub fn not_found(self) -> Problem {
        Problem::not_found(format!("The {} group was not found.", self.word()))
    }

    /// 409: another group has this name.
    pub fn name_taken(self, name: &str) -> Problem {
        Problem::conflict(format!("The tenant has a {} group named \"{name}\" already.", self.word()))
    }

    /// 409: the group would stand below itself.
    pub fn cycle(self, name: &str) -> Problem {
        let word = self.word();
        Problem::conflict(format!(
            "The {word} group \"{name}\" cannot stand below itself or below one of its children."
        ))
    }

    /// 409: a group with child groups cannot be deleted.
    pub fn has_children(self, name: &str) -> Problem {
        Problem::conflict(format!("The {} group \"{name}\" has child groups: move or delete them first.", self.word()))
    }

    /// 409: another request changed the group first.
    pub fn changed_meanwhile(self) -> Problem {
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
}
