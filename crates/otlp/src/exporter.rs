//! The thread that sends.

use std::{
    env,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant, SystemTime},
};

use opentelemetry_proto::tonic::resource::v1::Resource;
use traces::Span;

use crate::{
    collector::{CallError, Collector, Headers},
    metrics::{self, Times},
    resource, spans,
};

/// The most spans of one message, and how long the first of them waits for others.
const BATCH: usize = 512;
const DELAY: Duration = Duration::from_secs(1);

/// How long the thread waits before it looks whether something else is to be done.
const IDLE: Duration = Duration::from_millis(200);

/// How often a message is sent that the collector may take later, and the first pause between; each further one is
/// twice as long.
const ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Where spans and metrics go, and which.
pub struct Settings {
    /// The address of the collector ([`crate::check_endpoint`]).
    pub endpoint: String,
    /// Headers of each call.
    pub headers: Headers,
    /// A PEM file with a certificate to trust beside those of the system.
    pub authority: Option<PathBuf>,
    /// The share of the traces that begin here that are recorded, from 0 to 1.
    pub share: f64,
    /// How often metrics are sent; zero for never.
    pub metrics_every: Duration,
    /// The version of the program.
    pub version: &'static str,
}

/// Sends until it is stopped.
pub struct Exporter {
    stop: Arc<AtomicBool>,
    ended: Receiver<()>,
}

impl Exporter {
    /// Records spans from now on, and sends them; and metrics, which `read` gives in the text format of OpenMetrics.
    ///
    /// # Errors
    /// When a certificate or a header cannot be used, or the system has no further thread.
    pub fn start(settings: Settings, read: impl Fn() -> Option<String> + Send + 'static) -> anyhow::Result<Self> {
        let collector = Collector::new(&settings.endpoint, &settings.headers, settings.authority.as_deref())?;
        let [name, attributes] =
            ["OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"].map(|variable| env::var(variable).ok());
        let resource = resource::of_process(name.as_deref(), attributes.as_deref(), settings.version);
        let Some(queue) = traces::start(settings.share) else { anyhow::bail!("spans are recorded already") };
        let stop = Arc::new(AtomicBool::new(false));
        let (end, ended) = mpsc::channel();
        let mut work = Work {
            collector,
            resource,
            queue,
            batch: Vec::with_capacity(BATCH),
            stop: Arc::clone(&stop),
            is_failing: false,
            since_ns: now_ns(),
        };
        std::thread::Builder::new().name("otlp".to_owned()).spawn(move || {
            work.run(settings.metrics_every, &read);
            // Nobody may wait any more.
            let _ = end.send(());
        })?;
        Ok(Self { stop, ended })
    }

    /// Sends what waits, for so long at most.
    pub fn stop(self, within: Duration) {
        self.stop.store(true, Ordering::Relaxed);
        if self.ended.recv_timeout(within) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the collector of OpenTelemetry did not take the last spans in time");
        }
    }
}

/// What the thread has.
struct Work {
    collector: Collector,
    resource: Resource,
    queue: Receiver<Span>,
    batch: Vec<Span>,
    stop: Arc<AtomicBool>,
    /// Was the last call in vain?
    is_failing: bool,
    since_ns: u64,
}

impl Work {
    fn run(&mut self, metrics_every: Duration, read: &dyn Fn() -> Option<String>) {
        let mut first: Option<Instant> = None;
        let mut told = Instant::now();
        loop {
            let is_last = self.is_stopping();
            match self.queue.recv_timeout(if is_last { Duration::ZERO } else { IDLE }) {
                Ok(span) => {
                    first.get_or_insert_with(Instant::now);
                    self.batch.push(span);
                    let room = BATCH - self.batch.len();
                    self.batch.extend(self.queue.try_iter().take(room));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let is_due = first.is_some_and(|first| first.elapsed() >= DELAY);
            let has_spans = self.batch.len() >= BATCH || is_due || (is_last && !self.batch.is_empty());
            if has_spans {
                self.send_spans();
                first = None;
            }
            let is_end = is_last && !has_spans;
            // Also while there is always another batch: a collector that is slow costs spans alone.
            if !metrics_every.is_zero() && (is_end || told.elapsed() >= metrics_every) {
                told = Instant::now();
                self.send_metrics(read);
            }
            if is_end {
                return;
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sends the batch; what the collector does not take is dropped.
    fn send_spans(&mut self) {
        let message = spans::message(&self.resource, &self.batch);
        let count = self.batch.len() as u64;
        self.batch.clear();
        match self.send(spans::PATH, &message) {
            Some(answer) => {
                if let Some((rejected, error)) = spans::rejected(&answer) {
                    traces::count_dropped(rejected);
                    tracing::warn!(error, rejected, "the collector of OpenTelemetry refused spans");
                }
            }
            None => traces::count_dropped(count),
        }
    }

    fn send_metrics(&mut self, read: &dyn Fn() -> Option<String>) {
        let Some(text) = read() else { return };
        let times = Times { since_ns: self.since_ns, now_ns: now_ns() };
        let message = metrics::message(&self.resource, &text, times);
        // Those of the next time count as much.
        let sent = self.collector.send(metrics::PATH, message);
        self.note(sent.as_ref().err());
    }

    /// Sends a message, some times when the collector may take it later; answers what was answered.
    fn send(&mut self, path: &str, message: &[u8]) -> Option<Vec<u8>> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1..=ATTEMPTS {
            let sent = self.collector.send(path, message.to_vec());
            self.note(sent.as_ref().err());
            match sent {
                Ok(answer) => return Some(answer),
                Err(error) if !error.is_passing || attempt == ATTEMPTS => return None,
                Err(_) => {}
            }
            let begun = Instant::now();
            while begun.elapsed() < pause {
                if self.is_stopping() {
                    return None;
                }
                std::thread::sleep(IDLE);
            }
            pause *= 2;
        }
        None
    }

    /// Says once that the collector takes nothing, and once that it does again.
    fn note(&mut self, error: Option<&CallError>) {
        match error {
            Some(error) if !self.is_failing => {
                let why = &error.why;
                tracing::warn!(why, "the collector of OpenTelemetry takes nothing; what has no room is dropped");
            }
            None if self.is_failing => {
                let dropped = traces::dropped();
                tracing::info!(dropped, "the collector of OpenTelemetry takes spans and metrics again");
            }
            _ => {}
        }
        self.is_failing = error.is_some();
    }
}

#[expect(clippy::disallowed_methods, reason = "metrics tell nanoseconds, and decide nothing")]
fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
