//! Signing in by OpenID Connect: from options to an issuer.

use std::{fs, sync::Arc};

use access::oidc::{Provider, Settings, fetch};
use anyhow::{Context as _, bail, ensure};
use api::tls::authorities;
use base::secret::Secret;
use integrations::vault::Vault;
use ports::Seals;

use crate::command_line::Oidc;

impl Oidc {
    /// The issuer, when there is to be one; `origin` is how browsers reach this service. What browsers carry is sealed
    /// under the key of the secrets of integrations, which all gateways share.
    pub fn provider(&self, origin: Option<&str>, vault: &Arc<Vault>) -> anyhow::Result<Option<Arc<Provider>>> {
        let Some(issuer) = &self.oidc_issuer else { return Ok(None) };
        let (Some(id), Some(file), Some(origin)) = (&self.oidc_client_id, &self.oidc_client_secret_file, origin) else {
            bail!("--oidc-issuer needs --oidc-client-id, --oidc-client-secret-file and --public-url");
        };
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
        self.oidc_ca.as_deref().map(authorities).transpose()?;
        let calls = fetch(issuer, self.oidc_ca.as_deref())?;
        let seals = Arc::clone(vault) as Arc<dyn Seals>;
        Ok(Some(Arc::new(Provider::new(settings, calls, seals).context("--oidc-issuer")?)))
    }
}
