//! One call: with its credentials and signature or not at all, within its time, answered by a status.

use std::{error::Error as _, sync::Arc, time::Duration};

use base::{secret::Secret, timestamp::Timestamp};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap, Method, Request, Uri,
    header::{AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT},
};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};

use super::{sign, token::Tokens};
use crate::{
    delivery::row::Message,
    egress::{Guard, dial::Dialler},
    event::check::joined,
    installed::row::Signing,
    notifier::{Notifier, Secrets},
};

/// How much of an answer is kept.
pub const KEPT: usize = 16 << 10;

/// The name under which calls are made.
const AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));

/// Whom to call, and as whom.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Whose notifier it is: tokens are kept by it.
    pub holder: (String, String),
    /// Where, and how.
    pub notifier: Notifier,
    /// The credentials, and the secret headers.
    pub secrets: Secrets,
    /// What signs.
    pub signing: Signing,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The start of the body, [`KEPT`] bytes at most.
    pub body: Vec<u8>,
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

/// Makes calls. One of them for each runtime: connections live where they were made.
pub struct Caller {
    client: Client<Dialler, Full<Bytes>>,
    guard: Arc<Guard>,
    /// The tokens of the endpoints.
    pub tokens: Tokens,
    timeout: Duration,
}

impl Caller {
    /// Dials with `dialler`, and gives a call `timeout` in all.
    pub fn new(dialler: Dialler, guard: Arc<Guard>, timeout: Duration, connections: usize) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(connections)
            .build(dialler);
        Self { client, guard, tokens: Tokens::default(), timeout }
    }

    /// Sends a request and reads the start of its answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<Answer, CallError> {
        let exchange = async {
            let response = self.client.request(request).await.map_err(|error| told(&error))?;
            let (parts, mut body) = response.into_parts();
            let mut kept = Vec::new();
            while kept.len() < KEPT
                && let Some(frame) = body.frame().await
            {
                let frame = frame.map_err(|_| CallError::new("the answer ended before it was complete"))?;
                if let Ok(data) = frame.into_data() {
                    kept.extend_from_slice(data.get(..data.len().min(KEPT - kept.len())).unwrap_or_default());
                }
            }
            Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: kept })
        };
        let late = || Err(CallError::new(format!("no answer within {} ms", self.timeout.as_millis())));
        tokio::time::timeout(self.timeout, exchange).await.unwrap_or_else(|_| late())
    }

    /// The URL as it is dialled; refused when it may not be.
    pub fn uri(&self, text: &str) -> Result<Uri, CallError> {
        let url = self.guard.url(text).map_err(|wrong| CallError::new(format!("the URL {wrong}")))?;
        url.as_str().parse().map_err(|_| CallError::new("the URL cannot be called"))
    }

    /// Sends a message to an endpoint. A 401 gets one other token.
    pub async fn call(
        &self,
        endpoint: &Endpoint,
        message: &Message,
        id: &str,
        now: Timestamp,
    ) -> Result<Answer, CallError> {
        let (request, token) = self.request(endpoint, message, id, now).await?;
        let answer = self.send(request).await?;
        match token {
            Some(token) if answer.status == 401 => {
                self.tokens.drop_token(&endpoint.holder, &token).await;
                let (request, _) = self.request(endpoint, message, id, now).await?;
                self.send(request).await
            }
            _ => Ok(answer),
        }
    }

    async fn request(
        &self,
        endpoint: &Endpoint,
        message: &Message,
        id: &str,
        now: Timestamp,
    ) -> Result<(Request<Full<Bytes>>, Option<Secret<String>>), CallError> {
        let (credentials, token) = self.credentials(endpoint, now).await?;
        let uri = self.uri(&joined(&endpoint.notifier.base_uri, &message.target))?;
        let method = Method::from_bytes(message.method.as_bytes()).map_err(|_| CallError::new("there is no method"))?;
        let body = Bytes::copy_from_slice(message.body.as_bytes());
        let seconds = now.millis().div_euclid(1_000);
        let valid = endpoint.signing.previous.as_ref().filter(|(_, until)| now.millis() < *until);
        let secrets = std::iter::once(&endpoint.signing.current).chain(valid.map(|(secret, _)| secret));
        let signature = sign::signature(secrets, id, seconds, &body);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        let headers = request.headers_mut();
        for (name, value) in &message.headers {
            put(headers, name, value)?;
        }
        for (name, secret) in &endpoint.secrets.0 {
            if let Some(name) = name.strip_prefix("header:") {
                put_secret(headers, name, secret)?;
            }
        }
        if let Some(credentials) = credentials {
            put_secret(headers, AUTHORIZATION.as_str(), &credentials)?;
        }
        put(headers, "webhook-id", id)?;
        put(headers, "webhook-timestamp", &seconds.to_string())?;
        put(headers, "webhook-signature", &signature)?;
        if !headers.contains_key(USER_AGENT) {
            headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        }
        Ok((request, token))
    }

    /// The value of `Authorization`, and the token in it.
    async fn credentials(
        &self,
        endpoint: &Endpoint,
        now: Timestamp,
    ) -> Result<(Option<Secret<String>>, Option<Secret<String>>), CallError> {
        let notifier = &endpoint.notifier;
        match notifier.auth_type.as_str() {
            "NONE" => Ok((None, None)),
            "BASIC" => {
                let password =
                    endpoint.secrets.get("password").ok_or_else(|| CallError::new("the password is missing"))?;
                let user = notifier.user_name.as_deref().unwrap_or_default();
                Ok((Some(basic(user, password)), None))
            }
            _ => {
                let token = self.tokens.get(self, endpoint, now).await?;
                Ok((Some(Secret::new(format!("Bearer {}", token.expose()))), Some(token)))
            }
        }
    }
}

/// The value of `Authorization` for HTTP Basic.
pub fn basic(user: &str, password: &Secret<String>) -> Secret<String> {
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose()))))
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), CallError> {
    let wrong = || CallError::new(format!("the header {name} cannot be sent"));
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
    headers.insert(key, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| wrong())?);
    Ok(())
}

fn put_secret(headers: &mut HeaderMap, name: &str, secret: &Secret<String>) -> Result<(), CallError> {
    let wrong = || CallError::new(format!("the header {name} cannot be sent"));
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
    let mut value = HeaderValue::from_bytes(secret.expose().as_bytes()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    headers.insert(key, value);
    Ok(())
}

/// The innermost cause, which says most.
fn told(error: &hyper_util::client::legacy::Error) -> CallError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    let text: String = text.chars().take(300).collect();
    CallError(if error.is_connect() { format!("not connected: {text}") } else { text })
}
