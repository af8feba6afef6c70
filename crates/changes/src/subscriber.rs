//! Who keeps what changed, while somebody watches.

use std::sync::Arc;

use db::{Conn, Result};
use outbox::Event;
use ports::Tenants;

use crate::{hub::BELL, row::Change, store};

/// Hears of every event.
pub struct Subscriber {
    tenants: Arc<dyn Tenants>,
}

impl Subscriber {
    /// With those who know tenants.
    pub fn new(tenants: Arc<dyn Tenants>) -> Self {
        Self { tenants }
    }
}

impl outbox::Subscriber for Subscriber {
    fn name(&self) -> &'static str {
        "changes"
    }

    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()> {
        let partner = self.tenants.partner(conn, &event.tenant_id)?;
        let now_ms = api::clock::now().millis();
        let (own_seq, all_seq) = store::count(conn, &event.tenant_id, &partner, now_ms)?;
        if own_seq.is_none() && all_seq.is_none() {
            return Ok(());
        }
        store::insert(
            conn,
            &Change {
                tenant_id: event.tenant_id.clone(),
                id: event.id.clone(),
                partner_id: partner,
                entity: event.entity.clone(),
                entity_id: event.entity_id.clone(),
                action: event.action.clone(),
                request_id: event.request_id.clone(),
                at_ms: event.at.millis(),
                own_seq,
                all_seq,
            },
        )?;
        BELL.ring_at_commit();
        Ok(())
    }
}
