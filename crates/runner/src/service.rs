//! The service, as a runner speaks to it.

use std::{path::Path, time::Duration};

use anyhow::bail;
use base::secret::Secret;
use reqwest::{
    StatusCode, Url,
    blocking::{Client, RequestBuilder},
};
use serde_json::Value;

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
    /// The trace of the run that is carried out (`traceparent`), which requests belong to.
    pub trace: Option<String>,
}

/// What became of a request.
#[derive(Debug)]
pub enum Response {
    /// 200, and what was answered.
    Done(Value),
    /// The service said no, and will again: status and sentence.
    Refused(StatusCode, String),
    /// Nobody was there, or had time; worth another attempt.
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
        key: &str,
        secret: Secret<String>,
        authorities: Option<&Path>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            http: cli::server::client(root, authorities)?.timeout(TIME).build()?,
            root: root.as_str().trim_end_matches('/').to_owned(),
            tenant: tenant.to_owned(),
            key: key.to_owned(),
            secret,
            token: None,
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
            match send(request) {
                Response::Refused(StatusCode::UNAUTHORIZED, _) if !renewed => {}
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
        match send(request) {
            Response::Done(answer) => {
                let token = answer["access_token"].as_str().unwrap_or_default().to_owned();
                self.token = Some(Secret::new(token.clone()));
                Ok(token)
            }
            response => Err(response),
        }
    }
}

fn send(request: RequestBuilder) -> Response {
    let answer = match request.send() {
        Ok(answer) => answer,
        Err(error) => return Response::Later(format!("{:#}", anyhow::Error::new(error.without_url()))),
    };
    let status = answer.status();
    let body: Value = answer.json().unwrap_or_default();
    if status.is_success() {
        return Response::Done(body);
    }
    let sentence = ["detail", "error_description"].iter().find_map(|name| body[*name].as_str());
    let sentence = sentence.unwrap_or("no reason was given").to_owned();
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        return Response::Later(format!("{status}: {sentence}"));
    }
    Response::Refused(status, sentence)
}

impl Response {
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
            Self::Refused(status, why) => bail!("the service refuses this runner: {status}, {why}"),
        }
    }
}
