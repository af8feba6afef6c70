//! The rules of lookups for other domains, and the summary of a resource that they get.

use ports::ResourceSummary;

use crate::{
    model::document::{DECOMMISSIONED, STATES},
    schema::resources,
};

/// The rules of a lookup.
#[derive(Debug)]
pub(super) struct LookupRules {
    pub states: &'static [&'static str],
    /// The most resources for each key.
    pub limit_per_key: usize,
    /// Must a name that is only part of a resource's full name match one resource alone?
    pub is_unique: bool,
}

/// Managed resources; two are enough to know that a key is not unique.
pub(super) const MANAGED: LookupRules = LookupRules { states: &STATES, limit_per_key: 2, is_unique: true };

/// Decommissioned resources. An address may have had many owners.
pub(super) const HISTORY: LookupRules = LookupRules { states: &[DECOMMISSIONED], limit_per_key: 50, is_unique: false };

/// The summary of a resource: tenant, id, name, host name, address, type.
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

pub(super) fn to_summary((tenant_id, id, name, host_name, ip_address, resource_type): SummaryRow) -> ResourceSummary {
    ResourceSummary { id, tenant_id, name, host_name, ip_address, resource_type }
}
