//! Connections to others, kept between calls (HTTP/1.1): the pool of `hyper-util` over the guarded connector.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Uri, http::response};
use hyper_util::{
    client::legacy::{self, Client},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout_at},
};
use tower_service::Service;

use super::dial::{DialError, Dialler, Stream};

/// How long an idle connection is kept.
const KEPT: Duration = Duration::from_secs(30);

/// How many connections are kept in all.
const MOST: usize = 1_024;

type Body = Full<Bytes>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// There is no connection, or no head of an answer came.
    #[error(transparent)]
    Client(#[from] legacy::Error),
    /// No head of an answer came in time.
    #[error("no answer in time")]
    Late,
}

/// Why the body of an answer is not whole. Its head says all the same what became of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cut {
    /// It broke off.
    #[error("the answer ended before it was complete")]
    Broken,
    /// It took too long.
    #[error("the answer did not end in time")]
    Late,
}

/// An answer.
#[derive(Debug)]
pub struct Response {
    /// Its head.
    pub head: response::Parts,
    /// The start of its body.
    pub body: Vec<u8>,
    /// Why that ended before its end, and before as much was read as was asked for.
    pub cut: Option<Cut>,
}

/// Makes calls on connections that it keeps. One of them for each runtime: connections live where they were made.
pub struct Connections {
    client: Client<Connector, Body>,
}

/// Connects the pool by the dialler. `hyper-util` bounds idle connections of each host, not all of them: a connection
/// that finds no permit here serves one call and is closed after it.
#[derive(Clone)]
struct Connector {
    dialler: Dialler,
    permits: Arc<Semaphore>,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = DialError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), DialError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Self { dialler, permits } = self.clone();
        Box::pin(async move {
            let mut stream = dialler.dial(&to).await?;
            stream.permit = permits.try_acquire_owned().ok();
            Ok(TokioIo::new(stream))
        })
    }
}

impl Connections {
    /// Dials with `dialler`, and keeps so many connections to one peer.
    pub fn new(dialler: Dialler, most_to_one: usize) -> Self {
        Self::bounded(dialler, most_to_one, MOST, KEPT)
    }

    fn bounded(dialler: Dialler, most_to_one: usize, most: usize, kept: Duration) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(kept)
            .pool_max_idle_per_host(most_to_one)
            .build(Connector { dialler, permits: Arc::new(Semaphore::new(most)) });
        Self { client }
    }

    /// Sends a request and reads up to `most` bytes of the body of its answer, until `deadline`.
    pub async fn exchange(
        &self,
        request: Request<Body>,
        most: usize,
        deadline: Instant,
    ) -> Result<Response, ExchangeError> {
        let answered = timeout_at(deadline, self.client.request(request)).await;
        let (head, mut incoming) = answered.map_err(|_| ExchangeError::Late)??.into_parts();
        let mut body = Vec::new();
        let mut cut = None;
        while body.len() < most {
            match timeout_at(deadline, incoming.frame()).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        body.extend_from_slice(data.get(..data.len().min(most - body.len())).unwrap_or_default());
                    }
                }
                Ok(Some(Err(_))) => {
                    cut = Some(Cut::Broken);
                    break;
                }
                Err(_) => {
                    cut = Some(Cut::Late);
                    break;
                }
            }
        }
        Ok(Response { head, body, cut })
    }
}

#[cfg(test)]
mod tests;
