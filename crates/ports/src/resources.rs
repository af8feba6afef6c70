//! The port of resources, their places and service groups.

use db::{Conn, Result};

/// How somebody names a resource. Text is compared whatever the letter case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceKey {
    /// Its id, a UUID.
    Id(String),
    /// Any of its `hostName`, `dnsName`, `resourceName` and `aliasName`, with or without a dot at the end. Where no
    /// resource has it, a full name (`web.example.net`) stands for the one resource that is called by its first label
    /// and has no other full name, and a short one for the one resource whose full name begins with it. An IP address
    /// counts as one.
    Name(String),
    /// Its `extResourceId`.
    ExtResourceId(String),
    /// Its `ipAddress`, or that of one of its network cards.
    IpAddress(String),
    /// The address of one of its network cards, in any of the usual spellings.
    MacAddress(String),
}

impl ResourceKey {
    /// What it was named by.
    pub fn text(&self) -> &str {
        match self {
            Self::Id(text)
            | Self::Name(text)
            | Self::ExtResourceId(text)
            | Self::IpAddress(text)
            | Self::MacAddress(text) => text,
        }
    }
}

/// A resource as other domains show one; not a decommissioned one, unless they ask for those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSummary {
    /// A UUID.
    pub id: String,
    /// The tenant that owns it.
    pub tenant_id: String,
    /// The name that lists show.
    pub name: String,
    /// Empty when it has none.
    pub host_name: String,
    /// Empty when it has none.
    pub ip_address: String,
    /// The name of its resource type.
    pub resource_type: String,
}

/// What holds resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlaceKind {
    /// A device group.
    DeviceGroup,
    /// A site; `location` on the wire.
    Location,
}

/// How somebody names a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceKey {
    /// Its number.
    Id(i64),
    /// A group's `DGP-<uuid>`.
    UniqueId(String),
    /// Its name, whatever the letter case.
    Name(String),
}

/// A device group or a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which of the two.
    pub kind: PlaceKind,
    /// The tenant that owns it.
    pub tenant_id: String,
    /// Its number, unique in its tenant and kind.
    pub id: i64,
    /// A group's `DGP-<uuid>`; empty for a site.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// A service group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceGroup {
    /// The tenant that owns it.
    pub tenant_id: String,
    /// Its number, unique in its tenant.
    pub id: i64,
    /// `SGP-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// Which machines a tenant has.
///
/// The tenants of a question are those whose records may be seen; what is of other tenants is answered like what does
/// not exist. The children of a group count as its members.
pub trait Resources: Send + Sync {
    /// The resources that each key names, in the order of the keys; two at most for each, which is enough to know
    /// that a name is not unique.
    fn find(&self, conn: &mut Conn, tenants: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>>;

    /// The resource that each list of keys names, in their order: the first of its keys that is that of exactly one
    /// counts. Two where none is and one is that of several.
    fn named(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        names: &[Vec<ResourceKey>],
    ) -> Result<Vec<Vec<ResourceSummary>>> {
        let keys: Vec<ResourceKey> = names.iter().flatten().cloned().collect();
        let mut found = self.find(conn, tenants, &keys)?.into_iter();
        let of_keys = |keys: &Vec<ResourceKey>| {
            let mut hits: Vec<Vec<ResourceSummary>> = found.by_ref().take(keys.len()).collect();
            let one = hits.iter().position(|hits| hits.len() == 1);
            let counts = one.or_else(|| hits.iter().position(|hits| !hits.is_empty()));
            counts.map(|place| hits.swap_remove(place)).unwrap_or_default()
        };
        Ok(names.iter().map(of_keys).collect())
    }

    /// The decommissioned resources that each key named, in the order of the keys: fifty at most for each, though no
    /// more than a few ever have something left to be done.
    fn decommissioned(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        keys: &[ResourceKey],
    ) -> Result<Vec<Vec<ResourceSummary>>>;

    /// The places that each key names, in the order of the keys: of several tenants' places of one name that of the
    /// tenant that is named first, and if it has none, two at most, which is enough to know that the name is not
    /// unique.
    fn places(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        kind: PlaceKind,
        keys: &[PlaceKey],
    ) -> Result<Vec<Vec<Place>>>;

    /// The places that hold each of these resources, in the order of the ids: its site, its groups, and the groups
    /// above those.
    fn places_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<Place>>>;

    /// The service groups that each key names, in the order of the keys, as [`Resources::places`] answers it.
    fn service_groups(&self, conn: &mut Conn, tenants: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<ServiceGroup>>>;

    /// The service groups that hold each of these resources, in the order of the ids, and the groups above those.
    fn service_groups_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>>;

    /// The tags of each of these resources, names and values, in the order of the ids.
    fn tags_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>>;

    /// The resources in a place, by id, those behind `after`.
    fn members(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        place: &Place,
        after: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ResourceSummary>>;
}
