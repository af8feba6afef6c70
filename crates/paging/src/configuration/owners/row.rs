//! The row of an owner.

use diesel::prelude::*;

use crate::schema::owners;

pub const RESOURCE: &str = "resource";
/// Of a device group.
pub const DEVICE_GROUP: &str = "deviceGroup";
/// Of a service group.
pub const SERVICE_GROUP: &str = "serviceGroup";
pub const SITE: &str = "site";
/// Of all that has no other.
pub const DEFAULT: &str = "default";

/// All of them.
pub const KINDS: [&str; 5] = [RESOURCE, DEVICE_GROUP, SERVICE_GROUP, SITE, DEFAULT];

/// One row of `owners`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct Ownership {
    /// The tenant of what is owned.
    pub tenant_id: String,
    /// `OWN-<uuid>`.
    pub id: String,
    /// What is owned.
    pub kind: String,
    /// Which one.
    pub target_id: String,
    /// The user group that owns it.
    pub group_id: String,
    /// Who said so.
    pub created_by: String,
    pub created_ms: i64,
}
