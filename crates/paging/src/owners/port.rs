//! What other domains may ask.

use base::timestamp::Timestamp;
use db::{Conn, Result};

use super::{machine, on_call};
use crate::Neighbours;

/// Answers [`ports::Owners`].
pub struct Owned {
    neighbours: Neighbours,
}

impl Owned {
    /// With those whom it asks.
    pub fn new(neighbours: Neighbours) -> Self {
        Self { neighbours }
    }
}

impl ports::Owners for Owned {
    fn owner(&self, conn: &mut Conn, tenant: &str, machine: &str) -> Result<Option<String>> {
        Ok(machine::owner(conn, &self.neighbours, tenant, machine)?.map(|row| row.group_id))
    }

    fn called(&self, conn: &mut Conn, tenant: &str, machine: &str, at: Timestamp) -> Result<Option<String>> {
        on_call::first(conn, &self.neighbours, tenant, machine, at)
    }
}
