//! The outbox subscriber that stores changes while a tenant is watched.

use std::{collections::BTreeMap, sync::Arc};

use db::{Conn, Result};
use outbox::Event;
use ports::Tenants;

use crate::{hub::BELL, row::Change, store};

/// Takes every event of the outbox.
pub struct Subscriber {
    tenants: Arc<dyn Tenants>,
}

impl Subscriber {
    /// Makes the subscriber, with the port that knows each tenant's partner.
    pub fn new(tenants: Arc<dyn Tenants>) -> Self {
        Self { tenants }
    }
}

impl outbox::Subscriber for Subscriber {
    fn name(&self) -> &'static str {
        "changes"
    }

    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()> {
        self.take_all(conn, std::slice::from_ref(event))
    }

    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        let mut by_tenant: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        events.iter().for_each(|event| by_tenant.entry(&event.tenant_id).or_default().push(event));
        by_tenant.into_iter().try_for_each(|(tenant, events)| self.keep(conn, tenant, &events))
    }
}

impl Subscriber {
    /// Stores the changes of a tenant, in this order.
    fn keep(&self, conn: &mut Conn, tenant: &str, events: &[&Event]) -> Result<()> {
        let partner = self.tenants.partner(conn, tenant)?;
        let now_ms = api::clock::now().millis();
        let many = i64::try_from(events.len()).unwrap_or(i64::MAX);
        let (own_seq, all_seq) = store::count(conn, tenant, &partner, many, now_ms)?;
        if own_seq.is_none() && all_seq.is_none() {
            return Ok(());
        }
        for (behind, event) in (0..many).rev().zip(events) {
            store::insert(
                conn,
                &Change {
                    tenant_id: event.tenant_id.clone(),
                    id: event.id.clone(),
                    partner_id: partner.clone(),
                    entity: event.entity.clone(),
                    entity_id: event.entity_id.clone(),
                    action: event.action.clone(),
                    request_id: event.request_id.clone(),
                    at_ms: event.at.millis(),
                    own_seq: own_seq.map(|last| last - behind),
                    all_seq: all_seq.map(|last| last - behind),
                },
            )?;
        }
        BELL.ring_at_commit();
        Ok(())
    }
}
