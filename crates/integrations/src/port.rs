//! The ports for other domains: sending with the guard and the credentials of integrations, and sealing with their key.

use std::sync::Arc;

use base::{secret::Secret, timestamp::Timestamp};
use bytes::Bytes;
use db::{Db, Result};
use http_body_util::Full;
use hyper::{
    Method, Request,
    header::{HeaderName, HeaderValue},
};
use ports::{Outgoing, Reading, ReadsUrls, Recipient, SealedAt, Seals, SendError, Sending, Sends};

use crate::{
    delivery::row::Message,
    egress::Guard,
    installed::store as installed,
    mail::Mailer,
    sender::{
        Settings, Tools,
        call::Caller,
        http_client::{Answer, CallError, Endpoint},
        retry,
        sign::Signer,
    },
    vault::{Vault, VaultError},
};

impl Seals for Vault {
    fn seal(&self, place: SealedAt<'_>, secret: &Secret<String>) -> Result<String> {
        Ok(Self::seal(self, place, secret)?)
    }

    fn open(&self, place: SealedAt<'_>, sealed: &str) -> Result<Option<Secret<String>>> {
        match Self::open(self, place, sealed) {
            Ok(secret) => Ok(Some(secret)),
            Err(VaultError::Damaged) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn is_current(&self, sealed: &str) -> bool {
        Self::is_current(self, sealed)
    }
}

/// Sends for other domains. One for each runtime: connections live where they were made.
pub struct OutgoingSender {
    db: Db,
    vault: Arc<Vault>,
    guard: Arc<Guard>,
    caller: Caller,
    mailer: Option<Mailer>,
}

impl OutgoingSender {
    /// Calls hosts that `guard` permits; `caller` limits the time of each call.
    fn new(db: Db, vault: Arc<Vault>, guard: Arc<Guard>, caller: Caller, mailer: Option<Mailer>) -> Self {
        Self { db, vault, guard, caller, mailer }
    }

    async fn url(&self, outgoing: &Outgoing, url: &Secret<String>, headers: &[(String, Secret<String>)]) -> CallResult {
        let mut request = Request::new(Full::new(Bytes::copy_from_slice(outgoing.body.as_bytes())));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.caller.client.uri(url.expose())?;
        let own = Secret::new(outgoing.id.clone());
        let id = std::iter::once(("webhook-id", &own));
        for (name, value) in headers.iter().map(|(name, value)| (name.as_str(), value)).chain(id) {
            let wrong = || CallError::new(format!("the header {name} cannot be sent"));
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            let mut value = HeaderValue::from_bytes(value.expose().as_bytes()).map_err(|_| wrong())?;
            value.set_sensitive(true);
            request.headers_mut().insert(key, value);
        }
        self.caller.client.send(request).await
    }

    async fn integration(&self, outgoing: &Outgoing, tenant: &str, id: &str, now: Timestamp) -> CallResult {
        let tenant = tenant.to_owned();
        let id = id.to_owned();
        let vault = Arc::clone(&self.vault);
        let found = self.db.read(move |conn| {
            let Some(row) = installed::find(conn, std::slice::from_ref(&tenant), &id)?.filter(|row| row.enabled) else {
                return Ok(None);
            };
            let secrets = row.open_secrets(&vault)?;
            let signer = Signer::new(&row.open_signing(&vault)?);
            Ok(row.notifier().map(|notifier| Endpoint { holder: (tenant, id), notifier, secrets, signer }))
        });
        let endpoint = found.await.map_err(|error| {
            tracing::warn!(%error, "the notifier of an integration");
            CallError::new("the integration cannot be read")
        })?;
        let endpoint =
            endpoint.ok_or_else(|| CallError::new("the integration is not there, is disabled, or has no notifier"))?;
        let message = Message {
            method: "POST".to_owned(),
            target: String::new(),
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body: outgoing.body.clone(),
        };
        self.caller.call(&endpoint, &message, &outgoing.id, now).await
    }
}

impl Tools {
    /// The sender for other domains, for one runtime.
    pub fn outgoing_sender(&self) -> OutgoingSender {
        let Settings { timeout, calls_to_one, .. } = self.settings;
        let caller = Caller::new(self.dialler.clone(), Arc::clone(&self.guard), timeout, calls_to_one);
        OutgoingSender::new(
            self.db.clone(),
            Arc::clone(&self.vault),
            Arc::clone(&self.guard),
            caller,
            self.mailer.clone(),
        )
    }
}

type CallResult = std::result::Result<Answer, CallError>;

impl Sends for OutgoingSender {
    fn check_url(&self, text: &str) -> std::result::Result<(), String> {
        self.guard.url(text).map(drop)
    }

    fn has_mail(&self) -> bool {
        self.mailer.is_some()
    }

    fn send(&self, outgoing: Outgoing, now: Timestamp) -> Sending<'_> {
        Box::pin(async move {
            let answer = match &outgoing.to {
                Recipient::Url { url, headers } => self.url(&outgoing, url, headers).await,
                Recipient::Integration { tenant_id, id } => self.integration(&outgoing, tenant_id, id, now).await,
                Recipient::Mail(mail) => {
                    let Some(mailer) = &self.mailer else {
                        let message = "there is no mail server: set one with the option --smtp-url";
                        return Err(SendError { for_good: true, ..SendError::new(message) });
                    };
                    return mailer.send(&outgoing.id, mail, &outgoing.body, now).await;
                }
            };
            verdict(answer, now)
        })
    }
}

impl ReadsUrls for OutgoingSender {
    fn check_url(&self, text: &str) -> std::result::Result<(), String> {
        self.guard.url(text).map(drop)
    }

    fn read<'a>(&'a self, url: &'a str, most: usize) -> Reading<'a> {
        Box::pin(async move {
            let error = |error: CallError| SendError::new(error.to_string());
            let mut request = Request::new(Full::new(Bytes::new()));
            *request.uri_mut() = self.caller.client.uri(url).map_err(error)?;
            let answer = self.caller.client.read(request, most.saturating_add(1)).await.map_err(error)?;
            if answer.status != 200 {
                let why = format!("the other side answered {}", answer.status);
                return Err(SendError { status: Some(answer.status), ..SendError::new(why) });
            }
            if let Some(cut) = answer.cut {
                return Err(SendError::new(cut.to_string()));
            }
            if answer.body.len() > most {
                return Err(SendError::new(format!("the other side answered more than {most} bytes")));
            }
            Ok(answer.body)
        })
    }
}

/// Judges an answer: a success, or a failure that is tried again unless the request itself was refused.
fn verdict(answer: CallResult, now: Timestamp) -> std::result::Result<u16, SendError> {
    let answer = answer.map_err(|error| SendError::new(error.to_string()))?;
    if (200..300).contains(&answer.status) {
        return Ok(answer.status);
    }
    let asked = answer.headers.get("retry-after").and_then(|value| retry::parse_retry_after(value.to_str().ok()?, now));
    Err(SendError {
        why: format!("the other side answered {}", answer.status),
        status: Some(answer.status),
        wait_ms: asked,
        for_good: (300..500).contains(&answer.status) && ![408, 425, 429].contains(&answer.status),
    })
}
