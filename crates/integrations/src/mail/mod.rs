//! Electronic mail: a channel beside HTTP.
//!
//! Mail goes to one server, which the operator names. `lettre` writes messages and speaks to the server, over a stream
//! that bounds what the server says (`smtp.rs`).

mod smtp;
#[cfg(test)]
mod tests;

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use base::{secret::Secret, timestamp::Timestamp};
pub use lettre::message::Mailbox;
use lettre::{
    Message,
    message::{
        MultiPart,
        header::{HeaderName, HeaderValue},
    },
    transport::smtp::client::{Certificate, CertificateStore, TlsParameters},
};
use ports::{Mail, SendError};
use rustls::pki_types::CertificateDer;
use tokio::sync::Semaphore;
use url::Url;

/// How many mails are on their way at once.
const AT_ONCE: usize = 8;
/// How long a mail may take in all.
const LONGEST: Duration = Duration::from_secs(60);
/// How long the server may take to greet.
const GREETING: Duration = Duration::from_secs(5);

/// How the way to the server is kept private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// TLS from the first byte (`smtps://`).
    Tls,
    /// `STARTTLS` before anything is said (`smtp://`).
    StartTls,
    /// Not at all: to this machine, or because the operator says so (`?tls=none`).
    None,
}

/// The server that takes mail.
#[derive(Clone, Debug)]
pub struct SmtpUrl {
    host: String,
    port: u16,
    privacy: Privacy,
    login: Option<(String, Secret<String>)>,
}

impl SmtpUrl {
    /// The host and the port.
    pub fn server(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// Reads `smtps://user:password@host:465`, `smtp://host:587` (which has to offer `STARTTLS`, unless it is this
    /// machine), or `smtp://host:25?tls=none`.
    ///
    /// # Errors
    /// A sentence for the person who typed it, without the password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url =
            Url::parse(text.trim()).map_err(|_| "is not a URL such as smtp://user:password@mail.example.net:587")?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let here = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let none = match url.query() {
            None => here,
            Some("tls=none") => true,
            Some("tls=required") => false,
            Some(_) => {
                return Err("takes tls=none or tls=required behind its question mark, and nothing else".to_owned());
            }
        };
        let (privacy, port) = match (url.scheme(), none) {
            ("smtps", _) => (Privacy::Tls, 465),
            ("smtp", true) => (Privacy::None, 25),
            ("smtp", false) => (Privacy::StartTls, 587),
            _ => return Err("must start with smtp:// or smtps://".to_owned()),
        };
        let decoded =
            |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().map(|text| text.into_owned());
        let wrong = |_| "has a user name or password that is not UTF-8".to_owned();
        let login = match (decoded(url.username()).map_err(wrong)?, url.password()) {
            (user, _) if user.is_empty() => None,
            (user, password) => Some((user, Secret::new(decoded(password.unwrap_or_default()).map_err(wrong)?))),
        };
        if login.is_some() && privacy == Privacy::None && !here {
            return Err("would send its password in the clear: take tls=none or the password out".to_owned());
        }
        Ok(Self { host, port: url.port().unwrap_or(port), privacy, login })
    }
}

/// Sends mail.
#[derive(Clone)]
pub struct Mailer {
    server: Arc<SmtpUrl>,
    from: Mailbox,
    tls: smtp::Tls,
    turns: Arc<Semaphore>,
    /// How long a mail may take.
    timeout: Duration,
}

/// Reads the sender of mail: an address, or a name and an address.
///
/// # Errors
/// A sentence for the person who typed it.
pub fn sender(text: &str) -> Result<Mailbox, String> {
    text.trim()
        .parse()
        .map_err(|_| "is not an address such as muster@example.net or Muster <muster@example.net>".to_owned())
}

impl Mailer {
    /// Through this server, whose certificate is one of the web's authorities or of `more`.
    ///
    /// # Errors
    /// A certificate in `more` is not valid.
    pub fn new(server: SmtpUrl, from: Mailbox, more: &[CertificateDer<'static>]) -> Result<Self, rustls::Error> {
        let at_once = crate::egress::dial::trusting(more, &[])?;
        let mut started = TlsParameters::builder(server.host.clone()).certificate_store(CertificateStore::WebpkiRoots);
        let wrong = |error: lettre::transport::smtp::Error| rustls::Error::General(error.to_string());
        for certificate in more {
            started = started.add_root_certificate(Certificate::from_der(certificate.to_vec()).map_err(wrong)?);
        }
        let tls = smtp::Tls { at_once, started: started.build_rustls().map_err(wrong)? };
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        Ok(Self { server: Arc::new(server), from, tls, turns, timeout: LONGEST })
    }

    /// Sends a mail; `id` becomes its message id, so that a receiver recognizes a duplicate.
    pub async fn send(&self, id: &str, mail: &Mail, text: &str, now: Timestamp) -> Result<u16, SendError> {
        let written = self.written(id, mail, text, now)?;
        let late = || SendError::new("the mail server did not take the mail in time");
        let sending = async {
            let _turn = self.turns.acquire().await.map_err(|_| late())?;
            smtp::send(&self.server, &self.tls, &written).await
        };
        tokio::time::timeout(self.timeout, sending).await.unwrap_or_else(|_| Err(late()))
    }

    /// The server, such as `mail.example.net:587`.
    pub fn server(&self) -> String {
        let (host, port) = self.server.server();
        format!("{host}:{port}")
    }

    /// Connects as for a mail and sends none: the server has to greet, and to speak TLS where that is to be. Gives how
    /// the way is kept private. Blocks for at most five seconds.
    ///
    /// # Errors
    /// What kept a mail from being sent.
    pub fn greet(&self) -> Result<&'static str, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let greeted = async {
            let late = || SendError::new(format!("no greeting of a mail server within {} seconds", GREETING.as_secs()));
            let greeting = smtp::greet(&self.server, &self.tls);
            tokio::time::timeout(GREETING, greeting).await.unwrap_or_else(|_| Err(late()))
        };
        runtime.block_on(greeted).map_err(|error| error.why)?;
        Ok(match self.server.privacy {
            Privacy::Tls => "over TLS",
            Privacy::StartTls => "and TLS by STARTTLS",
            Privacy::None => "without TLS",
        })
    }

    /// The mail as it is sent.
    fn written(&self, id: &str, mail: &Mail, text: &str, now: Timestamp) -> Result<Message, SendError> {
        let wrong =
            |what: &str| SendError { for_good: true, ..SendError::new(format!("the mail cannot be written: {what}")) };
        let to = Mailbox::new(None, mail.to.parse().map_err(|_| wrong("its address is not valid"))?);
        let domain = self.from.email.domain();
        // A header is one line.
        let subject: String =
            mail.subject.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let at = UNIX_EPOCH + Duration::from_millis(now.millis().try_into().unwrap_or(0));
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(subject)
            .date(at)
            .message_id(Some(format!("<{id}@{domain}>")))
            .raw_header(header("Auto-Submitted", "auto-generated"))
            .raw_header(header("X-Muster-Id", id));
        if !mail.thread.is_empty() {
            let root = format!("<{}@{domain}>", mail.thread);
            message = message.in_reply_to(root.clone()).references(root);
        }
        let parts = MultiPart::alternative_plain_html(text.to_owned(), mail.html.clone());
        message.multipart(parts).map_err(|_| wrong("a part of it is missing"))
    }
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}
