//! One request and its answer: with a token, and again where that does nothing twice.

use std::{thread::sleep, time::Duration};

use base::secret::Secret;
use reqwest::{
    Method, StatusCode, Url,
    blocking::{Client, RequestBuilder, Response},
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use serde_json::Value;

use crate::{
    connection::Connection,
    content::{Content, FORM},
    failure::{Failure, print_error, read_body},
    problem, server,
};

/// How long it may take until there is a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest that is waited because the service asks for it, in seconds.
const LONGEST_WAIT_S: u64 = 60;

/// The most that is read of the answer to a request for a token, in bytes.
const TOKEN: u64 = 64 << 10;

/// A request.
pub struct Request {
    pub method: Method,
    pub url: Url,
    pub headers: Vec<(String, String)>,
    pub content: Content,
    /// Is it the same when it is carried out twice?
    pub repeatable: bool,
    /// Does the service want to know who calls?
    pub caller: bool,
}

impl Request {
    /// Makes it the request for the next page of a list; `false` when an answer was the last page.
    ///
    /// # Errors
    /// When the next page would be the same again.
    pub fn turn_page(&mut self, page: &Value) -> Result<bool, Failure> {
        let Some(next) = page.get("nextCursor").and_then(Value::as_str) else { return Ok(false) };
        let (last, kept): (Vec<_>, Vec<_>) =
            self.url.query_pairs().into_owned().partition(|(name, _): &(String, String)| name == "cursor");
        if last.iter().any(|(_, cursor)| cursor == next) {
            return Err(Failure::Refused("the service answers the same page again and again".to_owned()));
        }
        self.url.query_pairs_mut().clear().extend_pairs(kept).append_pair("cursor", next);
        Ok(true)
    }
}

/// The service, for as long as the command runs.
pub struct Session {
    http: Client,
    root: Url,
    credentials: Option<(String, Secret<String>)>,
    token: Option<Secret<String>>,
    retries: u32,
}

/// The address of a service, once it is known that no credentials travel in the clear beyond this machine.
///
/// # Errors
/// What is wrong with it.
pub fn root(server: &str, allow_http: bool) -> Result<Url, String> {
    let mut url = server::check(server, allow_http).map_err(|error| format!("{error:#}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("--server takes an address without credentials: use --key and --secret".to_owned());
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// An address below the root, by the segments of its path.
///
/// # Errors
/// When the root can have none.
pub fn below<'s>(root: &Url, segments: impl IntoIterator<Item = &'s str>) -> Result<Url, String> {
    let mut url = root.clone();
    let mut path =
        url.path_segments_mut().map_err(|()| "--server takes an address such as https://muster.example.net")?;
    path.pop_if_empty().extend(segments);
    drop(path);
    Ok(url)
}

impl Session {
    /// # Errors
    /// When the certificate cannot be read.
    pub fn new(root: Url, connection: Connection, timeout: Duration, retries: u32) -> Result<Self, String> {
        let http = server::client(&root, connection.ca.as_deref()).map_err(|error| format!("{error:#}"))?;
        let http = http.timeout(timeout).connect_timeout(CONNECT).build();
        let http = http.map_err(|error| format!("no client can be made: {error}"))?;
        let credentials = connection.key.zip(connection.secret);
        Ok(Self { http, root, credentials, token: None, retries })
    }

    /// The same service for another thread, with the token that there is.
    pub fn duplicate(&self) -> Self {
        Self {
            http: self.http.clone(),
            root: self.root.clone(),
            credentials: self.credentials.clone(),
            token: self.token.clone(),
            retries: self.retries,
        }
    }

    /// Sends a request, and once more with a new token when the service does not know the one it has. The answer may
    /// say no.
    ///
    /// # Errors
    /// When there is no token, or no answer.
    pub fn send(&mut self, request: &mut Request) -> Result<Response, Failure> {
        let mut renewed = false;
        loop {
            let token = if request.caller { Some(self.token(renewed)?) } else { None };
            let repeat = request.repeatable && request.content.can_repeat();
            let answer = self.attempt(repeat, || {
                let mut built = self.http.request(request.method.clone(), request.url.clone());
                for (name, value) in &request.headers {
                    built = built.header(name, value);
                }
                if let Some(token) = &token {
                    built = built.bearer_auth(token.expose());
                }
                Ok(match request.content.body()? {
                    Some(body) => built.body(body),
                    None => built,
                })
            })?;
            let again = answer.status() == StatusCode::UNAUTHORIZED && token.is_some() && !renewed;
            if !again || !request.content.can_repeat() {
                return Ok(answer);
            }
            renewed = true;
        }
    }

    /// Sends, and again while the service is busy and it does nothing twice.
    fn attempt(
        &self,
        repeat: bool,
        mut build: impl FnMut() -> Result<RequestBuilder, String>,
    ) -> Result<Response, Failure> {
        let mut attempt = 0;
        loop {
            let request = build().map_err(|error| Failure::Usage(vec![error]))?;
            let left = repeat && attempt < self.retries;
            attempt += 1;
            let (why, wait) = match request.send() {
                Ok(answer) => match wait(&answer, attempt).filter(|_| left) {
                    Some(wait) => (answer.status().to_string(), wait),
                    None => return Ok(answer),
                },
                Err(error) if left && !error.is_connect() && !error.is_builder() => {
                    (reason(error), Duration::from_secs(1))
                }
                Err(error) => return Err(self.unreachable(error, repeat)),
            };
            print_error(&format!(
                "muster: {why}; trying again in {} s ({attempt} of {})",
                wait.as_secs(),
                self.retries
            ));
            sleep(wait);
        }
    }

    fn unreachable(&self, error: reqwest::Error, repeat: bool) -> Failure {
        let unknown = if repeat || error.is_connect() { "" } else { ". Whether it was carried out is not known" };
        Failure::Unreachable(format!("{} cannot be reached: {}{unknown}", root_text(&self.root), reason(error)))
    }

    /// A token: the last one, or a new one.
    fn token(&mut self, renew: bool) -> Result<Secret<String>, Failure> {
        if let (false, Some(token)) = (renew, &self.token) {
            return Ok(token.clone());
        }
        let Some((key, secret)) = &self.credentials else { return Err(Failure::Usage(vec!["no key".to_owned()])) };
        let mut url = below(&self.root, ["auth", "oauth", "token"]).map_err(|error| Failure::Usage(vec![error]))?;
        // `Url` is what writes forms.
        let mut form = url.clone();
        form.query_pairs_mut()
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", key)
            .append_pair("client_secret", secret.expose());
        url.set_query(None);
        let form = Secret::new(form.query().unwrap_or_default().to_owned());
        let answer = self.attempt(true, || {
            let request = self.http.post(url.clone()).header(CONTENT_TYPE, FORM);
            Ok(request.body(form.expose().clone()))
        })?;
        if !answer.status().is_success() {
            let status = answer.status();
            let why = format!("no token for the key {key} at {}", root_text(&self.root));
            let hint = if status == StatusCode::NOT_FOUND { " (is --server right?)" } else { "" };
            return Err(Failure::Refused(format!("{why}{hint}: {}", problem::explain(answer))));
        }
        let body = read_body(answer, TOKEN)?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let Some(token) = body.get("access_token").and_then(Value::as_str) else {
            return Err(Failure::Refused(format!(
                "{} answered without a token: is --server right?",
                root_text(&self.root)
            )));
        };
        let token = Secret::new(token.to_owned());
        self.token = Some(token.clone());
        Ok(token)
    }
}

/// How long a busy service asks to be left alone; `None` when it is not busy, or asks for too long.
fn wait(answer: &Response, attempt: u32) -> Option<Duration> {
    if !matches!(answer.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let asked = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let seconds = asked.unwrap_or(1 << attempt.min(5)).max(1);
    (seconds <= LONGEST_WAIT_S).then(|| Duration::from_secs(seconds))
}

/// Why there was no answer, without the address, which may hold what others should not see.
fn reason(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time (--timeout)".to_owned();
    }
    let error = anyhow::Error::new(error.without_url());
    error.chain().last().map_or_else(String::new, ToString::to_string)
}

/// A server as messages name it.
pub fn root_text(root: &Url) -> &str {
    root.as_str().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_a_path_stay_segments() {
        let root = root("https://muster.example.net/base/?x=1", false).unwrap();
        let url = below(&root, ["api", "a/b c?d#e%2f", "x"]).unwrap();
        assert_eq!(url.as_str(), "https://muster.example.net/base/api/a%2Fb%20c%3Fd%23e%252f/x");
        assert!(server::is_here(&Url::parse("http://[::1]:8080").unwrap()) && !server::is_here(&root));
    }

    #[test]
    fn no_credentials_in_the_address_and_none_in_the_clear() {
        for bad in ["http://192.0.2.1", "https://user:pass@muster.example.net", "muster.example.net"] {
            assert!(super::root(bad, false).is_err(), "{bad}");
        }
    }
}
