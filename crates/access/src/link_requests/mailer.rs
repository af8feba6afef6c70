//! The thread that takes requests for links out of the queue, makes the links and mails them.
//!
//! Requests are looked at in the order in which they came; each client address has a few of them at most
//! (`throttle.rs`). Whether an address may have a mail is decided in the transaction that makes its links, so that of
//! several gateways one sends.

use std::{collections::BTreeMap, sync::Arc, thread::JoinHandle, time::Duration};

use base::timestamp::Timestamp;
use db::Db;
use outbox::{Actor, Tx};
use ports::{Outgoing, Recipient as Destination, Sends};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::{
    queue::{self, LinkQueue, QueuedRequest},
    rules::{self, MailedLink, Recipient},
    store,
};
use crate::{mailbox::Mailbox, secrets, sessions};

/// How many mails are on their way or wait for another attempt; further requests wait in the queue.
const IN_HAND: u32 = 256;

/// How many mails are handed over at once: pages go through the same server.
const AT_ONCE: usize = 2;

/// How many threads wait for the database and for names to resolve.
const THREADS: usize = 8;

/// How long a service that stops waits for mails that are on their way.
const GRACE: Duration = Duration::from_secs(2);

/// A running mailer of links; stops when dropped.
pub struct LinkMailer {
    queue: LinkQueue,
    sends_mail: bool,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

struct MailerState {
    db: Db,
    sends: Arc<dyn Sends>,
    /// Where links lead; never what a request says of itself.
    public_url: Option<String>,
    clock: fn() -> Timestamp,
    in_hand: Arc<Semaphore>,
    at_once: Semaphore,
}

/// The links of one mail.
struct LinkMail {
    links: Vec<MailedLink>,
    /// The id of the address.
    address: String,
    asked_ms: i64,
}

impl LinkMailer {
    /// Starts one. Links lead to `public_url`; without it, and without a mail server, none is made.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(
        db: Db,
        sends: Arc<dyn Sends>,
        public_url: Option<String>,
        clock: fn() -> Timestamp,
    ) -> std::io::Result<Self> {
        let (queue, mut requests) = queue::new();
        let stop = Arc::new(Notify::new());
        let sends_mail = sends.has_mail() && public_url.is_some();
        let in_hand = Arc::new(Semaphore::new(IN_HAND as usize));
        let at_once = Semaphore::new(AT_ONCE);
        let work = Arc::new(MailerState { db, sends, public_url, clock, in_hand, at_once });
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("sign-in-links".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let serve_all = async {
                    while let Some(request) = requests.recv().await {
                        work.serve(request).await;
                    }
                };
                tokio::select! {
                    () = stopped.notified() => {}
                    () = serve_all => {}
                }
                drop(tokio::time::timeout(GRACE, work.in_hand.acquire_many(IN_HAND)).await);
            });
            runtime.shutdown_background();
        })?;
        Ok(Self { queue, sends_mail, stop, thread: Some(thread) })
    }

    /// Where requests are put.
    pub fn queue(&self) -> LinkQueue {
        self.queue.clone()
    }

    /// Are links mailed at all?
    pub fn sends_mail(&self) -> bool {
        self.sends_mail
    }
}

impl Drop for LinkMailer {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl MailerState {
    /// Makes the links that a request asks for, and begins to send them.
    async fn serve(self: &Arc<Self>, QueuedRequest { request, request_id }: QueuedRequest) {
        let Some(origin) = self.public_url.as_ref().filter(|_| self.sends.has_mail()) else {
            tracing::warn!(
                request_id,
                "a sign-in link was asked for, and none is mailed: set --smtp-url, --smtp-from and --public-url"
            );
            return;
        };
        let Some(mailbox) = Mailbox::parse(&request.email) else { return };
        match self.make_links(mailbox, origin.trim_end_matches('/'), &request_id).await {
            Ok(mails) => {
                for mail in mails {
                    let Ok(permit) = Arc::clone(&self.in_hand).acquire_owned().await else { return };
                    tokio::spawn(Arc::clone(self).send(mail, request_id.clone(), permit));
                }
            }
            Err(error) => tracing::warn!(%error, request_id, "making a sign-in link that was asked for"),
        }
    }

    /// The mails for a mailbox: none when nobody has it, or when it has had one within the hour.
    async fn make_links(&self, mailbox: Mailbox, origin: &str, request_id: &str) -> db::Result<Vec<LinkMail>> {
        let candidate = mailbox.clone();
        let found = self.db.read(move |conn| store::recipients(conn, &candidate)).await?;
        let recipients = rules::choose(found);
        if recipients.is_empty() {
            return Ok(Vec::new());
        }
        let now = (self.clock)();
        let actor = Actor { request_id: request_id.to_owned(), ..Actor::service("sign-in-links") };
        let address = store::id_of(&mailbox);
        let id = address.clone();
        let origin = origin.to_owned();
        let made = self.db.write(move |conn| {
            Tx::run(conn, &actor, now, |tx| {
                let tenants = tenants_of(&recipients);
                if !store::begin_pause(tx.conn, &id, &tenants, now, now.millis() + rules::SENDING_MS)? {
                    return Ok(Vec::new());
                }
                let mut links = Vec::new();
                for recipient in &recipients {
                    match tx.attempt(|tx| make_link(tx, recipient, &mailbox, &origin)) {
                        Ok(link) => links.extend(link),
                        Err(error @ db::Error::Unavailable(_)) => return Err(error),
                        Err(error) => {
                            tracing::error!(%error, tenant = recipient.tenant_id, "a sign-in link is not made");
                        }
                    }
                }
                Ok(links)
            })
        });
        // One for each spelling of the address: a server may deliver them to different people.
        let mut by_spelling: BTreeMap<String, Vec<MailedLink>> = BTreeMap::new();
        for link in made.await? {
            by_spelling.entry(link.recipient.email.clone()).or_default().push(link);
        }
        let mail = |links| LinkMail { links, address: address.clone(), asked_ms: now.millis() };
        Ok(by_spelling.into_values().map(mail).collect())
    }

    /// Hands a mail to the server, in several attempts.
    async fn send(self: Arc<Self>, mail: LinkMail, request_id: String, _permit: OwnedSemaphorePermit) {
        let Some(first) = mail.links.first() else { return };
        let (to, body) = rules::mail(&mail.links);
        let outgoing = Outgoing { id: first.id.clone(), to: Destination::Mail(to), body };
        for wait in rules::ATTEMPTS {
            tokio::time::sleep(Duration::from_secs(wait)).await;
            let Ok(_turn) = self.at_once.acquire().await else { return };
            match self.sends.send(outgoing.clone(), (self.clock)()).await {
                Ok(_) => return self.note(mail).await,
                Err(error) => {
                    tracing::warn!(request_id, why = error.why, "a sign-in link was not mailed");
                    if error.for_good {
                        return;
                    }
                }
            }
        }
    }

    /// Notes that a mail was sent: the address gets no other one within the hour.
    async fn note(&self, LinkMail { links, address, asked_ms }: LinkMail) {
        let noted = self.db.write(move |conn| {
            let recipients: Vec<Recipient> = links.into_iter().map(|link| link.recipient).collect();
            store::extend_pause(conn, &address, &tenants_of(&recipients), asked_ms + rules::PAUSE_MS)
        });
        if let Err(error) = noted.await {
            tracing::warn!(%error, "noting that a sign-in link was mailed");
        }
    }
}

/// The tenants of users, each once, in their order.
fn tenants_of(users: &[Recipient]) -> Vec<String> {
    let mut tenants: Vec<String> = users.iter().map(|user| user.tenant_id.clone()).collect();
    tenants.sort_unstable();
    tenants.dedup();
    tenants
}

/// A link of a user; `None` when somebody has changed the user meanwhile.
fn make_link(tx: &mut Tx<'_>, user: &Recipient, mailbox: &Mailbox, origin: &str) -> db::Result<Option<MailedLink>> {
    if !store::is_unchanged(tx.conn, user, mailbox)? {
        return Ok(None);
    }
    let code = secrets::random()?;
    let link = sessions::http::new_link(tx, (&user.tenant_id, &user.user_id), &code, "", tx.now)?;
    Ok(Some(MailedLink { id: link.id, recipient: user.clone(), url: sessions::rules::url(origin, &code) }))
}
