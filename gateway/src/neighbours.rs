//! Who answers what domains ask of each other (`ports`).

use std::sync::Arc;

use access::Directory;
use base::Timestamp;
use db::{Conn, Result};
use incidents::{AlertPort, Neighbours, NoticeIntake, Records};
use maintenance::Windows;
use ports::{Alerts, Notices, Owners, People};
use rosters::Rosters;

use crate::outbound::Parts;

/// Who knows the maintenance windows.
pub fn windows() -> Arc<Windows> {
    Arc::new(Windows::new(Arc::new(inventory::Machines), Arc::new(Directory)))
}

/// Who knows what alerts would be.
pub fn alerts() -> Arc<dyn Alerts> {
    Arc::new(AlertPort::new(Arc::new(inventory::Machines), Arc::new(Directory)))
}

/// Who takes in what other domains notice.
pub fn notices(incident_neighbours: Neighbours) -> Arc<dyn Notices> {
    Arc::new(NoticeIntake::new(incident_neighbours))
}

/// Machines have no owners: paging says itself whose they are, and the demo company has none.
pub struct NoOwners;

impl Owners for NoOwners {
    fn owner(&self, _: &mut Conn, _: &str, _: &str) -> Result<Option<String>> {
        Ok(None)
    }

    fn owners(&self, _: &mut Conn, _: &str, machines: &[String]) -> Result<Vec<Option<String>>> {
        Ok(vec![None; machines.len()])
    }

    fn called(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Those whom paging asks.
pub fn paging_neighbours(
    parts: &Parts,
    windows: Arc<Windows>,
    public_url: Option<String>,
    page_limit: u32,
) -> paging::Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    paging::Neighbours {
        alerts: alerts(),
        incidents: Arc::new(Records::new(incident_neighbours(Arc::clone(&windows), Arc::new(NoOwners)))),
        articles: Arc::new(kb::ArticlePort),
        jobs: Arc::new(jobs::Planned),
        resources: Arc::new(inventory::Machines),
        maintenance: windows,
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        people,
        sessions: Arc::new(Directory),
        integrations: Arc::new(integrations::InstalledIntegrations),
        seals: parts.seals(),
        sends: parts.outgoing_sender(),
        clock: api::clock::now,
        public_url,
        page_limit: page_limit.into(),
    }
}

/// Those whom incidents ask.
pub fn incident_neighbours(windows: Arc<Windows>, owners: Arc<dyn Owners>) -> Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    Neighbours {
        resources: Arc::new(inventory::Machines),
        maintenance: windows,
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        owners,
        articles: Arc::new(kb::ArticlePort),
        jobs: Arc::new(jobs::Planned),
        people,
        escalations: Arc::new(paging::StoredEscalations),
        tenants: Arc::new(Directory),
    }
}
