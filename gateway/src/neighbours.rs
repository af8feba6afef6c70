//! Who answers what domains ask of each other (`ports`).

use std::sync::Arc;

use incidents::{Neighbours, Trial};
use maintenance::Windows;
use ports::{Alerts, People};
use rosters::Rosters;

use crate::people::Directory;

/// Who knows the maintenance windows.
pub fn windows() -> Arc<Windows> {
    Arc::new(Windows::new(Arc::new(inventory::Machines), Arc::new(Directory)))
}

/// Who knows what alerts would be.
pub fn alerts() -> Arc<dyn Alerts> {
    Arc::new(Trial::new(Arc::new(inventory::Machines)))
}

/// Those whom incidents ask.
pub fn of_incidents(windows: Arc<Windows>) -> Neighbours {
    let people: Arc<dyn People> = Arc::new(Directory);
    Neighbours {
        resources: Arc::new(inventory::Machines),
        maintenance: windows,
        on_call: Arc::new(Rosters::new(Arc::clone(&people))),
        people,
        tenants: Arc::new(Directory),
    }
}
