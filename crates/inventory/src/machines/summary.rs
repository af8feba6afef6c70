//! Which resources other domains ask for, and what they are shown of one.

use ports::KnownResource;

use crate::{
    model::document::{DECOMMISSIONED, STATES},
    schema::resources,
};

/// Which resources are looked for.
#[derive(Debug)]
pub(super) struct LookupRules {
    pub states: &'static [&'static str],
    /// How many for each key.
    pub limit_per_key: usize,
    /// Does a name that is not all of a resource's name count only where it is that of one?
    pub is_unique: bool,
}

/// Those that are looked after; as many as tell that a key is not unique.
pub(super) const MANAGED: LookupRules = LookupRules { states: &STATES, limit_per_key: 2, is_unique: true };

/// Those that are history. An address may have had many owners.
pub(super) const HISTORY: LookupRules = LookupRules { states: &[DECOMMISSIONED], limit_per_key: 50, is_unique: false };

/// What is shown of a resource: tenant, id, name, host name, address, type.
pub(super) type SummaryRow = (String, String, String, String, String, String);

type SummaryColumns = (
    resources::tenant_id,
    resources::id,
    resources::name,
    resources::host_name,
    resources::ip_address,
    resources::resource_type,
);

pub(super) const fn summary_columns() -> SummaryColumns {
    use resources::dsl;
    (dsl::tenant_id, dsl::id, dsl::name, dsl::host_name, dsl::ip_address, dsl::resource_type)
}

pub(super) fn to_summary((tenant_id, id, name, host_name, ip_address, resource_type): SummaryRow) -> KnownResource {
    KnownResource { id, tenant_id, name, host_name, ip_address, resource_type }
}
