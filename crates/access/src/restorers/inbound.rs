//! Undoing changes of inbound addresses: a new one is revoked. One that was revoked stays so, since nobody has its
//! token.

use api::{RequestScope, Restorer};
use base::tenant::TenantId;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};

use crate::{
    inbound::{rules, store},
    secrets,
};

/// Restores inbound addresses.
pub(super) struct InboundAddresses;

impl Restorer for InboundAddresses {
    fn kinds(&self) -> &'static [&'static str] {
        &["InboundAddress"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        !change.existed
    }

    fn left(&self, _: &ObjectChange) -> Vec<String> {
        Vec::new()
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = TenantId::parse(&change.tenant_id).ok_or_else(rules::unknown)?;
        let row = store::remove(tx.conn, &tenant, &change.entity_id)?;
        secrets::record_change(tx, Some(&row), None)
    }
}
