//! Connections to others, kept between calls (HTTP/1.1).
//!
//! A connection is driven by the task whose call it carries, and by nobody while it is idle: a call needs no second
//! task, and nothing is handed from one to the other.

use std::{
    collections::HashMap,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Uri,
    client::conn::http1::{self, SendRequest},
    header::{HOST, HeaderValue},
    http::{response, uri::Authority},
};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, sleep};

use super::dial::{DialError, Dialler, Stream};

/// How long a connection is kept that nobody uses, and how often those that are not to be kept are looked for.
const KEPT: Duration = Duration::from_secs(30);
const SWEEP: Duration = Duration::from_secs(5);

/// How many are kept in all.
const MOST: usize = 1_024;

type Body = Full<Bytes>;
type Driver = http1::Connection<TokioIo<Stream>, Body>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// There is no connection.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// The answer did not come.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The answer began, and did not end.
    #[error("the answer ended before it was complete")]
    Incomplete,
    /// The URL has no host, or one that no header can carry.
    #[error("the URL cannot be called")]
    NoHost,
}

/// The head of an answer, and the start of its body.
pub type Exchanged = (response::Parts, Vec<u8>);

/// Makes calls on connections that it keeps. One of them for each runtime: connections live where they were made.
pub struct Connections {
    dialler: Dialler,
    idle: Arc<Idle>,
    most_to_one: usize,
}

/// Whom a connection leads to: with TLS or without, and to where.
type Peer = (bool, Authority);

#[derive(Default)]
struct Idle(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    by_peer: HashMap<Peer, Vec<(Open, Instant)>>,
    count: usize,
    /// Somebody looks for those that are not to be kept.
    swept: bool,
}

/// A connection.
struct Open {
    sender: SendRequest<Body>,
    /// What reads and writes; nothing when it has ended.
    driver: Option<Pin<Box<Driver>>>,
}

/// A call without an answer; the request, when nothing of it was sent.
struct Unanswered {
    error: ExchangeError,
    unsent: Option<Request<Body>>,
}

impl Connections {
    /// Dials with `dialler`, and keeps so many connections to one peer.
    pub fn new(dialler: Dialler, most_to_one: usize) -> Self {
        Self { dialler, idle: Arc::default(), most_to_one }
    }

    /// Sends a request and reads up to `most` bytes of the body of its answer. How long that may take is for the caller
    /// to bound.
    pub async fn exchange(&self, mut request: Request<Body>, most: usize) -> Result<Exchanged, ExchangeError> {
        let to = std::mem::take(request.uri_mut());
        let peer = address(&mut request, &to)?;
        loop {
            let (mut open, is_new) = match self.idle.take(&peer) {
                Some(open) => (open, false),
                // In a box: it is large, and most calls do without.
                None => (Box::pin(Open::to(&self.dialler, &to)).await?, true),
            };
            match open.exchange(request, most).await {
                Ok((answer, is_whole)) => {
                    if is_whole && open.is_ready().await {
                        self.idle.keep(peer, open, self.most_to_one);
                    }
                    return Ok(answer);
                }
                // The other side closed it while nobody used it.
                Err(Unanswered { unsent: Some(unsent), .. }) if !is_new => request = unsent,
                Err(Unanswered { error, .. }) => return Err(error),
            }
        }
    }
}

/// Addresses a request as it is written: the path in the first line, the host in a header. Answers whom it goes to.
fn address(request: &mut Request<Body>, to: &Uri) -> Result<Peer, ExchangeError> {
    let authority = to.authority().ok_or(ExchangeError::NoHost)?;
    let is_secure = to.scheme_str() == Some("https");
    let host = match authority.port_u16() {
        Some(port) if port != if is_secure { 443 } else { 80 } => format!("{}:{port}", authority.host()),
        _ => authority.host().to_owned(),
    };
    if !request.headers().contains_key(HOST) {
        let host = HeaderValue::from_str(&host).map_err(|_| ExchangeError::NoHost)?;
        request.headers_mut().insert(HOST, host);
    }
    if let Some(path) = to.path_and_query() {
        *request.uri_mut() = Uri::from(path.clone());
    }
    Ok((is_secure, authority.clone()))
}

impl Open {
    async fn to(dialler: &Dialler, to: &Uri) -> Result<Self, ExchangeError> {
        let (sender, driver) = http1::handshake(TokioIo::new(dialler.dial(to).await?)).await?;
        Ok(Self { sender, driver: Some(Box::pin(driver)) })
    }

    /// Sends a request and reads its answer; says with it whether it was read to its end.
    async fn exchange(&mut self, request: Request<Body>, most: usize) -> Result<(Exchanged, bool), Unanswered> {
        let Self { sender, driver } = self;
        let sent = sender.try_send_request(request);
        drive(driver, async {
            let answered = sent.await.map_err(|mut failed| {
                let unsent = failed.take_message();
                Unanswered { error: failed.into_error().into(), unsent }
            });
            let (head, mut body) = answered?.into_parts();
            let mut start = Vec::new();
            while start.len() < most {
                let Some(frame) = body.frame().await else { return Ok(((head, start), true)) };
                let frame = frame.map_err(|_| Unanswered { error: ExchangeError::Incomplete, unsent: None })?;
                if let Ok(data) = frame.into_data() {
                    start.extend_from_slice(data.get(..data.len().min(most - start.len())).unwrap_or_default());
                }
            }
            Ok(((head, start), false))
        })
        .await
    }

    /// Can it carry another request, as far as is known by now?
    async fn is_ready(&mut self) -> bool {
        poll_fn(|context| Poll::Ready(self.poll_ready(context))).await
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> bool {
        poll(&mut self.driver, context);
        matches!(self.sender.poll_ready(context), Poll::Ready(Ok(())))
    }
}

/// Waits for what a connection brings, and drives it meanwhile.
async fn drive<F: Future>(driver: &mut Option<Pin<Box<Driver>>>, awaited: F) -> F::Output {
    let mut awaited = pin!(awaited);
    poll_fn(|context| {
        poll(driver, context);
        awaited.as_mut().poll(context)
    })
    .await
}

/// Reads and writes what can be; how it ended is told to whoever waits for an answer.
fn poll(driver: &mut Option<Pin<Box<Driver>>>, context: &mut Context<'_>) {
    if driver.as_mut().is_some_and(|driver| driver.as_mut().poll(context).is_ready()) {
        *driver = None;
    }
}

impl Idle {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to this peer that was used last.
    fn take(&self, peer: &Peer) -> Option<Open> {
        let mut shelf = self.shelf();
        let (open, _) = shelf.by_peer.get_mut(peer)?.pop()?;
        shelf.count -= 1;
        Some(open)
    }

    fn keep(self: &Arc<Self>, peer: Peer, open: Open, most_to_one: usize) {
        let mut shelf = self.shelf();
        let Shelf { by_peer, count, swept } = &mut *shelf;
        let to_one = by_peer.entry(peer).or_default();
        if to_one.len() >= most_to_one || *count >= MOST {
            return;
        }
        to_one.push((open, Instant::now()));
        *count += 1;
        if !std::mem::replace(swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes what was idle for too long, or was closed at the other end; says whether there is anything left.
    fn close_old(&self, now: Instant) -> bool {
        let mut shelf = self.shelf();
        let mut context = Context::from_waker(Waker::noop());
        for kept in shelf.by_peer.values_mut() {
            kept.retain_mut(|(open, since)| now - *since < KEPT && open.poll_ready(&mut context));
        }
        shelf.by_peer.retain(|_, kept| !kept.is_empty());
        shelf.count = shelf.by_peer.values().map(Vec::len).sum();
        shelf.swept = shelf.count > 0;
        shelf.swept
    }
}

/// Closes what is not to be kept, as long as there is anything.
async fn sweep(idle: Weak<Idle>) {
    loop {
        sleep(SWEEP).await;
        let Some(idle) = idle.upgrade() else { return };
        if !idle.close_old(Instant::now()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
