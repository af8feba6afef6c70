//! Addresses of services that credentials are sent to.

use anyhow::{Context as _, ensure};
use base::net::is_loopback_host;
use reqwest::Url;

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

#[cfg(test)]
mod tests {
    use super::*;

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
