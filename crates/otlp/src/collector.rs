//! The collector, as it is called.

use std::{fs, io::Read as _, path::Path, time::Duration};

use anyhow::{Context as _, bail, ensure};
use base::{net::is_loopback_host, secret::Secret};
use reqwest::{
    Certificate, StatusCode, Url,
    blocking::Client,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};

use crate::{metrics, spans};

/// How long a call may take.
const TIME: Duration = Duration::from_secs(5);

/// The most that is read of an answer.
const MOST: u64 = 64 << 10;

/// Headers of each call, such as `Authorization`.
#[derive(Default)]
pub struct Headers(Vec<(HeaderName, Secret<String>)>);

impl Headers {
    /// Those of a file: each line is a name, a colon and a value.
    ///
    /// # Errors
    /// When it cannot be read, or a line is something else.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{}", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut all = Vec::new();
        let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        for (line, number) in lines {
            let wrong = || format!("line {number}: write a header as its name, a colon and its value");
            let (name, value) = line.split_once(':').with_context(wrong)?;
            let name = HeaderName::try_from(name.trim()).ok().with_context(wrong)?;
            let value = value.trim();
            ensure!(HeaderValue::from_str(value).is_ok(), wrong());
            all.push((name, Secret::new(value.to_owned())));
        }
        Ok(Self(all))
    }
}

/// Refuses what is not the address of a collector: `http` or `https`, a host, and perhaps a port and a path.
///
/// # Errors
/// What is wrong with it, in words.
pub fn check_endpoint(text: &str) -> Result<String, String> {
    let wrong = || "write it as http://127.0.0.1:4318, without /v1/traces".to_owned();
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let is_plain = url.query().is_none() && url.fragment().is_none();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if has_user {
        return Err("a password does not belong here: give --otlp-headers-file with Authorization".to_owned());
    }
    let path = url.path().trim_end_matches('/');
    let is_signal = [spans::PATH, metrics::PATH].iter().any(|signal| path.ends_with(signal));
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() || !is_plain || is_signal {
        return Err(wrong());
    }
    Ok(text.trim().trim_end_matches('/').to_owned())
}

/// Why a call failed, and whether the same call may succeed later.
#[derive(Debug)]
pub(crate) struct CallError {
    pub(crate) why: String,
    pub(crate) is_passing: bool,
}

/// The collector.
pub(crate) struct Collector {
    client: Client,
    endpoint: String,
}

impl Collector {
    /// At an address that [`check_endpoint`] has read. `authority` is a PEM file with certificates to trust
    /// beside those of the system.
    pub(crate) fn new(endpoint: &str, headers: &Headers, authority: Option<&Path>) -> anyhow::Result<Self> {
        // The process has one provider of cryptography, and `ring` is the one that this program is built with.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        for (name, value) in &headers.0 {
            let Ok(mut value) = HeaderValue::from_str(value.expose()) else {
                bail!("the header {name} cannot be sent")
            };
            value.set_sensitive(true);
            all.append(name, value);
        }
        let mut client =
            Client::builder().timeout(TIME).connect_timeout(TIME).redirect(Policy::none()).default_headers(all);
        if let Some(path) = authority {
            let reading = || format!("reading {}", path.display());
            let text = fs::read(path).with_context(reading)?;
            for certificate in Certificate::from_pem_bundle(&text).with_context(reading)? {
                client = client.add_root_certificate(certificate);
            }
        }
        // What goes to this machine goes past no proxy.
        let host = Url::parse(endpoint).ok().and_then(|url| url.host_str().map(is_loopback_host));
        if host == Some(true) {
            client = client.no_proxy();
        }
        Ok(Self { client: client.build()?, endpoint: endpoint.to_owned() })
    }

    /// Sends a message to the path of its signal; answers what was answered.
    pub(crate) fn send(&self, path: &str, message: Vec<u8>) -> Result<Vec<u8>, CallError> {
        let lost = |error: reqwest::Error| CallError {
            why: format!("{:#}", anyhow::Error::new(error.without_url())),
            is_passing: true,
        };
        let answer = self.client.post(format!("{}{path}", self.endpoint)).body(message).send().map_err(lost)?;
        let status = answer.status();
        if !status.is_success() {
            let is_passing = [
                StatusCode::TOO_MANY_REQUESTS,
                StatusCode::BAD_GATEWAY,
                StatusCode::SERVICE_UNAVAILABLE,
                StatusCode::GATEWAY_TIMEOUT,
            ]
            .contains(&status);
            return Err(CallError { why: format!("it answered {status}"), is_passing });
        }
        let mut body = Vec::new();
        let read = answer.take(MOST).read_to_end(&mut body);
        read.map_err(|error| CallError { why: error.to_string(), is_passing: true })?;
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_an_address_without_the_path_of_a_signal() {
        for (text, read) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318"),
            (" https://otlp.example/ ", "https://otlp.example"),
            ("https://prometheus.example/api/v1/otlp", "https://prometheus.example/api/v1/otlp"),
        ] {
            assert_eq!(check_endpoint(text).as_deref(), Ok(read), "{text}");
        }
        for wrong in
            ["", "127.0.0.1:4318", "grpc://a", "http://a/v1/traces", "http://a?b=c", "http://me:hush@a", "http://"]
        {
            assert!(check_endpoint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn headers_are_read_line_by_line() {
        let read = |text: &str| Headers::parse(text).map(|headers| headers.0.len()).map_err(|error| error.to_string());
        assert_eq!(read("Authorization: Basic a:b\n\n x-scope-orgid: one \n"), Ok(2));
        assert_eq!(read(""), Ok(0));
        for wrong in ["nonsense", "a b: c", "\u{e4}: x"] {
            assert!(read(wrong).is_err_and(|why| why.starts_with("line 1: ")), "{wrong}");
        }
    }
}
