//! Services that credentials are sent to: their addresses, and what a client of one is made of.

use std::{fs, path::Path};

use anyhow::{Context as _, ensure};
use base::net::is_loopback_host;
use reqwest::{
    Certificate, Url,
    blocking::{Client, ClientBuilder},
    redirect::Policy,
};
use rustls::crypto::ring;

/// Reads the address of a service. Refuses a text that is none, and an address to which credentials and what is sent
/// would travel in the clear beyond this machine, unless that is allowed.
///
/// # Errors
/// What is wrong with it.
pub fn check(server: &str, allow_http: bool) -> anyhow::Result<Url> {
    const USAGE: &str = "--server takes an address such as https://muster.example.net";
    let url = Url::parse(server).context(USAGE)?;
    let host = url.host_str().unwrap_or_default();
    ensure!(matches!(url.scheme(), "https" | "http") && !host.is_empty(), USAGE);
    ensure!(url.password().is_none(), "--server takes no password: key and secret are options of their own");
    ensure!(
        url.scheme() == "https" || is_here(&url) || allow_http,
        "{host} is beyond loopback, and key and content would travel in the clear: use https://, or say --allow-http"
    );
    Ok(url)
}

/// Is this address on this machine?
pub fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

/// The beginning of a client of the service at `root`. It trusts the certificates of the PEM file `authorities` beside
/// those of the system, and follows no redirect, which would take credentials elsewhere.
///
/// # Errors
/// When the file cannot be read, or holds no certificate.
pub fn client(root: &Url, authorities: Option<&Path>) -> anyhow::Result<ClientBuilder> {
    // The process has one provider of cryptography, and `ring` is the one that this program is built with.
    drop(ring::default_provider().install_default());
    let mut client = Client::builder().redirect(Policy::none());
    if let Some(file) = authorities {
        for authority in certificates(file)? {
            client = client.add_root_certificate(authority);
        }
    }
    // What goes to this machine goes past no proxy.
    Ok(if is_here(root) { client.no_proxy() } else { client })
}

fn certificates(file: &Path) -> anyhow::Result<Vec<Certificate>> {
    let shown = file.display();
    let pem = fs::read(file).with_context(|| format!("--ca: {shown} cannot be read"))?;
    let all = Certificate::from_pem_bundle(&pem).with_context(|| format!("--ca: {shown} cannot be read"))?;
    ensure!(!all.is_empty(), "--ca: {shown} holds no certificate");
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorities_are_certificates() {
        let root = Url::parse("https://muster.example.net").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for (text, expected) in [("", "holds no certificate"), ("-----BEGIN CERTIFICATE-----\nx", "cannot be read")] {
            fs::write(&file, text).unwrap();
            let told = client(&root, Some(&file)).unwrap_err().to_string();
            assert!(told.starts_with("--ca: ") && told.contains(expected), "{told}");
        }
        let missing = client(&root, Some(&folder.path().join("none"))).unwrap_err();
        assert!(format!("{missing:#}").contains("none cannot be read: No such file"), "{missing:#}");
        assert!(client(&root, None).is_ok());
    }

    #[test]
    fn what_is_in_the_clear_stays_on_this_machine() {
        for good in ["https://muster.example.net", "http://127.0.0.2:8080/", "http://[::1]:8080", "http://localhost"] {
            assert!(check(good, false).is_ok(), "{good}");
        }
        for bad in ["http://192.0.2.1", "http://localhost.example.net", "http://[2001:db8::1]", "http://127.0.0.1@x"] {
            assert!(check(bad, false).is_err(), "{bad}");
            assert!(check(bad, true).is_ok(), "{bad}");
        }
        let told = check("https://me:hush@muster.example.net", true).unwrap_err().to_string();
        assert!(told.contains("takes no password") && !told.contains("hush"), "{told}");
        assert!(check("muster.example.net", true).is_err() && check("ftp://127.0.0.1", true).is_err());
    }
}
