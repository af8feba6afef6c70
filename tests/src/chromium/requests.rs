//! What a window asked for, all of it, and what of that it should not have: anything of anybody else, what is in no
//! document, and what anyone who is signed in may not.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contract;

/// In the order of what they may.
const ROLES: [&str; 4] = ["viewer", "operator", "integrator", "admin"];

/// What the service answers to people and is not an operation: pages, and what belongs to them.
const PAGES: [&str; 4] = ["/docs", "/auth/", "/openapi", "/favicon.ico"];

/// What the browser asks for, of its own events.
const EVENTS: [(&str, &str); 3] = [
    ("Network.requestWillBeSent", "/request/url"),
    ("Network.webSocketCreated", "/url"),
    ("Network.webTransportCreated", "/url"),
];

/// Method and address of what was asked for.
pub(super) type Request = (String, String);

#[derive(Default)]
pub(super) struct BrowserRequests {
    /// The services that the test itself went to: `http://127.0.0.1:8080`.
    origins: BTreeSet<String>,
    role: String,
    /// What nobody has read yet.
    pub unread: Vec<Request>,
    /// What should not have been asked for.
    pub astray: Vec<String>,
}

impl BrowserRequests {
    /// The test goes to an address: what is there may ask for more of that service.
    pub fn goes_to(&mut self, url: &str) {
        let origin: Vec<&str> = url.splitn(4, '/').take(3).collect();
        self.origins.insert(origin.join("/"));
    }

    /// Somebody with a role is signed in.
    pub fn acts_as(&mut self, role: &str) {
        role.clone_into(&mut self.role);
    }

    /// Takes in the log of a browser.
    pub fn read(&mut self, log: &Value) {
        for entry in log.as_array().into_iter().flatten() {
            let Some(event) = entry["message"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok())
            else {
                continue;
            };
            let event = &event["message"];
            let Some((name, path)) = EVENTS.iter().find(|(name, _)| event["method"] == *name) else { continue };
            let url = event["params"].pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
            let method = event["params"]["request"]["method"].as_str().unwrap_or(name).to_owned();
            self.astray.extend(self.wrong(&method, &url));
            self.unread.push((method, url));
        }
    }

    /// Why something should not have been asked for.
    fn wrong(&self, method: &str, url: &str) -> Option<String> {
        // What the browser draws a field with lies within it.
        if url.starts_with("data:") {
            return None;
        }
        let path = self.origins.iter().find_map(|origin| url.strip_prefix(origin.as_str()));
        let Some(path) = path.filter(|path| path.starts_with('/') && method.chars().all(char::is_uppercase)) else {
            return Some(format!("a request to somebody else: {method} {url}"));
        };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if let Some((name, role)) = contract::operation_of(method, path) {
            let place = |role: &str| ROLES.iter().position(|one| *one == role);
            let may = self.role.is_empty() || place(&role) <= place(&self.role);
            return (!may).then(|| format!("{method} {path} ({name}) needs {role}, and a {} is signed in", self.role));
        }
        let page = path == "/" || path.starts_with("/console/");
        let known = page && method == "GET" || PAGES.iter().any(|known| path.starts_with(known));
        (!known).then(|| format!("{method} {path} is in no document"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn astray(role: &str, method: &str, url: &str, event: &str) -> Vec<String> {
        let mut asked = BrowserRequests::default();
        asked.goes_to("http://127.0.0.1:8080/console/alerts");
        asked.acts_as(role);
        let params = json!({"request": {"method": method, "url": url}, "url": url});
        let params = if event == "Network.requestWillBeSent" { params } else { json!({"url": url}) };
        let message = json!({"message": {"method": event, "params": params}}).to_string();
        asked.read(&json!([{"message": message}]));
        asked.astray
    }

    #[test]
    fn what_should_not_be_asked_for_is_noticed() {
        let sent = "Network.requestWillBeSent";
        let ours = "http://127.0.0.1:8080";
        let none = Vec::<String>::new();
        for (role, method, path) in [
            ("viewer", "GET", "/console/app.js"),
            ("viewer", "GET", "/api/v2/tenants/client_1/alerts/search?pageSize=100"),
            ("operator", "POST", "/api/v2/tenants/client_1/alerts/ALT-1/actions/acknowledge"),
            ("admin", "GET", "/api/v2/tenants/client_1/auditLog/search"),
            ("", "GET", "/docs/"),
        ] {
            assert_eq!(astray(role, method, &format!("{ours}{path}"), sent), none, "{method} {path}");
        }
        for (role, method, path) in [
            ("viewer", "POST", "/console/app.js"),
            ("viewer", "POST", "/api/v2/tenants/client_1/alerts/ALT-1/actions/acknowledge"),
            ("operator", "GET", "/api/v2/tenants/client_1/auditLog/search"),
            ("admin", "GET", "/api/v2/tenants/client_1/alertz/search"),
            ("admin", "DELETE", "/api/v2/tenants/client_1/alerts/search"),
            ("admin", "GET", "/internal"),
        ] {
            assert_eq!(astray(role, method, &format!("{ours}{path}"), sent).len(), 1, "{method} {path}");
        }
        for url in ["http://127.0.0.1:80801/console/", "https://example.net/", "http://127.0.0.1:8081/console/", "//x/"]
        {
            assert_eq!(astray("admin", "GET", url, sent).len(), 1, "{url}");
        }
        for event in ["Network.webSocketCreated", "Network.webTransportCreated"] {
            assert_eq!(astray("admin", "", &format!("{ours}/console/"), event).len(), 1, "{event}");
        }
    }
}
