//! The maintenance windows that runs name.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::Maintenance;

use super::row::RunMaintenance;
use crate::job::{self, row::Job};

/// The windows that cover the resources of jobs at an instant, by job, as runs keep them.
pub fn cover(
    conn: &mut Conn,
    maintenance: &dyn Maintenance,
    jobs: &[Job],
    at: Timestamp,
) -> Result<HashMap<String, Vec<RunMaintenance>>> {
    let tenants: BTreeSet<String> = jobs.iter().map(|job| job.tenant_id.clone()).collect();
    let tenants: Vec<String> = tenants.into_iter().collect();
    let ids: Vec<String> = jobs.iter().map(|job| job.id.clone()).collect();
    let rows = job::store::resources(conn, &tenants, &ids)?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let asked: Vec<(String, String)> =
        rows.iter().map(|row| (row.resource_tenant.clone(), row.resource_id.clone())).collect();
    let covers = maintenance.covering(conn, &asked, at)?;
    let mut found: HashMap<String, Vec<RunMaintenance>> = HashMap::new();
    for (row, covers) in rows.into_iter().zip(covers) {
        let windows = covers.into_iter().map(|cover| RunMaintenance {
            resource_id: row.resource_id.clone(),
            unique_id: cover.window.unique_id,
            name: cover.window.name,
            until: cover.until.to_string(),
        });
        let windows: Vec<RunMaintenance> = windows.collect();
        if !windows.is_empty() {
            found.entry(row.job_id).or_default().extend(windows);
        }
    }
    Ok(found)
}
