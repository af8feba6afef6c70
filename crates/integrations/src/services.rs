//! The shared data of the handlers.

use std::{sync::Arc, time::Duration};

use api::Extras;
use base::Problem;
use db::Conn;

use crate::{
    egress::{Guard, dial::Dialler},
    firing::Rules,
    installed::row::Row,
    reporters::Reporters,
    vault::Vault,
};

/// The shared data of the handlers.
pub struct Services {
    /// Seals and opens secrets.
    pub vault: Arc<Vault>,
    /// Says where calls may go.
    pub guard: Arc<Guard>,
    /// Makes the calls of tests.
    pub dialler: Dialler,
    /// How long such a call may take.
    pub timeout: Duration,
    /// The events.
    pub rules: Arc<Rules>,
    /// Stores the credentials with which integrations report.
    pub reporters: Arc<dyn Reporters>,
}

impl Services {
    /// These integrations as they are shown: credentials that ended elsewhere are none any more.
    pub fn shown(&self, conn: &mut Conn, mut rows: Vec<Row>) -> db::Result<Vec<Row>> {
        let reporting = rows.iter().filter_map(|row| Some((row.tenant_id.as_str(), row.inbound.as_ref()?.id.as_str())));
        let (tenants, ids): (Vec<&str>, Vec<&str>) = reporting.unzip();
        if ids.is_empty() {
            return Ok(rows);
        }
        let live = self.reporters.live(conn, &tenants, &ids)?;
        for row in &mut rows {
            row.inbound = row.inbound.take().filter(|inbound| live.contains(&inbound.id));
        }
        Ok(rows)
    }

    /// As [`Services::shown`], of one.
    pub fn shown_one(&self, conn: &mut Conn, row: Row) -> db::Result<Row> {
        self.shown(conn, vec![row])?.pop().ok_or_else(|| Problem::internal().into())
    }
}

/// The shared data, as the handlers extract it.
pub fn extras(services: Arc<Services>) -> Extras {
    Extras::default().with(services)
}
