//! The service, as a runner speaks to it.

use std::{path::Path, time::Duration};

use anyhow::bail;
use base::secret::Secret;
use reqwest::{
    StatusCode, Url,
    blocking::{Client, RequestBuilder},
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::Value;

use crate::stop::Stop;

/// How long one request may take.
const TIME: Duration = Duration::from_secs(20);

/// Where the service is, and who speaks to it.
pub struct Service {
    http: Client,
    root: String,
    tenant: String,
    key: String,
    secret: Secret<String>,
    token: Option<Secret<String>>,
    stop: Stop,
    /// The trace of the run that is carried out (`traceparent`), which requests belong to.
    pub trace: Option<String>,
}

/// What became of a request.
#[derive(Debug)]
pub enum Response {
    /// 200, and what was answered.
    Done(Value),
    /// What the request is about is gone, or is somebody else's: status and sentence.
    Gone(String),
    /// The service does not know this runner, or not for this: status, and both status and sentence.
    Forbidden(StatusCode, String),
    /// The service said no, and will again: status and sentence.
    Refused(String),
    /// Nobody was there, or had time, or it was not the service that answered; worth another attempt.
    Later(String),
}

impl Service {
    /// At an address that [`cli::server::check`] has read, for one tenant. `authorities` is a PEM file with
    /// certificates to trust beside those of the system.
    ///
    /// # Errors
    /// When a certificate cannot be read.
    pub fn new(
        root: &Url,
        tenant: &str,
        (key, secret): (&str, Secret<String>),
        authorities: Option<&Path>,
        stop: Stop,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            http: cli::server::client(root, authorities)?.build()?,
            root: root.as_str().trim_end_matches('/').to_owned(),
            tenant: tenant.to_owned(),
            key: key.to_owned(),
            secret,
            token: None,
            stop,
            trace: None,
        })
    }

    /// A `POST` below the tenant. With a `once`, it may be sent again without being carried out again.
    pub fn post(&mut self, path: &str, body: &Value, once: Option<&str>) -> Response {
        for renewed in [false, true] {
            let token = match self.token(renewed) {
                Ok(token) => token,
                Err(response) => return response,
            };
            let url = format!("{}/api/v2/tenants/{}{path}", self.root, self.tenant);
            let mut request = self.http.post(url).bearer_auth(token).json(body);
            if let Some(trace) = &self.trace {
                request = request.header("traceparent", trace);
            }
            if let Some(key) = once {
                request = request.header("Idempotency-Key", key);
            }
            match self.send(request) {
                Response::Forbidden(StatusCode::UNAUTHORIZED, _) if !renewed => {}
                response => return response,
            }
        }
        Response::Later("no token".to_owned())
    }

    /// A token: the last one, or a new one.
    fn token(&mut self, renew: bool) -> Result<String, Response> {
        if let (false, Some(token)) = (renew, &self.token) {
            return Ok(token.expose().clone());
        }
        // Key and secret are alphanumeric.
        let form =
            format!("grant_type=client_credentials&client_id={}&client_secret={}", self.key, self.secret.expose());
        let request = self.http.post(format!("{}/auth/oauth/token", self.root));
        let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(form);
        match self.send(request) {
            Response::Done(answer) => {
                let token = answer["access_token"].as_str().unwrap_or_default().to_owned();
                self.token = Some(Secret::new(token.clone()));
                Ok(token)
            }
            response => Err(response),
        }
    }

    fn send(&self, request: RequestBuilder) -> Response {
        let answer = match request.timeout(self.stop.timeout(TIME)).send() {
            Ok(answer) => answer,
            Err(error) => return Response::Later(format!("{:#}", anyhow::Error::new(error.without_url()))),
        };
        let status = answer.status();
        let is_passing = answer.headers().contains_key(RETRY_AFTER);
        let kind = answer.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec()).unwrap_or_default();
        judge(status, is_passing, &kind, answer.json().unwrap_or_default())
    }
}

/// What an answer says. Proxies answer in place of a service, and the service itself says for a while that a request is
/// being carried out: neither is its last word.
fn judge(status: StatusCode, is_passing: bool, kind: &[u8], body: Value) -> Response {
    if status.is_success() && body.is_object() {
        return Response::Done(body);
    }
    let sentence = ["detail", "error_description"].iter().find_map(|name| body[*name].as_str());
    let told = format!("{status}, {}", sentence.unwrap_or("no reason was given"));
    // Tokens are refused as OAuth has it.
    let is_of_service = kind.starts_with(b"application/problem+json") || body["error_description"].is_string();
    match status {
        // No proxy will let the same request pass.
        StatusCode::PAYLOAD_TOO_LARGE => Response::Refused(told),
        _ if is_passing || !is_of_service || status.is_server_error() => Response::Later(told),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Response::Later(told),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Response::Forbidden(status, told),
        StatusCode::NOT_FOUND | StatusCode::CONFLICT => Response::Gone(told),
        _ => Response::Refused(told),
    }
}

impl Response {
    /// The same of a runner that was accepted before: its tenant may be suspended for a while, or its key be changed.
    pub fn or_later(self) -> Self {
        match self {
            Self::Forbidden(_, why) => Self::Later(why),
            response => response,
        }
    }

    /// What was answered; the first request of a runner tells whether key and tenant are right.
    ///
    /// # Errors
    /// When the service said no. `None` when it is worth another attempt.
    pub fn accepted(self) -> anyhow::Result<Option<Value>> {
        match self {
            Self::Done(answer) => Ok(Some(answer)),
            Self::Later(why) => {
                tracing::warn!("the service cannot be reached: {why}");
                Ok(None)
            }
            Self::Gone(why) | Self::Forbidden(_, why) | Self::Refused(why) => {
                bail!("the service refuses this runner: {why}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_last_word_of_the_service_is_final() {
        let told = |status: u16, is_passing, kind: &str, body: Value| {
            let status = StatusCode::from_u16(status).unwrap();
            let told = format!("{:?}", judge(status, is_passing, kind.as_bytes(), body));
            told.split('(').next().unwrap_or_default().to_owned()
        };
        let problem =
            |status, is_passing| told(status, is_passing, "application/problem+json", json!({"detail": "It is so."}));
        for (status, expected) in [(401, "Forbidden"), (403, "Forbidden"), (404, "Gone"), (409, "Gone")] {
            assert_eq!(problem(status, false), expected, "{status}");
            assert_eq!(problem(status, true), "Later", "{status} with Retry-After");
        }
        for (status, expected) in [(400, "Refused"), (422, "Refused"), (429, "Later"), (500, "Later"), (503, "Later")] {
            assert_eq!(problem(status, false), expected, "{status}");
        }
        for status in [200, 204, 302, 308, 400, 401, 403, 404, 408, 409, 502] {
            assert_eq!(told(status, false, "text/html", Value::Null), "Later", "{status} of a proxy");
        }
        assert_eq!(told(404, false, "application/json", json!({"error": "Not Found"})), "Later");
        assert_eq!(told(413, false, "text/html", Value::Null), "Refused");
        assert_eq!(told(401, false, "application/json", json!({"error_description": "Unknown."})), "Forbidden");
        assert_eq!(told(200, false, "application/json", json!({})), "Done");
    }
}
