//! Who answers what domains ask of each other (`ports`).

use std::sync::Arc;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use incidents::Neighbours;
use ports::{AlertFacts, Cover, Maintenance, People, Window};
use rosters::Rosters;

use crate::people::Directory;

/// Those whom incidents ask.
pub fn of_incidents() -> Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    Neighbours {
        resources: Arc::new(inventory::Machines),
        maintenance: Arc::new(NoWindows),
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        people,
        tenants: Arc::new(Directory),
    }
}

/// Answers for maintenance as long as no domain does: nothing is in it.
struct NoWindows;

impl Maintenance for NoWindows {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(resources.iter().map(|_| Vec::new()).collect())
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Option<Cover>>> {
        Ok(alerts.iter().map(|_| None).collect())
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(windows.iter().map(|_| None).collect())
    }
}
