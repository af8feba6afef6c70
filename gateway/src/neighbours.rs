//! Who answers what domains ask of each other (`ports`).

use std::sync::Arc;

use incidents::Neighbours;
use maintenance::Windows;
use ports::People;
use rosters::Rosters;

use crate::people::Directory;

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
