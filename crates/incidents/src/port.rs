//! The alerts port for other domains, with previews of alerts that are not taken in.

use std::sync::Arc;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{AlertAction, AlertPreview, Alerts, People, Resources};
use serde_json::Value;

use crate::{
    alerts::{actions, lookup::resources, report::Report, rules, store},
    records,
};

/// Answers [`Alerts`]; previews the alert of a report, so that users can try their rules on it.
pub struct AlertPort {
    resources: Arc<dyn Resources>,
    people: Arc<dyn People>,
}

impl AlertPort {
    /// With the ports for resources and people.
    pub fn new(resources: Arc<dyn Resources>, people: Arc<dyn People>) -> Self {
        Self { resources, people }
    }
}

impl Alerts for AlertPort {
    fn preview(
        &self,
        conn: &mut Conn,
        tenant: &str,
        scope: &[String],
        report: &Value,
        at: Timestamp,
    ) -> Result<AlertPreview> {
        let report = Report::read(report)?;
        let found = resources(conn, &*self.resources, scope, &[&report])?.pop();
        let (resource, problem) = found.unwrap_or_default();
        let owner = resource.as_ref().map_or(tenant, |found| &found.tenant_id);
        let mut alert = rules::open_alert(&report, owner, "", "", String::new(), at);
        rules::set_resource(&mut alert, &report, resource.as_ref());
        Ok(AlertPreview { resource, problem, alert: alert.event_payload(at)? })
    }

    fn find(&self, conn: &mut Conn, tenants: &[String], id: &str, at: Timestamp) -> Result<Option<Value>> {
        actions::find(conn, tenants, id, at)
    }

    fn taken_in(&self, conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Timestamp>> {
        let found = store::by_ids(conn, tenant, &[id.to_owned()])?.pop();
        Ok(found.map(|alert| Timestamp::from_millis(alert.created_ms)))
    }

    fn locked_version(&self, conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<i64>> {
        store::lock_tenants(conn, &[tenant.to_owned()])?;
        Ok(store::by_ids(conn, tenant, &[id.to_owned()])?.pop().map(|alert| alert.version))
    }

    fn incident(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        id: &str,
        notes: i64,
    ) -> Result<Option<ports::IncidentRecord>> {
        records::port::find(conn, tenants, id, notes)
    }

    fn act(&self, conn: &mut Conn, action: AlertAction<'_>, at: Timestamp) -> Result<Value> {
        actions::act(conn, &*self.people, action, at)
    }

    fn expire_acknowledgement(
        &self,
        conn: &mut Conn,
        tenant: &str,
        id: &str,
        given: Timestamp,
        at: Timestamp,
    ) -> Result<bool> {
        actions::expire_acknowledgement(conn, tenant, id, given, at)
    }
}
