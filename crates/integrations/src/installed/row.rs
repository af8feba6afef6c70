//! The row of an installed integration.

use base::{secret::Secret, timestamp::Timestamp};
use db::{Json, Result};
use diesel::prelude::*;
use ports::SealedAt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    notifier::{Notifier, Secrets},
    reporters::AuthType,
    schema::integrations,
    vault::Vault,
};

/// Who may report for an integration, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inbound {
    /// With which credentials.
    pub auth_type: AuthType,
    /// The API key, or the inbound address.
    pub id: String,
}

/// One row of `integrations`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = integrations, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    pub tenant_id: String,
    /// `INTG-<uuid>`.
    pub id: String,
    pub version: i64,
    /// `CUSTOM`.
    pub kind: String,
    pub name: String,
    /// Folded.
    pub name_key: String,
    pub description: String,
    /// Do its events fire?
    pub enabled: bool,
    /// The base notifier.
    pub notifier: Option<Json<Notifier>>,
    /// Its secrets, sealed; empty when there are none.
    pub secrets: String,
    /// The signing secrets, sealed.
    pub signing: String,
    /// The user that installed it.
    pub created_by: String,
    pub created_ms: i64,
    pub updated_ms: Option<i64>,
    /// Who reports for it.
    pub inbound: Option<Json<Inbound>>,
    /// Was it deleted? Then it is there for what its events have left, and nobody finds it.
    pub gone: bool,
}

/// The signing secrets of an integration.
#[derive(Clone, Debug)]
pub struct Signing {
    /// Signs.
    pub current: Secret<String>,
    /// Signs too, until then.
    pub previous: Option<(Secret<String>, i64)>,
}

impl Signing {
    fn to_sealable(&self) -> Secret<String> {
        let previous = self.previous.as_ref().map(|(secret, until)| json!([secret.expose(), until]));
        Secret::new(json!({"current": self.current.expose(), "previous": previous}).to_string())
    }

    fn from_sealable(text: &Secret<String>) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text.expose()).ok()?;
        let secret = |value: &serde_json::Value| Some(Secret::new(value.as_str()?.to_owned()));
        let previous = value.get("previous").and_then(|pair| Some((secret(pair.get(0)?)?, pair.get(1)?.as_i64()?)));
        Some(Self { current: secret(value.get("current")?)?, previous })
    }
}

impl Row {
    fn place(&self, column: &'static str) -> SealedAt<'_> {
        SealedAt { tenant: &self.tenant_id, table: "integrations", row: &self.id, column }
    }

    /// The base notifier.
    pub fn notifier(&self) -> Option<Notifier> {
        self.notifier.as_deref().cloned()
    }

    /// The secrets of the base notifier.
    pub fn open_secrets(&self, vault: &Vault) -> Result<Secrets> {
        if self.secrets.is_empty() {
            return Ok(Secrets::default());
        }
        Ok(Secrets::from_sealable(&vault.open(self.place("secrets"), &self.secrets)?))
    }

    /// Takes another base notifier.
    pub fn set_notifier(&mut self, vault: &Vault, notifier: &Notifier, secrets: &Secrets) -> Result<()> {
        self.secrets = match secrets.to_sealable() {
            Some(plain) => vault.seal(self.place("secrets"), &plain)?,
            None => String::new(),
        };
        self.notifier = Some(Json(notifier.clone()));
        Ok(())
    }

    /// The signing secrets.
    pub fn open_signing(&self, vault: &Vault) -> Result<Signing> {
        let opened = vault.open(self.place("signing"), &self.signing)?;
        Signing::from_sealable(&opened).ok_or_else(|| db::Error::Fault("unreadable signing secrets".to_owned()))
    }

    /// Takes other signing secrets.
    pub fn set_signing(&mut self, vault: &Vault, signing: &Signing) -> Result<()> {
        self.signing = vault.seal(self.place("signing"), &signing.to_sealable())?;
        Ok(())
    }

    /// The row after a change, with the next version.
    pub fn changed(&self, now: Timestamp) -> Self {
        Self { version: self.version + 1, updated_ms: Some(now.millis()), ..self.clone() }
    }

    /// Seals what is sealed under a former key anew; says whether anything was.
    pub fn reseal(&mut self, vault: &Vault) -> Result<bool> {
        let mut any = false;
        if !self.secrets.is_empty() && !vault.is_current(&self.secrets) {
            let plain = vault.open(self.place("secrets"), &self.secrets)?;
            self.secrets = vault.seal(self.place("secrets"), &plain)?;
            any = true;
        }
        if !vault.is_current(&self.signing) {
            let plain = vault.open(self.place("signing"), &self.signing)?;
            self.signing = vault.seal(self.place("signing"), &plain)?;
            any = true;
        }
        Ok(any)
    }
}
