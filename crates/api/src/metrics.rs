//! What the service counts, for Prometheus: at `/metrics`, in the OpenMetrics text format or in that of Prometheus.
//!
//! No number is told by tenant, key or address: only by operation. Each worker thread counts for itself, so that
//! counting costs a few additions; the numbers are added up when they are asked for.

mod format;
mod process;
mod text;

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode, header},
    web,
};
use base::problem::Problem;
use db::Db;

use self::format::Format;
use crate::{Result, limits::Keys, shed::LoadGate};

/// The upper bounds of the latency buckets, in microseconds.
const BUCKETS: [u64; 14] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000,
];

/// Who may read the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exposure {
    /// Processes of this machine that connect directly: no request that a proxy handed on.
    #[default]
    Loopback,
    /// Nobody: behind a proxy every request comes from this machine.
    Nobody,
    /// Everybody who can connect.
    Public,
}

/// An operation whose requests are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Its method.
    pub method: Method,
    /// Its path, with `{names}` for what differs.
    pub pattern: String,
}

/// What one worker thread counts.
#[derive(Debug)]
pub struct Counters(Box<[RouteCounters]>);

#[derive(Debug, Default)]
struct RouteCounters {
    /// Answers by the first digit of their status.
    statuses: [AtomicU64; 5],
    /// Answers by the time they took; the last bucket has no bound.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    microseconds: AtomicU64,
}

impl Counters {
    /// Counts an answer of a route, 0 for one that is none of the operations.
    pub fn answered(&self, route: usize, status: StatusCode, took: Duration) {
        let Some(counters) = self.0.get(route).or_else(|| self.0.first()) else { return };
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        let microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.partition_point(|bound| *bound < microseconds);
        let increment = |counter: Option<&AtomicU64>| counter.map(|counter| counter.fetch_add(1, Ordering::Relaxed));
        increment(counters.statuses.get(class));
        increment(counters.buckets.get(bucket));
        counters.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }
}

/// Connections of clients that are open.
#[derive(Debug, Default)]
pub struct Connections(AtomicUsize);

impl Connections {
    /// Counts one until what this answers is dropped.
    pub fn open(self: &Arc<Self>) -> Connection {
        self.0.fetch_add(1, Ordering::Relaxed);
        Connection(Arc::clone(self))
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// One open connection of a client.
#[derive(Debug)]
pub struct Connection(Arc<Connections>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All there is to tell about one process.
pub struct Metrics {
    /// Who may read them.
    pub exposure: Exposure,
    /// The counted operations; the first stands for everything else.
    routes: Vec<Route>,
    workers: Mutex<Vec<Arc<Counters>>>,
    gate: Arc<LoadGate>,
    keys: Option<Arc<Keys>>,
    connections: Arc<Connections>,
    db: Db,
    started: f64,
}

impl Metrics {
    /// Of a process that starts now. `routes` are numbered from 1.
    pub fn new(exposure: Exposure, routes: Vec<Route>, gate: Arc<LoadGate>, keys: Option<Arc<Keys>>, db: Db) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit for 200,000 years")]
        let started = crate::clock::now().millis() as f64 / 1000.0;
        let workers = Default::default();
        let connections = Default::default();
        Self { exposure, routes, workers, gate, keys, connections, db, started }
    }

    /// The counters of a new worker thread.
    pub fn worker(&self) -> Arc<Counters> {
        let counters = Arc::new(Counters((0..=self.routes.len()).map(|_| RouteCounters::default()).collect()));
        base::lock(&self.workers).push(Arc::clone(&counters));
        counters
    }

    /// The open connections of clients.
    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// May this request read them?
    fn is_visible_to(&self, request: &HttpRequest) -> bool {
        const PROXY_HEADERS: [&str; 5] = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via"];
        match self.exposure {
            Exposure::Public => true,
            Exposure::Nobody => false,
            Exposure::Loopback => {
                let here = request.peer_addr().is_some_and(|peer| is_loopback(peer.ip()));
                here && !PROXY_HEADERS.iter().any(|name| request.headers().contains_key(*name))
            }
        }
    }
}

/// Reads the metrics of a server from within its process, once it runs.
#[derive(Clone, Debug, Default)]
pub struct MetricsReader(Arc<OnceLock<Arc<Metrics>>>);

impl MetricsReader {
    /// The metrics of a server that begins to run.
    pub(crate) fn read_from(&self, metrics: Arc<Metrics>) {
        let _ = self.0.set(metrics);
    }

    /// All numbers, now, in the OpenMetrics text format; `None` before the server runs.
    pub fn text(&self) -> Option<String> {
        self.0.get()?.text().ok()
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// `GET /metrics`.
pub(crate) async fn show(request: HttpRequest, metrics: web::Data<Metrics>) -> Result<HttpResponse> {
    if !metrics.is_visible_to(&request) {
        let detail = "Metrics are for processes of the same machine. --metrics-public opens them to all.";
        return Err(Problem::forbidden(detail).into());
    }
    let text = metrics.text().map_err(|error| db::Error::Fault(format!("encoding metrics: {error}")))?;
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let format = Format::accepted(accept);
    Ok(HttpResponse::Ok()
        .content_type(format.content_type())
        .insert_header((header::VARY, "Accept"))
        .body(format.write(text)))
}

#[cfg(test)]
mod tests;
