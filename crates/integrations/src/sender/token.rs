//! OAuth 2 tokens: one for each notifier, got once for all who wait, and in time before it expires (RFC 6749).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use base::{hex, secret::Secret, timestamp::Timestamp};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use percent_encoding::utf8_percent_encode;
use serde_json::Value;

use super::http_client::{Answer, CallError, Endpoint, HttpClient, KEPT, basic};
use crate::template::ENCODED;

/// A token is not used in the last part of its life.
const EARLY_MS: i64 = 60_000;
/// How long a token lives that does not say.
const UNSAID_S: i64 = 300;
/// How long an endpoint of tokens that failed is left alone.
const PAUSE_MS: i64 = 2_000;
/// How many notifiers' tokens are kept.
const MOST: usize = 10_000;

#[derive(Default)]
struct CachedToken {
    /// The fingerprint of the configuration that it was fetched with: another one needs another token.
    of: String,
    token: Option<(Secret<String>, i64)>,
    refresh: Option<Secret<String>>,
    failed: Option<(CallError, i64)>,
}

type SharedToken = Arc<tokio::sync::Mutex<CachedToken>>;

/// The tokens of notifiers.
#[derive(Default)]
pub struct Tokens(Mutex<HashMap<(String, String), SharedToken>>);

impl Tokens {
    fn cached_token(&self, holder: &(String, String)) -> SharedToken {
        let mut all = base::lock(&self.0);
        if all.len() >= MOST && !all.contains_key(holder) {
            all.clear();
        }
        Arc::clone(all.entry(holder.clone()).or_default())
    }

    /// Drops a token that the endpoint refused, even if it has not expired.
    pub async fn drop_token(&self, holder: &(String, String), token: &Secret<String>) {
        let cached = self.cached_token(holder);
        let mut kept = cached.lock().await;
        if kept.token.as_ref().is_some_and(|(known, _)| known == token) {
            kept.token = None;
        }
    }

    /// A token that is valid for a while. Calls that come while one is being fetched wait for it.
    pub async fn get(
        &self,
        client: &HttpClient,
        endpoint: &Endpoint,
        now: Timestamp,
    ) -> Result<Secret<String>, CallError> {
        let cached = self.cached_token(&endpoint.holder);
        let mut kept = cached.lock().await;
        let of = fingerprint(endpoint);
        if kept.of != of {
            *kept = CachedToken { of, ..CachedToken::default() };
        }
        if let Some((token, until)) = &kept.token
            && now.millis() < *until
        {
            return Ok(token.clone());
        }
        if let Some((failed, at)) = &kept.failed
            && (0..PAUSE_MS).contains(&(now.millis() - at))
        {
            return Err(failed.clone());
        }
        let refresh = kept.refresh.take();
        match fetch(client, endpoint, refresh).await {
            Ok(fetched) => {
                let life = fetched.seconds.saturating_mul(1_000);
                let until = now.millis().saturating_add(life - EARLY_MS.min(life / 5));
                kept.token = Some((fetched.token.clone(), until));
                kept.refresh = fetched.refresh;
                kept.failed = None;
                Ok(fetched.token)
            }
            Err(error) => {
                kept.token = None;
                kept.failed = Some((error.clone(), now.millis()));
                Err(error)
            }
        }
    }
}

/// Tells configurations apart, without keeping them.
fn fingerprint(endpoint: &Endpoint) -> String {
    let notifier = &endpoint.notifier;
    let mut sum = ring::digest::Context::new(&ring::digest::SHA256);
    let texts = [&notifier.access_token_url, &notifier.grant_type, &notifier.user_name].map(|text| text.as_deref());
    let secrets =
        ["password", "apiKey", "apiSecret"].map(|name| endpoint.secrets.get(name).map(|it| it.expose().as_str()));
    for text in texts.into_iter().chain(secrets) {
        let text = text.unwrap_or_default();
        sum.update(&(text.len() as u64).to_be_bytes());
        sum.update(text.as_bytes());
    }
    hex(sum.finish().as_ref())
}

struct FetchedToken {
    token: Secret<String>,
    seconds: i64,
    refresh: Option<Secret<String>>,
}

async fn fetch(
    client: &HttpClient,
    endpoint: &Endpoint,
    refresh: Option<Secret<String>>,
) -> Result<FetchedToken, CallError> {
    let grant = endpoint.notifier.grant_type.as_deref().unwrap_or_default();
    if grant == "REFRESH_TOKEN"
        && let Some(refresh) = refresh
    {
        let form = vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh.expose().clone())];
        if let Ok(mut fetched) = ask(client, endpoint, form).await {
            // A server that gives no other one lets the former go on.
            fetched.refresh = fetched.refresh.or(Some(refresh));
            return Ok(fetched);
        }
    }
    if grant == "CLIENT_CREDENTIALS" {
        return ask(client, endpoint, vec![("grant_type", "client_credentials".to_owned())]).await;
    }
    let password = endpoint.secrets.get("password").ok_or_else(|| CallError::new("the password is missing"))?;
    let form = vec![
        ("grant_type", "password".to_owned()),
        ("username", endpoint.notifier.user_name.clone().unwrap_or_default()),
        ("password", password.expose().clone()),
    ];
    ask(client, endpoint, form).await
}

/// Asks with the client's credentials in HTTP Basic, which every server knows, and else in the form, as some want it.
async fn ask(
    client: &HttpClient,
    endpoint: &Endpoint,
    mut form: Vec<(&'static str, String)>,
) -> Result<FetchedToken, CallError> {
    let missing = || CallError::new("apiKey or apiSecret is missing");
    let key = endpoint.secrets.get("apiKey").ok_or_else(missing)?;
    let secret = endpoint.secrets.get("apiSecret").ok_or_else(missing)?;
    let encoded = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    let header = basic(&encoded(key.expose()), &Secret::new(encoded(secret.expose())));
    let answer = post(client, endpoint, &form, Some(&header)).await?;
    if (200..300).contains(&answer.status) || !matches!(answer.status, 400 | 401) {
        return read(&answer);
    }
    form.push(("client_id", key.expose().clone()));
    form.push(("client_secret", secret.expose().clone()));
    read(&post(client, endpoint, &form, None).await?)
}

async fn post(
    client: &HttpClient,
    endpoint: &Endpoint,
    form: &[(&str, String)],
    authorization: Option<&Secret<String>>,
) -> Result<Answer, CallError> {
    let url = endpoint.notifier.access_token_url.as_deref().unwrap_or_default();
    let uri = client.uri(url).map_err(|error| CallError::new(format!("no token: {error}")))?;
    let pairs = form.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)));
    let body = pairs.collect::<Vec<_>>().join("&");
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    if let Some(value) = authorization {
        let mut value =
            HeaderValue::from_str(value.expose()).map_err(|_| CallError::new("apiKey or apiSecret cannot be sent"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    client.send(request).await.map_err(|error| CallError::new(format!("no token: {error}")))
}

/// The answer of a server of tokens; its own words may hold secrets, and are not repeated.
fn read(answer: &Answer) -> Result<FetchedToken, CallError> {
    if !(200..300).contains(&answer.status) {
        return Err(CallError::new(format!("no token: the server of tokens answered {}", answer.status)));
    }
    let value: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(|text| Secret::new(text.to_owned()));
    let token = text("access_token").filter(|token| !token.expose().is_empty());
    let seconds = value.get("expires_in").and_then(|it| it.as_i64().or_else(|| it.as_str()?.parse().ok()));
    match token {
        Some(token) => {
            Ok(FetchedToken { token, seconds: seconds.unwrap_or(UNSAID_S).max(1), refresh: text("refresh_token") })
        }
        None => Err(CallError::new(match answer.cut {
            Some(cut) => format!("no token: {cut}"),
            None if answer.body.len() >= KEPT => {
                format!("no token: the answer of the server of tokens is longer than {} KiB", KEPT >> 10)
            }
            None => "no token: the answer of the server of tokens has none".to_owned(),
        })),
    }
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;

    use super::*;
    use crate::egress::connections::Cut;

    #[test]
    fn an_answer_without_a_token_says_why() {
        let why = |body: &str, cut| {
            let answer = Answer { status: 200, headers: HeaderMap::new(), body: body.as_bytes().to_vec(), cut };
            read(&answer).err().map(|error| error.to_string())
        };
        let whole = "{\"access_token\": \"t\"}";
        assert_eq!(why(whole, None), None);
        assert_eq!(why(whole, Some(Cut::Broken)), None, "it is all there");
        assert!(why("{}", None).unwrap().ends_with("has none"));
        assert!(why("{\"access_token\": \"", Some(Cut::Broken)).unwrap().ends_with("before it was complete"));
        let long = format!("{{\"access_token\": \"{}", "t".repeat(KEPT));
        assert!(why(&long[..KEPT], None).unwrap().ends_with("is longer than 16 KiB"));
    }
}
