//! Whom this domain asks.

use std::{collections::BTreeMap, sync::Arc};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{People, ResourceKey, Resources};

/// Those who answer for other domains.
pub(crate) struct Neighbours {
    resources: Arc<dyn Resources>,
    people: Arc<dyn People>,
}

impl Neighbours {
    pub(crate) fn new(resources: Arc<dyn Resources>, people: Arc<dyn People>) -> Self {
        Self { resources, people }
    }

    /// Those who know the resources.
    pub(crate) fn resources(&self) -> &dyn Resources {
        &*self.resources
    }

    /// Those who know the people.
    pub(crate) fn people(&self) -> &dyn People {
        &*self.people
    }

    /// Those who know the resources, to be taken along.
    pub(crate) fn shared_resources(&self) -> Arc<dyn Resources> {
        Arc::clone(&self.resources)
    }

    /// A tenant and its partner, whose windows may cover the tenant's resources.
    pub(crate) fn own_and_partner(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        let found = self.people.own_and_partner(conn, tenant)?;
        Ok(if found.is_empty() { vec![tenant.to_owned()] } else { found })
    }

    /// Is the tenant in use, not suspended?
    pub(crate) fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool> {
        self.people.is_active(conn, tenant)
    }

    /// May this user of the tenant or its partner still act?
    pub(crate) fn may_act(&self, conn: &mut Conn, tenant: &str, user_id: &str, now: Timestamp) -> Result<bool> {
        let around = self.people.own_and_partner(conn, tenant)?;
        self.people.may_act(conn, &around, user_id, now)
    }

    /// The tenant of each of these resources that is among those of a scope, with the ids of its resources.
    pub(crate) fn owners(
        &self,
        conn: &mut Conn,
        scope: &[String],
        ids: &[String],
    ) -> Result<BTreeMap<String, Vec<String>>> {
        let keys: Vec<ResourceKey> = ids.iter().map(|id| ResourceKey::Id(id.clone())).collect();
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for known in self.resources.find(conn, scope, &keys)?.into_iter().flatten() {
            owners.entry(known.tenant_id).or_default().push(known.id);
        }
        Ok(owners)
    }
}
