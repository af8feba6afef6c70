//! Who answers what domains ask of each other (`ports`).

use std::sync::Arc;

use access::Directory;
use incidents::{Neighbours, Noticed, Records, Trial};
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
    Arc::new(Trial::new(Arc::new(inventory::Machines), Arc::new(Directory)))
}

/// Who takes in what other domains notice.
pub fn notices(of_incidents: Neighbours) -> Arc<dyn Notices> {
    Arc::new(Noticed::new(of_incidents))
}

/// Those whom paging asks. Whose machines are, paging says itself: who acts on an incident for it asks nobody.
pub fn of_paging(
    parts: &Parts,
    windows: Arc<Windows>,
    public_url: Option<String>,
    page_limit: u32,
) -> paging::Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    paging::Neighbours {
        alerts: alerts(),
        incidents: Arc::new(Records::new(of_incidents(Arc::clone(&windows), Arc::new(ports::Standalone)))),
        articles: Arc::new(kb::Library),
        jobs: Arc::new(jobs::Planned),
        resources: Arc::new(inventory::Machines),
        maintenance: windows,
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        people,
        integrations: Arc::new(integrations::Known),
        seals: parts.seals(),
        sends: parts.outside(),
        clock: api::clock::now,
        public_url,
        page_limit: page_limit.into(),
    }
}

/// Those whom incidents ask.
pub fn of_incidents(windows: Arc<Windows>, owners: Arc<dyn Owners>) -> Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    Neighbours {
        resources: Arc::new(inventory::Machines),
        maintenance: windows,
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        owners,
        articles: Arc::new(kb::Library),
        jobs: Arc::new(jobs::Planned),
        people,
        escalations: Arc::new(paging::Stored),
        tenants: Arc::new(Directory),
    }
}
