//! From an alert to a policy.

use std::{collections::HashMap, sync::Arc};

use api::Resource as _;
use base::{
    matching::{Matcher, Meter},
    timestamp::Timestamp,
};
use db::{Conn, Result};
use ports::{PlaceKind, ResourceKey};
use serde_json::{Value, json};

use super::{row::Route, store};
use crate::{
    Neighbours,
    configuration::{owners::machine, policies::row::Policy},
};

/// What became of a route that was asked.
#[derive(Clone, Debug)]
pub struct RouteVerdict {
    /// Which one.
    pub route: Arc<Route>,
    /// Does it take the alert? `None` when that takes too long to find out: it is passed over.
    pub takes: Option<bool>,
}

/// Where an alert goes.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The routes that were asked, in their order; the last one takes the alert, if any does.
    pub considered: Vec<RouteVerdict>,
    /// The policy that it goes to.
    pub policy: Option<Policy>,
    /// What rules were compared with: the alert, and what is known of its machine. `None` when no route has rules.
    pub described: Option<Value>,
}

/// The routes of tenants and the policies that they lead to, each read once: for the alerts of one transaction.
#[derive(Debug, Default)]
pub struct RouteCache {
    around: HashMap<String, Arc<Vec<String>>>,
    routes: HashMap<String, Arc<Vec<Arc<Route>>>>,
    policies: HashMap<(String, String), Option<Policy>>,
}

impl RouteCache {
    /// Whose routes the alerts of a tenant are shown to: its own, then its partner's.
    fn owners(&mut self, conn: &mut Conn, neighbours: &Neighbours, tenant: &str) -> Result<Arc<Vec<String>>> {
        if let Some(known) = self.around.get(tenant) {
            return Ok(Arc::clone(known));
        }
        let around = neighbours.people.own_and_partner(conn, tenant)?;
        let own = std::iter::once(tenant.to_owned());
        let owners: Arc<Vec<String>> =
            Arc::new(own.chain(around.into_iter().filter(|other| other != tenant)).collect());
        self.around.insert(tenant.to_owned(), Arc::clone(&owners));
        Ok(owners)
    }

    /// The routes of a tenant, in their order.
    fn routes(&mut self, conn: &mut Conn, owner: &str) -> Result<Arc<Vec<Arc<Route>>>> {
        if let Some(known) = self.routes.get(owner) {
            return Ok(Arc::clone(known));
        }
        let routes = Arc::new(store::in_order(conn, owner)?.into_iter().map(Arc::new).collect());
        self.routes.insert(owner.to_owned(), Arc::clone(&routes));
        Ok(routes)
    }

    /// The policy that a route leads to.
    fn policy(&mut self, conn: &mut Conn, route: &Route) -> Result<Option<Policy>> {
        let key = (route.tenant_id.clone(), route.policy_id.clone());
        if let Some(known) = self.policies.get(&key) {
            return Ok(known.clone());
        }
        let found = Policy::find(conn, std::slice::from_ref(&route.tenant_id), &route.policy_id)?;
        self.policies.insert(key, found.clone());
        Ok(found)
    }
}

/// Chooses the policy of an alert of a tenant: by the tenant's routes and its default, then by its partner's. What is
/// only `Info` goes where a route with rules sends it, and to no default.
pub fn choose(
    conn: &mut Conn,
    neighbours: &Neighbours,
    known: &mut RouteCache,
    tenant: &str,
    alert: &Value,
    at: Timestamp,
    meter: &Meter,
) -> Result<Choice> {
    let mut choice = Choice::default();
    let is_info = alert["currentState"] == "Info";
    for owner in known.owners(conn, neighbours, tenant)?.iter() {
        for route in known.routes(conn, owner)?.iter() {
            let takes = match &route.rules.0 {
                None => Some(!is_info),
                Some(rules) => {
                    if choice.described.is_none() {
                        choice.described = Some(described(conn, neighbours, tenant, alert, at)?);
                    }
                    let document = choice.described.as_ref().unwrap_or(alert);
                    Matcher::new(rules).matches(document, meter).ok()
                }
            };
            choice.considered.push(RouteVerdict { route: Arc::clone(route), takes });
            if takes == Some(true) {
                choice.policy = known.policy(conn, route)?;
                return Ok(choice);
            }
        }
    }
    Ok(choice)
}

/// The alert with what rules may ask of its machine and of the time.
fn described(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, alert: &Value, at: Timestamp) -> Result<Value> {
    let mut document = alert.clone();
    let Some(fields) = document.as_object_mut() else { return Ok(document) };
    let minute = at.millis().div_euclid(60_000);
    let day = at.millis().div_euclid(86_400_000);
    const DAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
    let weekday = usize::try_from(day.rem_euclid(7)).ok().and_then(|day| DAYS.get(day)).copied().unwrap_or_default();
    let time = json!({"hour": minute.div_euclid(60).rem_euclid(24), "weekday": weekday});
    fields.insert("time".to_owned(), time);
    let tenants = [tenant.to_owned()];
    let id = alert.pointer("/device/id").and_then(Value::as_str).unwrap_or_default();
    if let Some(owner) = machine::owner(conn, neighbours, tenant, id)? {
        let around = neighbours.people.own_and_partner(conn, tenant)?;
        let known = neighbours.people.groups(conn, &around, std::slice::from_ref(&owner.group_id))?;
        let name = known.into_iter().next().map(|group| group.name);
        fields.insert("owner".to_owned(), json!({"uniqueId": owner.group_id, "name": name}));
    }
    if id.is_empty() {
        return Ok(document);
    }
    let key = ResourceKey::Id(id.to_owned());
    if let Some(found) = neighbours.resources.find(conn, &tenants, &[key])?.into_iter().flatten().next() {
        let ids = [found.id.clone()];
        let tags = neighbours.resources.tags_of(conn, &tenants, &ids)?.into_iter().flatten();
        let tags: Vec<Value> = tags.map(|(name, value)| json!({"name": name, "value": value})).collect();
        let resource = json!({"id": found.id, "name": found.name, "hostName": found.host_name,
            "ipAddress": found.ip_address, "resourceType": found.resource_type, "tags": tags});
        fields.insert("resource".to_owned(), resource);
        let services = neighbours.resources.service_groups_of(conn, &tenants, &ids)?.into_iter().flatten();
        let services: Vec<String> = services.map(|group| group.name).collect();
        fields.insert("serviceGroups".to_owned(), json!(services));
        let places = neighbours.resources.places_of(conn, &tenants, &ids)?.into_iter().flatten();
        let mut groups = Vec::new();
        let mut sites = Vec::new();
        for place in places {
            if place.kind == PlaceKind::Location { sites.push(place.name) } else { groups.push(place.name) }
        }
        fields.insert("deviceGroups".to_owned(), json!(groups));
        fields.insert("site".to_owned(), json!(sites));
    }
    Ok(document)
}
