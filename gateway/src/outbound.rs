//! What integrations call others with.

use std::{sync::Arc, time::Duration};

use access::Directory;
use api::tls::authorities;
use db::Db;
use integrations::{
    Reporters, Rules, Services,
    egress::{Guard, dial::Dialler},
    mail::Mailer,
    sender::{Sender, Settings, Tools},
    vault::Vault,
};
use rustls::pki_types::CertificateDer;

use crate::command_line::Outbound;

/// The parts that handlers, subscriber and sender share.
pub struct Parts {
    /// For the handlers.
    pub services: Arc<Services>,
    tools: Tools,
}

impl Outbound {
    /// Puts them together. With `demo`, this machine may be called too.
    pub fn parts(
        &self,
        db: &Db,
        vault: Arc<Vault>,
        rules: Arc<Rules>,
        reporters: Arc<dyn Reporters>,
        demo: bool,
    ) -> anyhow::Result<Parts> {
        let guard = Guard::new(self.egress_allow.clone());
        let guard = Arc::new(if demo { guard.with_loopback() } else { guard });
        let authorities = self.authorities()?;
        let dialler = Dialler::new(Arc::clone(&guard), &authorities)?;
        let mailer = self.mailer(&authorities)?;
        let settings = Settings {
            schedule: self.retry_schedule.clone(),
            timeout: self.delivery_timeout,
            calls: usize::try_from(self.delivery_calls)?,
            calls_to_one: usize::try_from(self.delivery_calls_to_one)?,
        };
        let timeout: Duration = self.delivery_timeout;
        let services = Services {
            vault: Arc::clone(&vault),
            guard: Arc::clone(&guard),
            dialler: dialler.clone(),
            timeout,
            rules,
            reporters,
        };
        let people = Arc::new(Directory);
        let tools = Tools { db: db.clone(), people, vault, guard, dialler, clock: api::clock::now, settings, mailer };
        Ok(Parts { services: Arc::new(services), tools })
    }

    /// What sends mail, where a server is set.
    pub fn mailer(&self, authorities: &[CertificateDer<'static>]) -> anyhow::Result<Option<Mailer>> {
        let set = self.smtp_url.clone().zip(self.smtp_from.clone());
        Ok(set.map(|(server, from)| Mailer::new(server, from, authorities)).transpose()?)
    }

    /// The authorities that are trusted beside those of the system.
    pub fn authorities(&self) -> anyhow::Result<Vec<CertificateDer<'static>>> {
        self.egress_ca.as_deref().map_or_else(|| Ok(Vec::new()), authorities)
    }
}

impl Parts {
    /// What another domain seals with.
    pub fn seals(&self) -> Arc<dyn ports::Seals> {
        Arc::clone(&self.services.vault) as Arc<dyn ports::Seals>
    }

    /// What another domain sends with, for one runtime.
    pub fn outgoing_sender(&self) -> Arc<dyn ports::Sends> {
        Arc::new(self.tools.outgoing_sender())
    }

    /// What another domain reads URLs with, for one runtime.
    pub fn url_reader(&self) -> Arc<dyn ports::ReadsUrls> {
        Arc::new(self.tools.outgoing_sender())
    }

    /// Starts to deliver.
    pub fn start(&self) -> anyhow::Result<Sender> {
        Ok(Sender::start(self.tools.clone())?)
    }
}
