//! Signing in by OpenID Connect: from options to an issuer, the calls to it, and what seals cookies.

use std::{
    fs,
    io::{self, Read as _},
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use access::oidc::{Fetch, Provider, Seal, Settings};
use anyhow::{Context as _, bail, ensure};
use base::secret::Secret;
use integrations::vault::Vault;
use ports::SealedAt;
use reqwest::{Certificate, Url, blocking::Client, redirect::Policy};

use crate::command_line::Oidc;

/// How long a call may take.
const TIME: Duration = Duration::from_secs(10);

/// The most that is read of an answer.
const MOST: u64 = 1 << 20;

impl Oidc {
    /// The issuer, when there is to be one; `origin` is how browsers reach this service.
    pub fn provider(&self, origin: Option<&str>, vault: &Arc<Vault>) -> anyhow::Result<Option<Arc<Provider>>> {
        let Some(issuer) = &self.oidc_issuer else { return Ok(None) };
        let (Some(id), Some(file), Some(origin)) = (&self.oidc_client_id, &self.oidc_client_secret_file, origin) else {
            bail!("--oidc-issuer needs --oidc-client-id, --oidc-client-secret-file and --public-url");
        };
        check(issuer)?;
        let secret = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        ensure!(!secret.trim().is_empty(), "{} is empty", file.display());
        let settings = Settings {
            issuer: issuer.clone(),
            client_id: id.clone(),
            client_secret: Secret::new(secret.trim().to_owned()),
            origin: origin.to_owned(),
            link_by_email: self.oidc_link_by_email,
            role_claim: self.oidc_role_claim.clone(),
            tenant: self.oidc_tenant.clone(),
        };
        let provider = Provider::new(settings, self.calls()?, Arc::new(Sealed(Arc::clone(vault))));
        Ok(Some(Arc::new(provider.context("--oidc-issuer")?)))
    }

    /// Makes calls, each on the thread that asks for it.
    fn calls(&self) -> anyhow::Result<Box<Fetch>> {
        // The process has one provider of cryptography, and `ring` is the one that this program is built with.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut client = Client::builder().timeout(TIME).connect_timeout(TIME).redirect(Policy::none());
        if let Some(path) = &self.oidc_ca {
            let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
            let authority = Certificate::from_pem(&text).with_context(|| format!("reading {}", path.display()))?;
            client = client.add_root_certificate(authority);
        }
        let client = client.build()?;
        Ok(Box::new(move |request| {
            let request = reqwest::blocking::Request::try_from(request).map_err(io::Error::other)?;
            let answer = client.execute(request).map_err(|error| io::Error::other(error.without_url()))?;
            let status = answer.status();
            let headers = answer.headers().clone();
            let mut body = Vec::new();
            answer.take(MOST).read_to_end(&mut body)?;
            let mut response = access::oidc::Response::new(body);
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            Ok(response)
        }))
    }
}

/// Refuses an issuer whose tokens would travel in the clear beyond this machine.
fn check(issuer: &str) -> anyhow::Result<()> {
    let url = Url::parse(issuer).context("--oidc-issuer takes an address such as https://login.example")?;
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    ensure!(url.scheme() == "https" || (url.scheme() == "http" && is_here), "--oidc-issuer has to be https://");
    Ok(())
}

/// Seals under the key that seals the secrets of integrations, which all gateways share.
struct Sealed(Arc<Vault>);

const PLACE: SealedAt<'static> = SealedAt { tenant: "", table: "cookies", row: "oidc", column: "pending" };

impl Seal for Sealed {
    fn seal(&self, text: &Secret<String>) -> Option<String> {
        self.0.seal(PLACE, text).ok()
    }

    fn open(&self, sealed: &str) -> Option<Secret<String>> {
        self.0.open(PLACE, sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_spoken_to_in_secret() {
        assert!(check("https://login.example/realms/one").is_ok() && check("http://127.0.0.1:4000").is_ok());
        for wrong in ["http://login.example", "login.example", "ftp://127.0.0.1", ""] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
