//! Which machines are in maintenance, for other domains.

use std::collections::BTreeMap;

use base::{
    matching::{Exhausted, Meter},
    timestamp::Timestamp,
};
use db::{Conn, Result};
use ports::{AlertFacts, Cover, Maintenance, Window};

use super::windows::{CoveringWindow, Windows};
use crate::window::targeting::Name;

/// What the conditions of windows may cost for each alert of a report, in steps, beside what they may cost for all.
const FOR_EACH_ALERT: u64 = 10_000;

impl CoveringWindow {
    fn told(&self) -> Cover {
        let window = Window {
            tenant_id: self.window.tenant_id.clone(),
            unique_id: self.window.id.clone(),
            name: self.window.title.clone(),
        };
        Cover {
            window,
            since: self.open.start(),
            until: self.open.end(),
            run_escalation_action: self.window.run_escalation,
        }
    }
}

impl Windows {
    /// What covers each of these resources (tenant and id), in their order.
    fn all_covered(
        &self,
        conn: &mut Conn,
        resources: &[(&str, &str)],
        at: Timestamp,
    ) -> Result<Vec<Vec<CoveringWindow>>> {
        let mut tenants: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (tenant, id) in resources {
            tenants.entry(tenant).or_default().push(id);
        }
        let mut found: BTreeMap<(&str, &str), Vec<CoveringWindow>> = BTreeMap::new();
        for (tenant, mut ids) in tenants {
            ids.sort_unstable();
            ids.dedup();
            let asked: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            let covered = self.covered(conn, tenant, &asked, at)?;
            found.extend(ids.into_iter().map(|id| (tenant, id)).zip(covered));
        }
        Ok(resources.iter().map(|resource| found.get(resource).cloned().unwrap_or_default()).collect())
    }
}

impl Maintenance for Windows {
    fn covering(&self, conn: &mut Conn, resources: &[(String, String)], at: Timestamp) -> Result<Vec<Vec<Cover>>> {
        let asked: Vec<(&str, &str)> = resources.iter().map(|(tenant, id)| (tenant.as_str(), id.as_str())).collect();
        let all = self.all_covered(conn, &asked, at)?;
        Ok(all.iter().map(|covered| covered.iter().map(CoveringWindow::told).collect()).collect())
    }

    fn catching(&self, conn: &mut Conn, alerts: &[AlertFacts<'_>], at: Timestamp) -> Result<Vec<Vec<Cover>>> {
        let asked: Vec<(&str, &str)> = alerts.iter().map(|alert| (alert.tenant_id, alert.resource_id)).collect();
        let all = self.all_covered(conn, &asked, at)?;
        // Other writes wait meanwhile. A window whose conditions take too long catches nothing: an alert too many is
        // told rather than one too few.
        let meter = Meter::new(Meter::WRITE + FOR_EACH_ALERT * alerts.len() as u64);
        let caught = alerts.iter().zip(&all).map(|(alert, covered)| {
            let found = catching(covered, alert.alert, &meter).unwrap_or_else(|error| {
                tracing::warn!(tenant = alert.tenant_id, %error, "the conditions of maintenance windows");
                Vec::new()
            });
            found.into_iter().map(CoveringWindow::told).collect()
        });
        Ok(caught.collect())
    }

    fn open_until(&self, conn: &mut Conn, windows: &[Window], at: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        let names = names(windows);
        let ready = self.load(conn, &names)?;
        let until = |name: &Name| Some(ready.get(name)?.course.open_at(at)?.end());
        Ok(names.iter().map(until).collect())
    }

    fn escalating(&self, conn: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        let names = names(windows);
        let ready = self.load(conn, &names)?;
        Ok(names.iter().map(|name| ready.get(name).map(|window| window.run_escalation)).collect())
    }
}

fn names(windows: &[Window]) -> Vec<Name> {
    windows.iter().map(|window| (window.tenant_id.clone(), window.unique_id.clone())).collect()
}

/// The windows that catch an alert: the one that counts is the first, which is open longest, and of those the first by
/// id.
pub(super) fn catching<'c>(
    covered: &'c [CoveringWindow],
    alert: &serde_json::Value,
    meter: &Meter,
) -> std::result::Result<Vec<&'c CoveringWindow>, Exhausted> {
    let mut catching = Vec::new();
    for one in covered {
        if one.window.catches(alert, meter)? {
            catching.push(one);
        }
    }
    catching.sort_by(|a, b| b.open.end().cmp(&a.open.end()).then_with(|| a.window.name().cmp(&b.window.name())));
    Ok(catching)
}
