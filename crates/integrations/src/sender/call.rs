//! One call: with its credentials and signature or not at all, within its time, answered by a status.

use std::{sync::Arc, time::Duration};

use base::{secret::Secret, timestamp::Timestamp};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    HeaderMap, Method, Request,
    header::{AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT},
};

use super::{
    http_client::{Answer, CallError, Endpoint, HttpClient, basic},
    token::Tokens,
};
use crate::{
    delivery::row::Message,
    egress::{Guard, dial::Dialler},
    event::check::joined,
};

/// The name under which calls are made.
const AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));

/// What Standard Webhooks sends with each message.
const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Makes calls. One of them for each runtime: connections live where they were made.
pub struct Caller {
    /// What its requests go out on.
    pub client: HttpClient,
    /// The tokens of the endpoints.
    pub tokens: Tokens,
}

impl Caller {
    /// Dials with `dialler`, and gives a call `timeout` in all.
    pub fn new(dialler: Dialler, guard: Arc<Guard>, timeout: Duration, connections: usize) -> Self {
        Self { client: HttpClient::new(dialler, guard, timeout, connections), tokens: Tokens::default() }
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
        let answer = self.client.send(request).await?;
        match token {
            Some(token) if answer.status == 401 => {
                self.tokens.drop_token(&endpoint.holder, &token).await;
                let (request, _) = self.request(endpoint, message, id, now).await?;
                Box::pin(self.client.send(request)).await
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
        let uri = self.client.cached_uri(&joined(&endpoint.notifier.base_uri, &message.target))?;
        let method = Method::from_bytes(message.method.as_bytes()).map_err(|_| CallError::new("there is no method"))?;
        let body = Bytes::copy_from_slice(message.body.as_bytes());
        let seconds = now.millis().div_euclid(1_000);
        let signature = endpoint.signer.sign(id, seconds, &body, now);
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
        headers.insert(ID, value(ID.as_str(), id)?);
        headers.insert(TIMESTAMP, HeaderValue::from(seconds));
        headers.insert(SIGNATURE, value(SIGNATURE.as_str(), &signature)?);
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
                let token = Box::pin(self.tokens.get(&self.client, endpoint, now)).await?;
                Ok((Some(Secret::new(format!("Bearer {}", token.expose()))), Some(token)))
            }
        }
    }
}

fn put(headers: &mut HeaderMap, name: &str, text: &str) -> Result<(), CallError> {
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| cannot_be_sent(name))?;
    headers.insert(key, value(name, text)?);
    Ok(())
}

fn put_secret(headers: &mut HeaderMap, name: &str, secret: &Secret<String>) -> Result<(), CallError> {
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| cannot_be_sent(name))?;
    let mut value = value(name, secret.expose())?;
    value.set_sensitive(true);
    headers.insert(key, value);
    Ok(())
}

fn value(name: &str, text: &str) -> Result<HeaderValue, CallError> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| cannot_be_sent(name))
}

fn cannot_be_sent(name: &str) -> CallError {
    CallError::new(format!("the header {name} cannot be sent"))
}
