//! Calls to the issuer, in bounds of time and size; no redirect is followed.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
    time::Duration,
};

use anyhow::Context as _;
use base::net::is_loopback_host;
use openidconnect::HttpResponse;
use reqwest::{
    Certificate, Url,
    blocking::{Client, Request},
    redirect::Policy,
};

use super::provider::Fetch;

/// How long a call may take.
const TIME: Duration = Duration::from_secs(10);

/// The most that is read of an answer.
const MOST: u64 = 1 << 20;

/// The address of an issuer; refuses one whose tokens would travel in the clear beyond this machine.
///
/// # Errors
/// It is not a URL, has a password, or is neither `https` nor on this machine.
pub fn issuer(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|_| "takes an address such as https://login.example")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("takes no user and no password: --oidc-client-secret-file names the file of the secret".to_owned());
    }
    let is_secret = url.scheme() == "https" || (url.scheme() == "http" && is_here(&url));
    if is_secret { Ok(text.to_owned()) } else { Err("has to be https://".to_owned()) }
}

fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// Makes calls to an issuer, each on the thread that asks for it. `authority` is a PEM file with certificates to trust
/// beside those of the system.
///
/// # Errors
/// When the certificates cannot be read.
pub fn fetch(issuer: &str, authority: Option<&Path>) -> anyhow::Result<Box<Fetch>> {
    // The process has one provider of cryptography, and `ring` is the one that this program is built with.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut client = Client::builder().timeout(TIME).connect_timeout(TIME).redirect(Policy::none());
    if let Some(path) = authority {
        let reading = || format!("reading {}", path.display());
        let text = fs::read(path).with_context(reading)?;
        for certificate in Certificate::from_pem_bundle(&text).with_context(reading)? {
            client = client.add_root_certificate(certificate);
        }
    }
    // What goes to this machine goes past no proxy.
    if is_here(&Url::parse(issuer)?) {
        client = client.no_proxy();
    }
    let client = client.build()?;
    Ok(Box::new(move |request| {
        let request = Request::try_from(request).map_err(io::Error::other)?;
        let answer = client.execute(request).map_err(|error| io::Error::other(error.without_url()))?;
        let status = answer.status();
        let headers = answer.headers().clone();
        let mut body = Vec::new();
        answer.take(MOST).read_to_end(&mut body)?;
        let mut response = HttpResponse::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_spoken_to_in_secret() {
        assert!(issuer("https://login.example/realms/one").is_ok());
        assert!(issuer("http://127.0.0.1:4000").is_ok());
        for wrong in ["http://login.example", "login.example", "ftp://127.0.0.1", "", "https://u:hush@h"] {
            assert!(issuer(wrong).is_err(), "{wrong}");
        }
    }
}
