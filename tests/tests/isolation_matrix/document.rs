//! The operations, as the server's own OpenAPI document declares them.

use muster_tests::Server;
use serde_json::Value;

/// Weakest first; each may do what those before it may.
pub(super) const ROLES: [&str; 4] = ["viewer", "operator", "integrator", "admin"];

/// What the paths of a tenant start with.
const PREFIX: &str = "/api/v2/tenants/{tenantId}";

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// One operation of the document.
pub(super) struct Operation {
    pub(super) method: String,
    /// Its operationId.
    pub(super) id: String,
    /// From the root, with its parameters in braces.
    path: String,
    /// Of an alias: the path of the operation that it stands for.
    same_as: Option<String>,
    /// The weakest role that may call it; `None` for a public one.
    pub(super) role: Option<String>,
    /// Does it read a body?
    pub(super) has_body: bool,
    /// A `GET` that changes something: no session may call it.
    pub(super) writes_by_get: bool,
    /// Does it say that it is refused where `If-Match` names another version?
    pub(super) heeds_versions: bool,
    /// Does it say that nothing is read where the caller has that version (304)?
    pub(super) knows_versions: bool,
}

impl Operation {
    /// `GET /resources/{resourceId}`: below the tenant, or from the root.
    pub(super) fn name(&self) -> String {
        self.at_path(&self.path)
    }

    /// The name of the operation that it stands for, if it is an alias; else its own.
    pub(super) fn meant(&self) -> String {
        self.at_path(self.same_as.as_ref().unwrap_or(&self.path))
    }

    fn at_path(&self, path: &str) -> String {
        let below = path.strip_prefix(PREFIX).filter(|rest| !rest.is_empty());
        format!("{} {}", self.method, below.unwrap_or(path))
    }

    /// Does its path name a tenant?
    pub(super) fn is_of_a_tenant(&self) -> bool {
        self.path.starts_with(PREFIX)
    }

    /// The names of its path parameters after the tenant, in their order.
    pub(super) fn parameters(&self) -> Vec<&str> {
        let segments = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        segments.filter(|name| !["tenantId", "entity", "action"].contains(name)).collect()
    }

    /// Its path from the root at a tenant, with these ids in it.
    pub(super) fn at(&self, tenant: &str, ids: &[String]) -> String {
        // Words of the interface name nobody's entities.
        let mut path =
            self.path.replace("{tenantId}", tenant).replace("{entity}", "INCIDENT").replace("{action}", "close");
        for (name, id) in self.parameters().iter().zip(ids) {
            path = path.replace(&format!("{{{name}}}"), id);
        }
        path
    }

    /// The roles below the one that it declares.
    pub(super) fn weaker_roles(&self) -> impl Iterator<Item = &'static str> {
        ROLES.into_iter().take_while(move |role| self.role.as_deref().is_some_and(|needed| needed != *role))
    }
}

/// Every operation of the server.
pub(super) fn operations(server: &Server) -> Vec<Operation> {
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("the document has paths");
    let mut found = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("a path is an object") {
            if METHODS.contains(&method.as_str()) {
                found.push(read(method, path, operation));
            }
        }
    }
    assert!(found.len() > 50, "the document has {} operations", found.len());
    found
}

fn read(method: &str, path: &str, operation: &Value) -> Operation {
    let id = &operation["operationId"];
    let requirements = operation["security"].as_array().unwrap_or_else(|| panic!("{id} declares no security"));
    let role = requirements.iter().find_map(|requirement| requirement["bearer"][0].as_str());
    let public = requirements.iter().any(|requirement| requirement.as_object().is_some_and(serde_json::Map::is_empty));
    assert!(role.is_some() != public, "{id} is either public or declares a role: {requirements:?}");
    if let Some(role) = role {
        assert!(ROLES.contains(&role), "{id} declares the role {role}");
        let basic = requirements.iter().any(|requirement| requirement.get("basic").is_some());
        assert!(basic, "{id} does not say that key and secret are taken");
    }
    Operation {
        method: method.to_uppercase(),
        id: id.as_str().expect("an operation has an operationId").to_owned(),
        path: path.to_owned(),
        same_as: operation["x-same-as"].as_str().map(ToOwned::to_owned),
        role: role.map(ToOwned::to_owned),
        has_body: operation.get("requestBody").is_some(),
        writes_by_get: method == "get" && operation["x-changes"] == true,
        heeds_versions: operation["responses"].get("412").is_some(),
        knows_versions: operation["responses"].get("304").is_some(),
    }
}
