//! Nothing is in maintenance, while nobody keeps windows.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{AlertFacts, Cover, Maintenance, Window};

/// Answers that no window is open.
pub struct NoWindows;

impl Maintenance for NoWindows {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(vec![Vec::new(); resources.len()])
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Option<Cover>>> {
        Ok(vec![None; alerts.len()])
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(vec![None; windows.len()])
    }
}
