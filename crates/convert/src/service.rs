//! Services of products that send alerts to a service: each a service group, a route of its machines, and an address
//! for each of its integrations.

use calendar::Interval;
use serde_json::json;

use crate::{conversion::Conversion, json::cut};

/// A service of a product.
#[derive(Debug)]
pub struct Service<'s> {
    /// Its name.
    pub name: &'s str,
    /// What it is for.
    pub description: Option<&'s str>,
    /// The escalation policy that its alerts go to.
    pub policy: &'s str,
    /// The position of its route.
    pub position: usize,
    /// What its integrations are called.
    pub integrations: Vec<String>,
}

/// Why the route of a service is not all of it.
pub const ROUTE_NOTE: &str = "its route takes alerts of machines in the service group, where the source takes what is \
                              sent with a key of the service: put the machines into the group";

/// Why maintenance of services is refused.
pub fn maintenance_note(services: &str, time: Interval) -> String {
    format!(
        "it switches what is sent to services off ({services}; from {} to {}), and a MaintenanceWindow of Muster names \
         machines, device groups or sites, not service groups: make one for the machines of these services",
        time.start(),
        time.end()
    )
}

/// Adds the objects of a service, and answers how the report calls them.
///
/// # Errors
/// When its name is taken.
pub fn add(service: &Service<'_>, conversion: &mut Conversion) -> Result<Vec<String>, String> {
    let name = service.name;
    conversion.claim("ServiceGroup", name)?;
    let group = cut(name, 200);
    let description = service.description.map(|text| cut(text, 4_000));
    let mut becomes = vec![conversion.add("ServiceGroup", name, json!({"name": group, "description": description}))];
    let route = cut(&format!("Service: {name}"), 200);
    let rule = json!({"key": "serviceGroups", "operator": "Equals", "value": group});
    let body = json!({
        "name": route, "matchingType": "ALL", "rules": [rule], "policy": {"name": service.policy},
        "position": service.position,
    });
    becomes.push(conversion.add("AlertRoute", &route, body));
    for integration in &service.integrations {
        let address = cut(&format!("{name}: {integration}"), 200);
        if conversion.claim("InboundAddress", &address).is_ok() {
            becomes.push(conversion.add("InboundAddress", &address, json!({"name": address})));
        }
    }
    Ok(becomes)
}
