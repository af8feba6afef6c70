//! The row of an event.

use base::timestamp::Timestamp;
use db::{Json, Result};
use diesel::prelude::*;
use ports::SealedAt;

use super::config::Config;
use crate::{installed::row::Row as Integration, notifier::Secrets, schema::integration_events, vault::Vault};

/// One row of `integration_events`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = integration_events, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of its integration.
    pub tenant_id: String,
    /// `INTG-EVENT-<uuid>`.
    pub id: String,
    pub integration_id: String,
    pub version: i64,
    /// Does it fire?
    pub active: bool,
    /// Why not.
    pub inactive_because: String,
    /// What it does.
    pub config: Json<Config>,
    /// Its secrets, sealed; empty when there are none.
    pub secrets: String,
    pub created_ms: i64,
    pub updated_ms: Option<i64>,
    /// Was it deleted? Then it is there for its deliveries, and nobody finds it.
    pub gone: bool,
}

/// The version of a row, when it was created and when it was changed: one that was deleted and came back is another.
pub type RowVersion = (i64, i64, Option<i64>);

/// Which versions of an event and its integration say what is called, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndpointVersion {
    pub event: RowVersion,
    pub integration: RowVersion,
}

impl EndpointVersion {
    pub fn of(event: &Row, integration: &Integration) -> Self {
        Self {
            event: (event.version, event.created_ms, event.updated_ms),
            integration: (integration.version, integration.created_ms, integration.updated_ms),
        }
    }
}

impl Row {
    fn place(&self) -> SealedAt<'_> {
        SealedAt { tenant: &self.tenant_id, table: "integration_events", row: &self.id, column: "secrets" }
    }

    /// Takes another configuration.
    pub fn set(&mut self, vault: &Vault, config: &Config, secrets: &Secrets) -> Result<()> {
        self.config = Json(config.clone());
        self.secrets = match secrets.to_sealable() {
            Some(plain) => vault.seal(self.place(), &plain)?,
            None => String::new(),
        };
        Ok(())
    }

    pub fn open_secrets(&self, vault: &Vault) -> Result<Secrets> {
        if self.secrets.is_empty() {
            return Ok(Secrets::default());
        }
        Ok(Secrets::from_sealable(&vault.open(self.place(), &self.secrets)?))
    }

    /// Seals what is sealed under a former key anew; says whether anything was.
    pub fn reseal(&mut self, vault: &Vault) -> Result<bool> {
        if self.secrets.is_empty() || vault.is_current(&self.secrets) {
            return Ok(false);
        }
        let plain = vault.open(self.place(), &self.secrets)?;
        self.secrets = vault.seal(self.place(), &plain)?;
        Ok(true)
    }

    /// The row after a change, with the next version.
    pub fn changed(&self, now: Timestamp) -> Self {
        Self { version: self.version + 1, updated_ms: Some(now.millis()), ..self.clone() }
    }
}
