//! Which resources other domains ask for, and what they are shown of one.

use ports::KnownResource;

use crate::{
    model::document::{DECOMMISSIONED, STATES},
    schema::resources,
};

/// Which resources are looked for.
#[derive(Debug)]
pub(super) struct Which {
    pub states: &'static [&'static str],
    /// How many for each key.
    pub enough: usize,
    /// Does a name that is not all of a resource's name count only where it is that of one?
    pub is_unique: bool,
}

/// Those that are looked after; as many as tell that a key is not unique.
pub(super) const MANAGED: Which = Which { states: &STATES, enough: 2, is_unique: true };

/// Those that are history. An address may have had many owners.
pub(super) const FORMER: Which = Which { states: &[DECOMMISSIONED], enough: 50, is_unique: false };

/// What is shown of a resource: tenant, id, name, host name, address, type.
pub(super) type Shown = (String, String, String, String, String, String);

type ShownColumns = (
    resources::tenant_id,
    resources::id,
    resources::name,
    resources::host_name,
    resources::ip_address,
    resources::resource_type,
);

pub(super) const fn shown() -> ShownColumns {
    use resources::dsl;
    (dsl::tenant_id, dsl::id, dsl::name, dsl::host_name, dsl::ip_address, dsl::resource_type)
}

pub(super) fn known((tenant_id, id, name, host_name, ip_address, resource_type): Shown) -> KnownResource {
    KnownResource { id, tenant_id, name, host_name, ip_address, resource_type }
}
