//! The row of a tenant.

use base::{tenant::TenantId, text::fold, timestamp::Timestamp};
use diesel::prelude::*;

use crate::schema::tenants;

/// A tenant as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Insertable, Queryable, AsChangeset)]
#[diesel(table_name = tenants, treat_none_as_default_value = false)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) partner_id: String,
    pub(crate) number: i64,
    pub(crate) name: String,
    pub(crate) name_fold: String,
    pub(crate) activated: bool,
    pub(crate) suspended: bool,
    pub(crate) version: i64,
    pub(crate) created_ms: i64,
    pub(crate) updated_ms: i64,
    pub(crate) terminated: bool,
}

impl Row {
    pub(crate) fn new(id: &TenantId, partner: &TenantId, name: &str, now: Timestamp) -> Self {
        Self {
            id: id.to_string(),
            partner_id: partner.to_string(),
            number: id.number(),
            name: name.to_owned(),
            name_fold: fold(name),
            activated: true,
            suspended: false,
            version: 1,
            created_ms: now.millis(),
            updated_ms: now.millis(),
            terminated: false,
        }
    }

    /// The partner of a client; none for a partner.
    pub(crate) fn partner(&self) -> Option<TenantId> {
        (self.partner_id != self.id).then(|| TenantId::parse(&self.partner_id)).flatten()
    }
}
