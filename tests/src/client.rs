//! A small HTTP client: who calls, for which tenant, and what is sent.

use std::thread::sleep;
use std::time::{Duration, Instant};

use reqwest::blocking::{Client as Http, RequestBuilder};
use serde_json::Value;

use crate::contract;
use crate::response::Response;

/// How long a request to the shared server is repeated while it is refused.
const PATIENCE: Duration = Duration::from_secs(20);

/// A caller at a tenant. Paths given to it are those of docs/interface.md, below the tenant.
#[derive(Clone)]
pub struct Client {
    http: Http,
    base: String,
    tenant: String,
    token: Option<String>,
    cookie: Option<String>,
    patient: bool,
}

impl Client {
    pub(crate) fn new(http: &Http, base: &str, tenant: &str, token: Option<&str>) -> Self {
        Self {
            http: http.clone(),
            base: base.to_owned(),
            tenant: tenant.to_owned(),
            token: token.map(ToOwned::to_owned),
            cookie: None,
            patient: false,
        }
    }

    /// The same caller, who repeats what is refused for want of room ([`Request::patient`]).
    #[must_use]
    pub(crate) fn patient(self, patient: bool) -> Self {
        Self { patient, ..self }
    }

    /// The same caller at another tenant.
    #[must_use]
    pub fn tenant(&self, tenant: &str) -> Self {
        Self { tenant: tenant.to_owned(), ..self.clone() }
    }

    /// The same caller at another gateway of the same service.
    #[must_use]
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// The same tenant, called with another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), cookie: None, ..self.clone() }
    }

    /// The same tenant, called by a page with the cookie of a session, `name=value`.
    #[must_use]
    pub fn with_cookie(&self, cookie: &str) -> Self {
        Self { token: None, cookie: Some(cookie.to_owned()), ..self.clone() }
    }

    /// The tenant's id, `msp_1` or `client_2`.
    pub fn tenant_id(&self) -> &str {
        &self.tenant
    }

    /// Whether a session calls, by its cookie.
    pub fn is_session(&self) -> bool {
        self.cookie.is_some()
    }

    /// The number in the tenant's id.
    pub fn tenant_number(&self) -> i64 {
        let digits = self.tenant.rsplit('_').next().unwrap_or_default();
        digits.parse().expect("a tenant id ends in a number")
    }

    /// The bearer token in use.
    pub fn bearer(&self) -> &str {
        self.token.as_deref().expect("this caller has a token")
    }

    /// A request at a path below the tenant.
    pub fn request(&self, method: &str, path: &str) -> Request {
        self.absolute(method, &format!("/api/v2/tenants/{}{path}", self.tenant))
    }

    /// A request at a path from the root, with this caller's token.
    pub fn absolute(&self, method: &str, path: &str) -> Request {
        let request = Request::new(&self.http, method, &format!("{}{path}", self.base)).patient(self.patient);
        match (&self.token, &self.cookie) {
            (Some(token), _) => request.header("Authorization", &format!("Bearer {token}")),
            (None, Some(cookie)) => request.header("Cookie", cookie).header("Origin", &self.base),
            (None, None) => request,
        }
    }

    /// `GET` below the tenant.
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// `GET` with a `queryString`, encoded so that each `+` of it arrives as `%2B`.
    pub fn search(&self, path: &str, query_string: &str) -> Response {
        let separator = if path.contains('?') { '&' } else { '?' };
        self.get(&format!("{path}{separator}queryString={}", encode(query_string)))
    }

    /// `POST` of a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.request("POST", path).json(body).send()
    }

    /// `POST` without a body.
    pub fn post_empty(&self, path: &str) -> Response {
        self.request("POST", path).send()
    }

    /// `POST` of text that claims to be JSON.
    pub fn post_text(&self, path: &str, body: impl Into<Vec<u8>>) -> Response {
        self.request("POST", path).body("application/json", body).send()
    }

    /// `DELETE` without a body.
    pub fn delete(&self, path: &str) -> Response {
        self.request("DELETE", path).send()
    }

    /// `DELETE` with a JSON body, as member lists take it.
    pub fn delete_with(&self, path: &str, body: &Value) -> Response {
        self.request("DELETE", path).json(body).send()
    }
}

/// A request that was not sent yet.
pub struct Request {
    builder: RequestBuilder,
    label: String,
    patient: bool,
}

impl Request {
    pub(crate) fn new(http: &Http, method: &str, url: &str) -> Self {
        let verb = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
        Self { builder: http.request(verb, url), label: format!("{method} {url}"), patient: false }
    }

    /// Sends it again, as any client should, while the answer is 503 with `Retry-After`: beside others whose bodies are
    /// as large as they may be, there is now and then no room for one more.
    #[must_use]
    pub(crate) fn patient(self, patient: bool) -> Self {
        Self { patient, ..self }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    /// HTTP Basic instead of a token.
    #[must_use]
    pub fn basic(mut self, key: &str, secret: &str) -> Self {
        self.builder = self.builder.basic_auth(key, Some(secret));
        self
    }

    /// A JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// A body of any kind.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.builder = self.builder.header("Content-Type", content_type).body(body.into());
        self
    }

    /// Sends it and reads the whole answer.
    pub fn send(self) -> Response {
        let Self { mut builder, label, patient } = self;
        let until = Instant::now() + PATIENCE;
        loop {
            let again = builder.try_clone().filter(|_| patient);
            let request = Self { builder, label: label.clone(), patient };
            let answer = request.try_send().unwrap_or_else(|error| panic!("{label}: {error:?}"));
            let refused = answer.status == 503 && answer.header("retry-after").is_some();
            match again {
                Some(again) if refused && Instant::now() < until => builder = again,
                _ => return answer,
            }
            sleep(Duration::from_millis(100));
        }
    }

    /// The same where the server may be gone: then there is no answer, and nobody knows what became of the request.
    pub fn try_send(self) -> Result<Response, reqwest::Error> {
        let Self { builder, label, .. } = self;
        let answer = builder.send()?;
        let status = answer.status().as_u16();
        let headers = answer.headers().clone();
        let response = Response { label, status, headers, body: answer.bytes()?.to_vec() };
        contract::uphold(&response);
        Ok(response)
    }
}

/// A client that goes straight to where it is sent, and follows nothing.
pub fn http() -> Http {
    // The client comes without a provider of cryptography; the first one that is installed stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    Http::builder()
        .no_proxy()
        // To read the authorities of the system takes longer than most tests ask.
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(60))
        // Less than the server keeps one open that is idle: else both may give it up and take it at the same instant.
        .pool_idle_timeout(Duration::from_secs(3))
        .build()
        .expect("an HTTP client")
}

/// Percent-encodes all but unreserved characters, for one value of a query or one segment of a path.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
