//! An answer, and what the contract says of its shape.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// A whole answer. The checks panic with the request, the status and the body.
pub struct Response {
    pub(crate) label: String,
    /// Status code.
    pub status: u16,
    pub(crate) headers: HeaderMap,
    /// Body, as it was sent.
    pub body: Vec<u8>,
}

impl Response {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// All values of a header.
    pub fn header_values(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    }

    /// All headers and the body, as text.
    pub fn whole(&self) -> String {
        format!("{:?}\n{}", self.headers, self.text())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("no JSON ({error}): {self}"))
    }

    /// 200 with JSON and a request id: gives the body.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self}");
        self.is_of_type("application/json");
        self.json()
    }

    /// 200 with a JSON array: gives its items.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        match self.ok() {
            Value::Array(items) => items,
            _ => panic!("no array: {self}"),
        }
    }

    /// 200 with a paged envelope whose counts agree with each other: gives it.
    #[track_caller]
    pub fn page(&self) -> Value {
        let page = self.ok();
        let integer = |name: &str| page[name].as_i64().unwrap_or_else(|| panic!("{name} is not an integer: {self}"));
        let results = page["results"].as_array().unwrap_or_else(|| panic!("results is not an array: {self}"));
        let total = integer("totalResults");
        let number = integer("pageNo");
        let size = integer("pageSize");
        assert_eq!(integer("totalPages"), (total + size - 1) / size, "totalPages: {self}");
        assert_eq!(page["nextPage"], Value::Bool(number < integer("totalPages")), "nextPage: {self}");
        assert!(page["descendingOrder"].is_boolean(), "descendingOrder: {self}");
        let expected = (total - (number - 1).saturating_mul(size)).clamp(0, size);
        assert_eq!(results.len() as i64, expected, "number of results: {self}");
        page
    }

    /// A problem: checks the whole shape, and gives the body.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self}");
        self.is_of_type("application/problem+json");
        let body = self.json();
        let text = |name: &str| match body[name].as_str() {
            Some(text) if !text.is_empty() => text,
            _ => panic!("{name} is not text: {self}"),
        };
        text("type");
        text("title");
        assert_eq!(body["status"], Value::from(status), "status in the body: {self}");
        assert_eq!(text("code"), code, "code: {self}");
        assert_eq!(text("message"), text("detail"), "message repeats detail: {self}");
        assert_eq!(Some(text("requestId")), self.header("X-Request-Id"), "request id: {self}");
        let known = ["type", "title", "status", "detail", "code", "message", "requestId", "errors"];
        for name in body.as_object().expect("an object").keys() {
            assert!(known.contains(&name.as_str()), "{name} does not belong in a problem: {self}");
        }
        if let Some(errors) = body.get("errors") {
            let errors = errors.as_array().unwrap_or_else(|| panic!("errors is not an array: {self}"));
            assert!(!errors.is_empty(), "errors is there for invalid fields: {self}");
            for error in errors {
                for name in ["code", "fieldName", "message"] {
                    assert!(error[name].as_str().is_some_and(|text| !text.is_empty()), "errors[].{name}: {self}");
                }
            }
        }
        self.tells_no_secrets();
        body
    }

    /// A 400 that names exactly these fields, each at least once.
    #[track_caller]
    pub fn invalid(&self, fields: &[&str]) -> Value {
        let body = self.problem(400, "0002");
        let mut named: Vec<&str> = body["errors"]
            .as_array()
            .map(|errors| errors.iter().filter_map(|error| error["fieldName"].as_str()).collect())
            .unwrap_or_default();
        named.sort_unstable();
        named.dedup();
        let mut expected = fields.to_vec();
        expected.sort_unstable();
        assert_eq!(named, expected, "fields named: {self}");
        body
    }

    /// The 404 of something that does not exist or is another tenant's.
    #[track_caller]
    pub fn not_found(&self) -> Value {
        let body = self.problem(404, "0003");
        let message = body["message"].as_str().unwrap_or_default();
        let resource = message.starts_with("No Resource found with UUID : ");
        assert!(resource || message.to_lowercase().contains("not found"), "message: {self}");
        body
    }

    /// The 401 of a missing or bad token.
    #[track_caller]
    pub fn unauthenticated(&self) -> Value {
        let body = self.problem(401, "invalid_token");
        let challenge = r#"Bearer error="invalid_token""#;
        let challenges = self.header_values("WWW-Authenticate");
        assert!(challenges.iter().any(|value| value.contains(challenge)), "WWW-Authenticate {challenges:?}: {self}");
        body
    }

    /// The 403 of a role that may not do this.
    #[track_caller]
    pub fn forbidden(&self) -> Value {
        self.problem(403, "0006")
    }

    #[track_caller]
    fn is_of_type(&self, expected: &str) {
        let found = self.header("Content-Type").unwrap_or_default();
        let media_type = found.split(';').next().unwrap_or_default().trim();
        assert_eq!(media_type, expected, "content type: {self}");
        let request_id = self.header("X-Request-Id").unwrap_or_default();
        assert!(!request_id.is_empty(), "no X-Request-Id: {self}");
    }

    /// Never an SQL text, a path or a stack.
    #[track_caller]
    fn tells_no_secrets(&self) {
        let text = self.text();
        let telling =
            ["SELECT ", "INSERT ", "UPDATE \"", "sqlite", "diesel", "libpq", "panicked", ".rs:", "/tmp/", "src/"];
        for word in telling {
            assert!(!text.contains(word), "the answer tells {word:?}: {self}");
        }
    }
}

impl std::fmt::Display for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.text();
        let shown: String = text.chars().take(4_000).collect();
        write!(f, "{} answered {} {:?}\n{shown}", self.label, self.status, self.headers)
    }
}
