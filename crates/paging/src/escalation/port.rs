//! What other domains may ask: of escalations and of owners.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{EachPage, Escalations, PagedAlerts, SentPages};

use super::{
    on_call,
    rules::{Stage, State},
    store,
};
use crate::{
    Neighbours,
    configuration::{owners::machine, routing},
    delivery::pages,
};

/// The escalations that are stored.
pub struct StoredEscalations;

impl Escalations for StoredEscalations {
    fn paged(&self) -> PagedAlerts {
        PagedAlerts { pages: pages::store::AS_TABLE, routes: store::ROUTES_AS_TABLE }
    }

    fn route_names(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<(String, String)>> {
        routing::store::names(conn, tenants, ids)
    }

    fn reopens_when_worse(&self, conn: &mut Conn, tenant: &str, alert: &str) -> Result<bool> {
        Ok(store::find(conn, tenant, alert)?.is_none_or(|row| row.policy.reopen_when_worse))
    }

    fn escalate(&self, conn: &mut Conn, tenant: &str, alert: &str, at: Timestamp) -> Result<bool> {
        store::lock(tenant, alert).take(conn)?;
        let Some(row) = store::find(conn, tenant, alert)?.filter(|row| row.state().stage == Stage::Running) else {
            return Ok(false);
        };
        // Anyone who takes steps that are due takes it within a moment.
        let next = State { next_ms: Some(at.millis()), ..row.state() };
        store::update(conn, &row.with(next, at.millis()))?;
        Ok(true)
    }
}

impl SentPages for StoredEscalations {
    fn for_each_page(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        range: (Timestamp, Timestamp),
        each: EachPage<'_>,
    ) -> Result<()> {
        pages::store::for_each_sent(conn, tenants, range, each)
    }
}

/// Answers [`ports::Owners`].
pub struct OwnersPort {
    neighbours: Neighbours,
}

impl OwnersPort {
    /// With those whom it asks.
    pub fn new(neighbours: Neighbours) -> Self {
        Self { neighbours }
    }
}

impl ports::Owners for OwnersPort {
    fn owner(&self, conn: &mut Conn, tenant: &str, machine: &str) -> Result<Option<String>> {
        Ok(machine::owner(conn, &self.neighbours, tenant, machine)?.map(|row| row.group_id))
    }

    fn owners(&self, conn: &mut Conn, tenant: &str, machines: &[String]) -> Result<Vec<Option<String>>> {
        let owners = machine::owners(conn, &self.neighbours, tenant, machines)?;
        Ok(owners.into_iter().map(|owner| owner.map(|row| row.group_id)).collect())
    }

    fn called(&self, conn: &mut Conn, tenant: &str, machine: &str, at: Timestamp) -> Result<Option<String>> {
        on_call::first(conn, &self.neighbours, tenant, machine, at)
    }
}
