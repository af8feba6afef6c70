//! Sessions as HTTP has them: the cookie that is one, and whether a request comes from a page of ours ("Sessions" in
//! `docs/interface.md`).
//!
//! A browser sends its cookies with whatever any page makes it send. So a request that changes something, and has
//! nothing but a cookie to show, has to say that a page of this service sent it.

use actix_web::{
    HttpRequest,
    http::header::{self, HeaderMap, HeaderValue},
};
use base::{problem::Problem, secret::Secret};

use crate::worker::WorkerState;

/// What the id of every session begins with. The public part of a key is letters and digits, so none looks like it.
pub const PREFIX: &str = "SES-";

/// The cookie of a session.
const SESSION: &str = "muster_session";

/// What a cookie is called besides where it is only sent encrypted: no other page of the same domain can set one of
/// such a name.
const SECURE: &str = "__Host-";

/// What a request has of cookies.
#[derive(Debug)]
pub enum SessionCookie {
    /// None of ours.
    Nothing,
    /// One.
    One(Secret<String>),
    /// Several of the same name: somebody else has set one, and nobody knows which.
    Several,
}

/// The session of a request, as its cookie says.
pub fn read_cookie(request: &HttpRequest) -> SessionCookie {
    read_named_cookie(request, SESSION)
}

/// Another cookie of ours.
pub fn read_named_cookie(request: &HttpRequest, name: &str) -> SessionCookie {
    read(request.headers(), &full_name(name, is_secure(request)))
}

fn full_name(name: &str, secure: bool) -> String {
    if secure { format!("{SECURE}{name}") } else { name.to_owned() }
}

/// The cookie of a name.
fn read(headers: &HeaderMap, name: &str) -> SessionCookie {
    let pairs = headers.get_all(header::COOKIE).filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value.trim_matches('"'));
    match (found.next(), found.next()) {
        (None, _) => SessionCookie::Nothing,
        (Some(one), None) => SessionCookie::One(Secret::new(one.to_owned())),
        (Some(_), Some(_)) => SessionCookie::Several,
    }
}

/// Are answers to this request encrypted on their way to the browser?
pub fn is_secure(request: &HttpRequest) -> bool {
    request.app_data::<WorkerState>().is_some_and(|worker| worker.secure)
}

/// The `Set-Cookie` of a new session that ends after so many seconds.
pub fn cookie(request: &HttpRequest, token: &Secret<String>, seconds: i64) -> Option<HeaderValue> {
    set_cookie(request, SESSION, token.expose(), seconds)
}

/// The `Set-Cookie` that takes the session from a browser.
pub fn no_cookie(request: &HttpRequest) -> Option<HeaderValue> {
    set_cookie(request, SESSION, "", 0)
}

/// The `Set-Cookie` of another cookie of ours.
pub fn set_cookie(request: &HttpRequest, name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    set(name, value, seconds, is_secure(request))
}

/// A `Set-Cookie` that no script reads, and that other sites' pages do not make a browser send but by leading to ours.
fn set(name: &str, value: &str, seconds: i64, secure: bool) -> Option<HeaderValue> {
    let name = full_name(name, secure);
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax{secure}");
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// How browsers reach the service, such as `https://muster.example`: as configured, or as this request did.
pub fn origin(request: &HttpRequest) -> String {
    let worker = request.app_data::<WorkerState>();
    if let Some(origin) = worker.and_then(|worker| worker.origin.as_ref()) {
        return origin.to_string();
    }
    let behind_proxy = worker.is_some_and(|worker| worker.behind_proxy);
    let text = |name: &str| {
        let value = request.headers().get_all(name).last()?.to_str().ok()?.rsplit(',').next()?.trim().to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    let forwarded = |name: &str| if behind_proxy { text(name) } else { None };
    let own = || if is_secure(request) { "https" } else { "http" }.to_owned();
    let scheme = forwarded("x-forwarded-proto").unwrap_or_else(own).to_ascii_lowercase();
    let authority = || request.uri().authority().map(ToString::to_string);
    let host = forwarded("x-forwarded-host").or_else(|| text("host")).or_else(authority).unwrap_or_default();
    format!("{scheme}://{}", without_default_port(&scheme, &host.to_ascii_lowercase()))
}

fn without_default_port<'h>(scheme: &str, host: &'h str) -> &'h str {
    let port = if scheme == "https" { ":443" } else { ":80" };
    host.strip_suffix(port).unwrap_or(host)
}

/// What a request says of the page that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// A page of ours.
    Own,
    /// Another one, or one that will not say.
    Foreign,
    /// Nothing: no browser of today sent it.
    Unknown,
}

fn sender(headers: &HeaderMap, own: &str) -> Sender {
    let all = |name: &str| headers.get_all(name).map(|value| value.to_str().unwrap_or("")).collect::<Vec<_>>();
    let sites = all("sec-fetch-site");
    let origins = all("origin");
    let same = |origin: &&str| origin.eq_ignore_ascii_case(own);
    if sites.is_empty() && origins.is_empty() {
        Sender::Unknown
    } else if sites.iter().all(|site| *site == "same-origin") && origins.iter().all(same) {
        Sender::Own
    } else {
        Sender::Foreign
    }
}

/// Refuses a request of a session that changes something, unless it says that a page of ours sent it.
///
/// # Errors
/// 403.
pub fn check_ours(request: &HttpRequest) -> Result<(), Problem> {
    match sender(request.headers(), &origin(request)) {
        Sender::Own => Ok(()),
        Sender::Foreign | Sender::Unknown => Err(not_ours()),
    }
}

/// Refuses a request that another site's page made a browser send. A request without these headers does not come from a
/// browser, and passes.
///
/// # Errors
/// 403.
pub fn check_not_foreign(request: &HttpRequest) -> Result<(), Problem> {
    match sender(request.headers(), &origin(request)) {
        Sender::Own | Sender::Unknown => Ok(()),
        Sender::Foreign => Err(not_ours()),
    }
}

fn not_ours() -> Problem {
    Problem::forbidden(
        "A request that changes something with a session has to come from a page of this service: its Origin, or \
         Sec-Fetch-Site, says otherwise or nothing.",
    )
}

#[cfg(test)]
mod tests;
