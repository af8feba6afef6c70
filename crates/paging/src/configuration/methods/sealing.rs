//! Where a contact method leads is stored in two parts: what may be shown, and what is sealed.

use base::secret::Secret;
use db::{Json, Result};
use ports::{SealedAt, Seals};

use super::{
    row::{Destination, Method},
    rules::{self, SECRETS},
};

impl Method {
    fn place(&self) -> SealedAt<'_> {
        SealedAt { tenant: &self.tenant_id, table: "contact_methods", row: &self.id, column: "sealed" }
    }

    /// Where it leads, with its secrets.
    pub fn open(&self, seals: &dyn Seals) -> Result<Destination> {
        let mut destination = self.settings.0.clone();
        destination.remove("host");
        if !self.sealed.is_empty() {
            let damaged = || db::Error::Fault(format!("what {} leads to does not open", self.id));
            let open = seals.open(self.place(), &self.sealed)?.ok_or_else(damaged)?;
            let secrets: Destination = serde_json::from_str(open.expose()).map_err(|_| damaged())?;
            destination.extend(secrets);
        }
        Ok(destination)
    }

    /// Writes where it leads.
    pub fn set(&mut self, seals: &dyn Seals, destination: &Destination) -> Result<()> {
        let (secret, mut shown): (Destination, Destination) =
            destination.clone().into_iter().partition(|(name, _)| SECRETS.contains(&name.as_str()));
        if let Some(host) = secret.get("url").and_then(|url| rules::host(url)) {
            shown.insert("host".to_owned(), host);
        }
        self.settings = Json(shown);
        self.sealed = if secret.is_empty() {
            String::new()
        } else {
            let json = serde_json::to_string(&secret).map_err(|error| db::Error::Fault(error.to_string()))?;
            seals.seal(self.place(), &Secret::new(json))?
        };
        Ok(())
    }

    /// Seals it under the key in use; `false` when it is already.
    pub fn reseal(&mut self, seals: &dyn Seals) -> Result<bool> {
        if self.sealed.is_empty() || seals.is_current(&self.sealed) {
            return Ok(false);
        }
        let destination = self.open(seals)?;
        self.set(seals, &destination).map(|()| true)
    }
}
