//! Asks a product for its objects: page by page, within bounds, and no faster than it allows.

use std::{io::Read as _, thread::sleep, time::Duration};

use anyhow::{Context as _, ensure};
use base::{Secret, net::is_loopback_host};
use reqwest::{StatusCode, Url, blocking::Response, header::RETRY_AFTER, redirect::Policy};
use serde_json::Value;

use crate::export::Export;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The most that is read of an answer, in bytes.
const LARGEST_ANSWER: u64 = 32 << 20;
/// The most that is read of all answers, in bytes.
const LARGEST_EXPORT: u64 = 512 << 20;
/// The most pages of a list.
const MOST_PAGES: usize = 10_000;
/// The most requests.
const MOST_REQUESTS: usize = 200_000;
/// How often a request is tried in all.
const MOST_ATTEMPTS: u32 = 6;
/// The longest that is waited because the product asks for it, in seconds.
const LONGEST_WAIT_S: u64 = 120;

/// How the next page of a list is found.
#[derive(Clone, Copy, Debug)]
pub enum Paging {
    /// There is one page.
    None,
    /// The address of the next page stands in the answer, below these names.
    Link(&'static [&'static str]),
    /// The answer says that there is `more`; the next page begins after the objects so far.
    Offset,
}

/// A product that is asked.
#[derive(Debug)]
pub struct Client {
    http: reqwest::blocking::Client,
    root: Url,
    headers: Vec<(&'static str, Secret<String>)>,
    requests: usize,
    bytes: u64,
    /// Lists that the token may not read, or that the product does not have: path and reason.
    pub missing: Vec<(String, String)>,
}

/// Why a request came to nothing.
enum Failure {
    /// The product refused it, with this status.
    Refused(StatusCode),
    Other(anyhow::Error),
}

impl From<Failure> for anyhow::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                anyhow::anyhow!("the product refuses the token: may it read all of the account?")
            }
            Failure::Refused(status) => anyhow::anyhow!("the product answered {status}"),
            Failure::Other(error) => error,
        }
    }
}

/// Reads the address of a product: over https, or on this machine.
///
/// # Errors
/// What is wrong with it.
pub fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{text:?} is not an address: {error}"))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    if !matches!(url.scheme(), "https" | "http") || host.is_empty() {
        return Err(format!("{text:?} is not an address such as https://api.example.net"));
    }
    if url.scheme() == "http" && !is_loopback_host(&host) {
        return Err(format!("{host} is beyond this machine, and the token would travel in the clear: use https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address has credentials in it: use --token or MUSTER_CONVERT_TOKEN".to_owned());
    }
    Ok(url)
}

impl Client {
    /// A client that sends these headers with each request.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new(mut root: Url, headers: Vec<(&'static str, Secret<String>)>) -> anyhow::Result<Self> {
        // The process has one provider of cryptography, and `ring` is the one that this program is built with.
        drop(rustls::crypto::ring::default_provider().install_default());
        if !root.path().ends_with('/') {
            root.set_path(&format!("{}/", root.path()));
        }
        root.set_query(None);
        root.set_fragment(None);
        // A redirect could take the token elsewhere.
        let mut http = reqwest::blocking::Client::builder().timeout(TIMEOUT).redirect(Policy::none());
        if root.host_str().is_some_and(is_loopback_host) {
            http = http.no_proxy();
        }
        let http = http.build().context("no client can be made")?;
        Ok(Self { http, root, headers, requests: 0, bytes: 0, missing: Vec::new() })
    }

    /// Asks for all pages of a list.
    ///
    /// # Errors
    /// When an answer cannot be had.
    pub fn pages(&mut self, export: &mut Export, name: &str, path: &str, paging: Paging) -> anyhow::Result<()> {
        self.all_pages(export, name, path, paging)
            .map_err(anyhow::Error::from)
            .with_context(|| format!("{name} cannot be read"))
    }

    /// Asks for all pages of a list that need not be there: one that is refused is noted as missing.
    ///
    /// # Errors
    /// When an answer cannot be had for another reason.
    pub fn optional_pages(
        &mut self,
        export: &mut Export,
        name: &str,
        path: &str,
        paging: Paging,
    ) -> anyhow::Result<()> {
        match self.all_pages(export, name, path, paging) {
            Err(Failure::Refused(
                status @ (StatusCode::BAD_REQUEST
                | StatusCode::PAYMENT_REQUIRED
                | StatusCode::FORBIDDEN
                | StatusCode::NOT_FOUND
                | StatusCode::GONE),
            )) => {
                self.missing.push((name.to_owned(), status.to_string()));
                Ok(())
            }
            other => other.map_err(anyhow::Error::from).with_context(|| format!("{name} cannot be read")),
        }
    }

    fn all_pages(&mut self, export: &mut Export, name: &str, path: &str, paging: Paging) -> Result<(), Failure> {
        let first = self.root.join(path).context("the path is not one").map_err(Failure::Other)?;
        let mut next = Some(first.clone());
        for _ in 0..MOST_PAGES {
            let Some(url) = next.take() else { return Ok(()) };
            let page = self.get(&url)?;
            next = match paging {
                Paging::None => None,
                Paging::Link(names) => {
                    let link = names.iter().try_fold(&page, |value, name| value.get(name)).and_then(Value::as_str);
                    link.filter(|link| !link.is_empty()).map(|link| self.within(&url, link)).transpose()?
                }
                Paging::Offset if page.get("more").and_then(Value::as_bool) == Some(true) => {
                    let mut next = first.clone();
                    let so_far = export.list(name).len() + items(&page, name);
                    next.query_pairs_mut().append_pair("offset", &so_far.to_string());
                    Some(next)
                }
                Paging::Offset => None,
            };
            if next.as_ref() == Some(&url) {
                return Err(Failure::Other(anyhow::anyhow!("the next page is the same page again")));
            }
            export.add(name, page);
        }
        Err(Failure::Other(anyhow::anyhow!("it has more than {MOST_PAGES} pages")))
    }

    /// The address of a link in an answer. The token goes to the product alone, so it may not lead elsewhere.
    fn within(&self, url: &Url, link: &str) -> Result<Url, Failure> {
        let next = url.join(link).context("the link to the next page is not an address").map_err(Failure::Other)?;
        if next.origin() == self.root.origin() {
            return Ok(next);
        }
        // Products behind a proxy write links with the scheme or the name that they know themselves by.
        let mut here = self.root.clone();
        here.set_path(next.path());
        here.set_query(next.query());
        Ok(here)
    }

    /// Asks for one object, by the segments of its path below a version, and notes it by these segments.
    ///
    /// # Errors
    /// When an answer cannot be had.
    pub fn object(&mut self, export: &mut Export, segments: &[&str], version: &str, query: &str) -> anyhow::Result<()> {
        let name = segments.join("/");
        let mut url = self.root.clone();
        {
            let mut path = url.path_segments_mut().map_err(|()| anyhow::anyhow!("the address can have no path"))?;
            path.pop_if_empty().extend(version.split('/').filter(|part| !part.is_empty())).extend(segments);
        }
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        match self.get(&url) {
            Ok(answer) => export.add(&name, answer),
            // It was deleted since the list was read, or its kind is not for this token.
            Err(Failure::Refused(status @ (StatusCode::NOT_FOUND | StatusCode::FORBIDDEN))) => {
                self.missing.push((name, status.to_string()));
            }
            Err(other) => return Err(anyhow::Error::from(other).context(format!("{name} cannot be read"))),
        }
        Ok(())
    }

    /// Asks for all pages of a list below an object, by the segments of its path; one that is refused is noted as
    /// missing.
    ///
    /// # Errors
    /// When an answer cannot be had for another reason.
    pub fn listed(
        &mut self,
        export: &mut Export,
        segments: &[&str],
        query: &str,
        paging: Paging,
    ) -> anyhow::Result<()> {
        let mut url = self.root.clone();
        {
            let mut path = url.path_segments_mut().map_err(|()| anyhow::anyhow!("the address can have no path"))?;
            path.pop_if_empty().extend(segments);
        }
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        self.optional_pages(export, &segments.join("/"), url.as_str(), paging)
    }

    fn get(&mut self, url: &Url) -> Result<Value, Failure> {
        let mut attempt = 0;
        loop {
            self.requests += 1;
            if self.requests > MOST_REQUESTS {
                return Err(Failure::Other(anyhow::anyhow!("more than {MOST_REQUESTS} requests would be needed")));
            }
            attempt += 1;
            let mut built = self.http.get(url.clone());
            if !self.headers.iter().any(|(name, _)| *name == "accept") {
                built = built.header("accept", "application/json");
            }
            for (name, value) in &self.headers {
                built = built.header(*name, value.expose());
            }
            let last = attempt >= MOST_ATTEMPTS;
            let wait = match built.send() {
                Ok(answer) if answer.status().is_success() => return self.read(answer).map_err(Failure::Other),
                Ok(answer) => match wait(&answer, attempt).filter(|_| !last) {
                    Some(wait) => wait,
                    None => return Err(Failure::Refused(answer.status())),
                },
                Err(error) if !last && (error.is_timeout() || error.is_connect() || error.is_request()) => {
                    Duration::from_secs(1 << attempt.min(4))
                }
                Err(error) => return Err(Failure::Other(anyhow::Error::new(error.without_url()))),
            };
            sleep(wait);
        }
    }

    fn read(&mut self, answer: Response) -> anyhow::Result<Value> {
        let mut body = Vec::new();
        answer.take(LARGEST_ANSWER + 1).read_to_end(&mut body).context("the answer ended early")?;
        let length = u64::try_from(body.len()).unwrap_or(u64::MAX);
        ensure!(length <= LARGEST_ANSWER, "an answer is larger than {} MiB", LARGEST_ANSWER >> 20);
        self.bytes = self.bytes.saturating_add(length);
        ensure!(self.bytes <= LARGEST_EXPORT, "the answers are larger than {} MiB together", LARGEST_EXPORT >> 20);
        serde_json::from_slice(&body).context("the answer is not JSON: is --url right?")
    }
}

fn items(page: &Value, name: &str) -> usize {
    let mut alone = Export::default();
    alone.add(name, page.clone());
    alone.list(name).len()
}

/// How long to wait before a request is sent again; [`None`] when that does not help.
fn wait(answer: &Response, attempt: u32) -> Option<Duration> {
    let status = answer.status();
    if status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error() {
        return None;
    }
    let asked = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let seconds = asked.unwrap_or(1 << attempt.min(5));
    (seconds <= LONGEST_WAIT_S).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
