//! An HTTP client: sends a request to where the guard lets it, and reads the start of the answer, within a time limit.

use std::{
    collections::HashMap,
    error::Error as _,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use base::secret::Secret;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    HeaderMap, Request, Uri,
    header::{HeaderName, HeaderValue},
};
use hyper_util::client::legacy;
use tokio::time::Instant;
use traces::Context;

use crate::{
    egress::{
        Guard,
        connections::{Connections, Cut, ExchangeError, Response},
        dial::Dialler,
    },
    notifier::{Notifier, Secrets},
    sender::sign::Signer,
};

/// How much of an answer is kept.
pub const KEPT: usize = 16 << 10;

/// How many URLs are remembered, of 2,000 characters at most.
const MOST_CACHED: usize = 64;

/// The endpoint of a call, with its credentials.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The tenant and the id of the integration or event with the notifier; tokens are cached under it.
    pub holder: (String, String),
    /// Where, and how.
    pub notifier: Notifier,
    /// The credentials, and the secret headers.
    pub secrets: Secrets,
    /// Signs the messages.
    pub signer: Signer,
}

/// The answer of an endpoint.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The start of the body, [`KEPT`] bytes at most where nothing else was asked for.
    pub body: Vec<u8>,
    /// Why the body is not whole, although less of it is there.
    pub cut: Option<Cut>,
}

/// Why there is no answer. The sentence is for the integrator, and holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CallError(pub String);

impl CallError {
    /// With this sentence.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Sends requests. One of them for each runtime: connections live where they were made.
pub struct HttpClient {
    connections: Connections,
    guard: Arc<Guard>,
    timeout: Duration,
    /// URLs of events that were called a moment ago, as they are dialled: most calls go where another just went.
    cached_uris: Mutex<HashMap<String, Uri>>,
}

impl HttpClient {
    /// Dials with `dialler`, and gives an exchange `timeout` in all.
    pub fn new(dialler: Dialler, guard: Arc<Guard>, timeout: Duration, connections: usize) -> Self {
        let connections = Connections::new(dialler, connections);
        Self { connections, guard, timeout, cached_uris: Mutex::default() }
    }

    /// Sends a request and reads the start of its answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<Answer, CallError> {
        self.read(request, KEPT).await
    }

    /// The same, with up to `most` bytes of the body.
    pub async fn read(&self, mut request: Request<Full<Bytes>>, most: usize) -> Result<Answer, CallError> {
        if let Some(context) = traces::current() {
            add_trace(request.headers_mut(), &context);
        }
        let exchange = self.connections.exchange(request, most, Instant::now() + self.timeout);
        let Response { head, body, cut } = exchange.await.map_err(|error| match error {
            ExchangeError::Late => CallError::new(format!("no answer within {} ms", self.timeout.as_millis())),
            ExchangeError::Client(error) => call_error(&error),
        })?;
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body, cut })
    }

    /// The URL as it is dialled; refused when it may not be.
    pub fn uri(&self, text: &str) -> Result<Uri, CallError> {
        let url = self.guard.url(text).map_err(|wrong| CallError::new(format!("the URL {wrong}")))?;
        url.as_str().parse().map_err(|_| CallError::new("the URL cannot be called"))
    }

    /// As [`HttpClient::uri`], cached: for URLs that are not secret and that are called again and again.
    pub fn cached_uri(&self, text: &str) -> Result<Uri, CallError> {
        if let Some(cached) = self.cached_uris().get(text) {
            return Ok(cached.clone());
        }
        let uri = self.uri(text)?;
        let mut cached = self.cached_uris();
        if cached.len() >= MOST_CACHED {
            cached.clear();
        }
        cached.insert(text.to_owned(), uri.clone());
        Ok(uri)
    }

    fn cached_uris(&self) -> MutexGuard<'_, HashMap<String, Uri>> {
        base::lock(&self.cached_uris)
    }
}

/// The value of `Authorization` for HTTP Basic.
pub fn basic(user: &str, password: &Secret<String>) -> Secret<String> {
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose()))))
}

/// Tells the other side of a call which trace it belongs to.
fn add_trace(headers: &mut HeaderMap, context: &Context) {
    const PARENT: HeaderName = HeaderName::from_static("traceparent");
    const STATE: HeaderName = HeaderName::from_static("tracestate");
    let value = |text: &str| HeaderValue::from_str(text).ok();
    if let Some(parent) = value(&context.traceparent()) {
        headers.insert(PARENT, parent);
    }
    if let Some(state) = context.tracestate().and_then(value) {
        headers.insert(STATE, state);
    }
}

/// An error of the operating system in its words alone.
fn without_number(text: &str) -> &str {
    text.rfind(" (os error ").map_or(text, |at| &text[..at])
}

/// The innermost cause, which says most.
fn call_error(error: &legacy::Error) -> CallError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    let text: String = without_number(&text).chars().take(300).collect();
    CallError(if error.is_connect() { format!("not connected: {text}") } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_is_told_without_its_number() {
        for (text, told) in [
            ("Connection refused (os error 111)", "Connection refused"),
            ("invalid certificate", "invalid certificate"),
        ] {
            assert_eq!(without_number(text), told);
        }
    }
}
