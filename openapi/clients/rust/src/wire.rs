//! Sends requests: with a token that is renewed, and again where the service asks for it.

use std::{
    sync::{Mutex, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

use reqwest::blocking::{Client as Http, RequestBuilder, Response};

use crate::{
    Error, Refusal, Result,
    call::{Again, Call, encode},
    models::{Problem, Token},
};

/// A token is renewed this long before it ends.
const AHEAD: Duration = Duration::from_secs(60);

pub(crate) struct Wire {
    http: Http,
    url: String,
    form: String,
    patience: Duration,
    token: Mutex<Option<(String, Instant)>>,
}

impl Wire {
    pub(crate) fn new(url: &str, key: &str, secret: &str, patience: Duration) -> Result<Self> {
        // The first provider of cryptography that is installed stays.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = Http::builder().timeout(Duration::from_secs(120)).build().map_err(Error::Lost)?;
        let key = encode(key);
        let secret = encode(secret);
        let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
        Ok(Self { http, url: url.trim_end_matches('/').to_owned(), form, patience, token: Mutex::default() })
    }

    pub(crate) fn open(&self, call: &Call) -> Result<Response> {
        let mut renewed = false;
        loop {
            let token = self.bearer()?;
            let response = self.patiently(call.again, || call.request(&self.http, &self.url, &token))?;
            if response.status().is_success() {
                return Ok(response);
            }
            // A token may be revoked before it ends.
            if response.status() != 401 || renewed || call.again == Again::Never {
                return Err(refusal(response));
            }
            renewed = true;
            *self.token.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn bearer(&self) -> Result<String> {
        let mut known = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((token, until)) = &*known
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let asked = Instant::now();
        let response = self.patiently(Again::Always, || {
            let request = self.http.post(format!("{}/auth/oauth/token", self.url));
            request.header("Content-Type", "application/x-www-form-urlencoded").body(self.form.clone())
        })?;
        if !response.status().is_success() {
            return Err(refusal(response));
        }
        let text = response.text().map_err(Error::Lost)?;
        let token: Token = serde_json::from_str(&text).map_err(Error::unreadable)?;
        let lasts = Duration::from_secs(u64::try_from(token.expires_in).unwrap_or(0));
        *known = Some((token.access_token.clone(), asked + lasts.saturating_sub(AHEAD)));
        Ok(token.access_token)
    }

    /// Again after 429 and 503, as `Retry-After` says, and after a failure of the network where that does no harm.
    fn patiently(&self, again: Again, request: impl Fn() -> RequestBuilder) -> Result<Response> {
        let end = Instant::now() + self.patience;
        let mut pause = Duration::from_millis(200);
        loop {
            let mut wait = pause;
            match request().send() {
                Ok(response) => {
                    wait = wait.max(retry_after(&response).unwrap_or_default());
                    let busy = response.status() == 429 || response.status() == 503;
                    if !busy || again == Again::Never || Instant::now() + wait > end {
                        return Ok(response);
                    }
                }
                Err(error) => {
                    if again != Again::Always || Instant::now() + wait > end {
                        return Err(Error::Lost(error));
                    }
                }
            }
            sleep(wait);
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get("Retry-After")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn refusal(response: Response) -> Error {
    let status = response.status().as_u16();
    let retry_after = retry_after(&response);
    let path = response.url().path().to_owned();
    let text = response.text().unwrap_or_default();
    let problem: Option<Problem> =
        serde_json::from_str(&text).ok().filter(|problem: &Problem| !problem.code.is_empty());
    let told = problem.as_ref().map_or(text.as_str(), |problem| problem.detail.as_str());
    let told = format!("{path}: {status} {told}");
    Error::Refused(Box::new(Refusal { status, problem, retry_after, told }))
}
