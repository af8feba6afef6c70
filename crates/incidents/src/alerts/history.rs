//! Open alerts for reports about machines that the inventory no longer has.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::fold;
use db::{Conn, Result};
use ports::{ResourceSummary, Resources};

use super::{
    lookup::{ResourceLookup, UNKNOWN},
    report::{Origin, Report},
    row::ProblemRow,
    rules, store,
    wire::Device,
};

/// A report with its resource and the names of its problem.
pub struct Arrival<'r> {
    pub report: &'r Report,
    pub resource: Option<ResourceSummary>,
    pub warning: Option<&'static str>,
    /// The tenant of its alert.
    pub tenant: String,
    /// The names of its problem, best first.
    pub problems: Vec<String>,
    /// The names of its problem while the inventory had the resource.
    pub former: Vec<String>,
}

impl Arrival<'_> {
    /// The device that the report names and the inventory does not know.
    fn unknown(&self) -> Option<&Device> {
        let device = self.report.device.device.as_ref();
        device.filter(|_| self.warning == Some(UNKNOWN) && self.report.key.is_none())
    }
}

/// Tenant and name.
type Name = (String, String);

/// Finds the former names of problems of unknown resources: by the host of an open alert, by the id in the report, and
/// by the history of the inventory for all names of the device. An open alert of a decommissioned resource stays with
/// the tenant that had the resource. Answers the problems that are open under the keys of recoveries, at any tenant.
pub fn find(
    conn: &mut Conn,
    resources: &dyn Resources,
    origin: &Origin,
    arrivals: &mut [Arrival<'_>],
) -> Result<Vec<ProblemRow>> {
    let Origin { scope, sender, .. } = origin;
    let open_under_keys = find_open_under_keys(conn, scope, arrivals)?;
    let mut unknown: Vec<&mut Arrival<'_>> =
        arrivals.iter_mut().filter(|arrival| arrival.unknown().is_some()).collect();
    if unknown.is_empty() {
        return Ok(open_under_keys);
    }
    let hosts = open_on_hosts(conn, &unknown)?;
    let keys = unknown.iter().flat_map(|arrival| &arrival.report.device.keys);
    let history = ResourceLookup::of(keys, |keys| resources.decommissioned(conn, scope, keys))?;
    let of_history: Vec<Vec<Name>> = unknown.iter().map(|arrival| names(arrival.report, sender, &history)).collect();
    let open = open(conn, of_history.iter().flatten())?;
    for (arrival, of_history) in unknown.iter_mut().zip(of_history) {
        if let Some((tenant, problem)) = of_history.into_iter().find(|name| open.contains(name)) {
            arrival.tenant = tenant;
            arrival.former = vec![problem];
            continue;
        }
        let Some(device) = arrival.unknown() else { continue };
        let on_host = hosts.get(&(arrival.tenant.clone(), fold(&device.host_name))).into_iter().flatten();
        let ids = on_host.cloned().chain([fold(&device.id)]).filter(|id| !id.is_empty());
        arrival.former = ids.flat_map(|id| problems(arrival.report, sender, &id)).collect();
    }
    Ok(open_under_keys)
}

/// Assigns reports with a key and without a machine to an open alert with that key, in any of the tenants. Answers the
/// problems that are open under the keys of these and of recoveries.
fn find_open_under_keys(conn: &mut Conn, scope: &[String], arrivals: &mut [Arrival<'_>]) -> Result<Vec<ProblemRow>> {
    let is_asked = |arrival: &&Arrival<'_>| {
        arrival.report.key.is_some() && (arrival.resource.is_none() || arrival.report.state == "Ok")
    };
    let problems: BTreeSet<&String> = arrivals.iter().filter(is_asked).flat_map(|arrival| &arrival.problems).collect();
    if scope.len() < 2 || problems.is_empty() {
        return Ok(Vec::new());
    }
    let problems: Vec<String> = problems.into_iter().cloned().collect();
    let open = store::open_problems(conn, scope, &problems)?;
    let mut tenants: HashMap<&String, Vec<&String>> = HashMap::new();
    for known in &open {
        tenants.entry(&known.problem).or_default().push(&known.tenant_id);
    }
    for arrival in arrivals.iter_mut().filter(|arrival| arrival.report.key.is_some() && arrival.resource.is_none()) {
        let tenants = arrival.problems.iter().find_map(|problem| tenants.get(problem));
        if let Some(tenant) = tenants.filter(|all| !all.contains(&&arrival.tenant)).and_then(|all| all.first()) {
            arrival.tenant.clone_from(tenant);
        }
    }
    Ok(open)
}

/// The names of the problem for each resource that once had one of the names of the device.
fn names(report: &Report, sender: &str, history: &ResourceLookup<'_>) -> Vec<Name> {
    let had = report.device.keys.iter().flat_map(|key| history.matches(key));
    let names = |resource: &ResourceSummary| {
        let tenant = resource.tenant_id.clone();
        problems(report, sender, &resource.id).into_iter().map(move |problem| (tenant.clone(), problem))
    };
    had.flat_map(names).collect()
}

/// The current and the legacy name of the problem if the report were about this resource.
fn problems(report: &Report, sender: &str, resource: &str) -> Vec<String> {
    let before = sender.is_empty().then(|| rules::legacy_problem_of(report, resource));
    std::iter::once(rules::problem_of(report, sender, resource)).chain(before).collect()
}

/// Which of these problems have an alert that is open.
fn open<'n>(conn: &mut Conn, names: impl Iterator<Item = &'n Name>) -> Result<HashSet<Name>> {
    let mut problems: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (tenant, problem) in names {
        problems.entry(tenant).or_default().insert(problem);
    }
    let mut open = HashSet::new();
    for (tenant, problems) in problems {
        let problems: Vec<String> = problems.into_iter().map(ToOwned::to_owned).collect();
        let known = store::problems_by_name(conn, tenant, &problems)?.into_iter().filter(|known| known.is_open);
        open.extend(known.map(|known| (known.tenant_id, known.problem)));
    }
    Ok(open)
}

/// The resources of open alerts, by tenant and host.
fn open_on_hosts(conn: &mut Conn, arrivals: &[&mut Arrival<'_>]) -> Result<HashMap<Name, Vec<String>>> {
    let mut hosts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for arrival in arrivals {
        if let Some(host) = arrival.unknown().map(|device| fold(&device.host_name)).filter(|host| !host.is_empty()) {
            hosts.entry(&arrival.tenant).or_default().insert(host);
        }
    }
    let mut open: HashMap<Name, Vec<String>> = HashMap::new();
    for (tenant, hosts) in hosts {
        let hosts: Vec<String> = hosts.into_iter().collect();
        for (host, id) in store::open_on_hosts(conn, tenant, &hosts)? {
            open.entry((tenant.to_owned(), host)).or_default().push(id);
        }
    }
    Ok(open)
}
