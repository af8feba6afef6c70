//! A call of an operation, as the generated code fills it in.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
};

use reqwest::{
    Method,
    blocking::{Body, RequestBuilder, Response},
    header::HeaderMap,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Error, Muster, Noted, Result};

/// May a request be sent again also when nobody knows what became of it, when it was refused, or never?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    Always,
    Refused,
    Never,
}

pub(crate) enum Content {
    Whole(Vec<u8>),
    /// Taken by the one attempt.
    Stream(Mutex<Option<Body>>),
}

pub(crate) struct Call {
    caller: Muster,
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
    content: Option<Content>,
    failed: Option<Error>,
    pub(crate) again: Again,
}

impl Call {
    pub(crate) fn new(caller: &Muster, method: &'static str, path: &str) -> Self {
        let of_tenant = path.contains("{tenantId}");
        // Of many rows under a key the service makes one transaction, which is for the caller to ask for.
        let once = method == "POST" && of_tenant && !path.ends_with("/bulk");
        let mut headers = Vec::new();
        let key = caller.idempotency_key.clone();
        if let Some(key) = key.or_else(|| once.then(|| uuid::Uuid::new_v4().to_string())) {
            headers.push(("Idempotency-Key", key));
        }
        headers.extend(caller.if_match.clone().map(|etag| ("If-Match", etag)));
        let again = if once || method == "GET" { Again::Always } else { Again::Refused };
        let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
        let query = Vec::new();
        let content = None;
        let failed = None;
        let mut call =
            Self { caller: caller.clone(), method, path: path.to_owned(), query, headers, content, failed, again };
        if of_tenant {
            call.path("tenantId", &caller.tenant);
        }
        call
    }

    pub(crate) fn path(&mut self, name: &str, value: impl Display) {
        let value = value.to_string();
        if value.is_empty() {
            self.failed = Some(Error::Unreadable(format!("{name} is empty")));
        }
        self.path = self.path.replace(&format!("{{{name}}}"), &encode(&value));
    }

    pub(crate) fn query(&mut self, name: &'static str, value: Option<impl Display>) {
        self.query.extend(value.map(|value| (name, value.to_string())));
    }

    pub(crate) fn body(&mut self, media: &'static str, value: impl Serialize) {
        match serde_json::to_value(&value) {
            Ok(serde_json::Value::Null) => {}
            Ok(serde_json::Value::String(text)) => self.content(media, Content::Whole(text.into_bytes())),
            Ok(serde_json::Value::Object(fields)) if media == "application/x-www-form-urlencoded" => {
                let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let form: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}={}", encode(&text(value)))).collect();
                self.content(media, Content::Whole(form.join("&").into_bytes()));
            }
            Ok(value) => self.content(media, Content::Whole(value.to_string().into_bytes())),
            Err(error) => self.failed = Some(Error::unreadable(error)),
        }
    }

    pub(crate) fn content(&mut self, media: &'static str, content: Content) {
        self.headers.push(("Content-Type", media.to_owned()));
        self.content = Some(content);
    }

    pub(crate) fn request(&self, http: &reqwest::blocking::Client, url: &str, token: &str) -> RequestBuilder {
        let mut target = format!("{url}{}", self.path);
        for (number, (name, value)) in self.query.iter().enumerate() {
            let separator = if number == 0 { '?' } else { '&' };
            target.push_str(&format!("{separator}{name}={}", encode(value)));
        }
        let mut request = http.request(self.method.clone(), target).bearer_auth(token);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        match &self.content {
            Some(Content::Whole(bytes)) => request.body(bytes.clone()),
            Some(Content::Stream(body)) => match body.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(body) => request.body(body),
                None => request,
            },
            None => request,
        }
    }

    /// Sends it, and gives an answer that is not a refusal.
    pub(crate) fn open(mut self) -> Result<Response> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.caller.wire.open(&self),
        }
    }

    pub(crate) fn send<T: DeserializeOwned>(self) -> Result<T> {
        serde_json::from_str(&self.send_for_text()?).map_err(Error::unreadable)
    }

    pub(crate) fn send_for_nothing(self) -> Result<()> {
        self.send_for_text().map(drop)
    }

    pub(crate) fn send_for_text(self) -> Result<String> {
        let noted = self.caller.noted.clone();
        let response = self.open()?;
        if let Some(noted) = noted {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = note(response.headers());
        }
        response.text().map_err(Error::Lost)
    }
}

fn note(headers: &HeaderMap) -> Noted {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Noted { etag: text("ETag"), replayed: text("Idempotency-Replayed").as_deref() == Some("true") }
}

/// Percent-encodes all but unreserved characters.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
