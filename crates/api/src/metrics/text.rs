//! The metrics as text.

use std::{
    fmt::{self, Debug, Error},
    sync::{Arc, atomic::AtomicU64, atomic::Ordering},
};

use db::{Family, GROUP_SIZES};
use prometheus_client::{
    collector::Collector,
    encoding::{
        DescriptorEncoder, MetricEncoder, NoLabelSet,
        text::{encode_eof, encode_registry},
    },
    metrics::MetricType,
    registry::Registry,
};

use super::{BUCKETS, Counters, Metrics, Route, RouteCounters, process};
use crate::shed::Reason;

type WriteResult = Result<(), Error>;

impl Metrics {
    /// All numbers, now, in the OpenMetrics text format.
    pub fn text(self: &Arc<Self>) -> Result<String, Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(self)));
        let mut text = String::new();
        encode_registry(&mut text, &registry)?;
        encode_eof(&mut text)?;
        Ok(text)
    }

    fn requests(&self, out: &mut DescriptorEncoder<'_>) -> WriteResult {
        let workers = base::lock(&self.workers).clone();
        let other = Route { method: actix_web::http::Method::OPTIONS, pattern: "other".to_owned() };
        // Method and route of everything that was asked for at least once, with the sum of all workers.
        let called: Vec<_> = std::iter::once(&other)
            .chain(&self.routes)
            .enumerate()
            .map(|(number, route)| (route, Totals::of(&workers, number)))
            .filter(|(_, totals)| totals.count() > 0)
            .collect();
        let labels = |route: &Route| {
            let method = if route.pattern == other.pattern { "any" } else { route.method.as_str() };
            [("method", method.to_owned()), ("route", route.pattern.clone())]
        };

        let help = "Answered requests, by operation and first digit of the status";
        let mut counts = out.encode_descriptor("muster_http_requests", help, None, MetricType::Counter)?;
        for (route, totals) in &called {
            for (class, count) in ["1xx", "2xx", "3xx", "4xx", "5xx"].into_iter().zip(totals.statuses) {
                if count > 0 {
                    let [method, pattern] = labels(route);
                    let labels = [method, pattern, ("status", class.to_owned())];
                    count_of(counts.encode_family(&labels)?, count)?;
                }
            }
        }
        let help = "Time until the answer began, by operation";
        let name = "muster_http_request_duration_seconds";
        let mut times = out.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for (route, totals) in &called {
            let seconds = float(totals.microseconds) / 1e6;
            let bounds = BUCKETS.iter().map(|bound| float(*bound) / 1e6);
            histogram(times.encode_family(&labels(route))?, seconds, bounds, &totals.buckets)?;
        }
        Ok(())
    }

    fn load(&self, out: &mut DescriptorEncoder<'_>) -> WriteResult {
        let now = self.gate.under_way();
        gauge(out, "muster_http_requests_in_flight", "Requests that are worked on", now.requests as u64)?;
        gauge(out, "muster_http_bodies_in_flight", "Requests whose body is awaited", now.bodies as u64)?;
        let help = "Answers of more than 16 KiB that are being sent";
        gauge(out, "muster_http_answers_in_flight", help, now.answers as u64)?;
        let help = "Bytes that connections, bodies and answers hold in memory";
        gauge(out, "muster_http_memory_bytes", help, now.memory as u64)?;
        gauge(out, "muster_http_streams_in_flight", "Lists that are streamed", now.streams as u64)?;
        gauge(out, "muster_http_connections", "Open connections of clients", self.connections.count() as u64)?;

        let help = "Requests that were refused with 503 because too much was under way, by what there was too much of";
        let mut shed = out.encode_descriptor("muster_http_requests_shed", help, None, MetricType::Counter)?;
        for reason in Reason::ALL {
            count_of(shed.encode_family(&[("reason", reason.as_str())])?, self.gate.shed(reason))?;
        }
        let help = "Requests that were refused with 429 because their key had sent too many";
        let throttled = self.keys.as_ref().map_or(0, |keys| keys.throttled());
        count_of(out.encode_descriptor("muster_http_requests_throttled", help, None, MetricType::Counter)?, throttled)
    }

    fn database(&self, out: &mut DescriptorEncoder<'_>) -> WriteResult {
        let numbers = self.db.numbers();
        let help = "Connections of the pool to the database";
        let mut connections = out.encode_descriptor("muster_db_connections", help, None, MetricType::Gauge)?;
        let in_use = numbers.connections.saturating_sub(numbers.idle);
        connections.encode_family(&[("state", "in_use")])?.encode_gauge(&in_use)?;
        connections.encode_family(&[("state", "idle")])?.encode_gauge(&numbers.idle)?;
        gauge(out, "muster_db_connections_max", "How many connections the pool may open", numbers.most.into())?;
        let help = "Calls that wait for a connection of the pool or run on one";
        gauge(out, "muster_db_calls_in_flight", help, numbers.calls as u64)?;
        if let Some(writes) = numbers.writes {
            gauge(out, "muster_db_writer_queue", "Writes that wait for the one writer of SQLite", writes.waiting)?;
            let help = "Writes that shared one commit of SQLite";
            let sizes = out.encode_descriptor("muster_db_commit_writes", help, None, MetricType::Histogram)?;
            let bounds = GROUP_SIZES.iter().map(|bound| float(*bound));
            histogram(sizes, float(writes.committed), bounds, &writes.group_sizes)?;
        }
        for (name, help, value) in self.db.gauges() {
            let name = format!("muster_{name}");
            out.encode_descriptor(&name, help, None, MetricType::Gauge)?.encode_gauge(&value)?;
        }
        for Family { name, help, is_counter, values } in self.db.families() {
            let kind = if is_counter { MetricType::Counter } else { MetricType::Gauge };
            let name = format!("muster_{name}");
            let mut family = out.encode_descriptor(&name, help, None, kind)?;
            for (labels, value) in values {
                let mut one = family.encode_family(&labels)?;
                if is_counter {
                    one.encode_counter::<NoLabelSet, f64, f64>(&value, None)?;
                } else {
                    one.encode_gauge(&value)?;
                }
            }
        }
        Ok(())
    }

    fn process(&self, out: &mut DescriptorEncoder<'_>) -> WriteResult {
        let help = "The running program";
        let labels = [
            ("version", env!("CARGO_PKG_VERSION")),
            (
                "database",
                match self.db.backend() {
                    db::Backend::Sqlite => "sqlite",
                    db::Backend::Postgres => "postgres",
                },
            ),
        ];
        out.encode_descriptor("muster_build", help, None, MetricType::Info)?.encode_info(&labels)?;
        let help = "When the process started, in seconds since 1970";
        let name = "process_start_time_seconds";
        out.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&self.started)?;
        for (name, help, value) in [
            ("process_resident_memory_bytes", "Resident memory", process::resident_bytes()),
            ("process_open_fds", "Open files and sockets", process::open_files()),
            ("process_max_fds", "How many files and sockets may be open", process::most_open_files()),
        ] {
            if let Some(value) = value {
                gauge(out, name, help, value)?;
            }
        }
        if let Some(seconds) = process::cpu_seconds() {
            let help = "Processor time that was used";
            let mut cpu = out.encode_descriptor("process_cpu_seconds", help, None, MetricType::Counter)?;
            cpu.encode_counter::<NoLabelSet, f64, f64>(&seconds, None)?;
        }
        Ok(())
    }
}

impl Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Collector for Metrics {
    fn encode(&self, mut out: DescriptorEncoder<'_>) -> WriteResult {
        self.requests(&mut out)?;
        self.load(&mut out)?;
        self.database(&mut out)?;
        self.process(&mut out)
    }
}

/// The sums of all workers for one route.
struct Totals {
    statuses: [u64; 5],
    buckets: [u64; BUCKETS.len() + 1],
    microseconds: u64,
}

impl Totals {
    fn of(workers: &[Arc<Counters>], number: usize) -> Self {
        let counters: Vec<&RouteCounters> = workers.iter().filter_map(|worker| worker.0.get(number)).collect();
        let sum = |pick: &dyn Fn(&RouteCounters) -> Option<&AtomicU64>| -> u64 {
            counters.iter().filter_map(|counters| pick(counters)).map(|counter| counter.load(Ordering::Relaxed)).sum()
        };
        Self {
            statuses: std::array::from_fn(|class| sum(&|counters| counters.statuses.get(class))),
            buckets: std::array::from_fn(|bucket| sum(&|counters| counters.buckets.get(bucket))),
            microseconds: sum(&|counters| Some(&counters.microseconds)),
        }
    }

    fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

fn gauge(out: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> WriteResult {
    out.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}

fn count_of(mut encoder: MetricEncoder<'_>, count: u64) -> WriteResult {
    encoder.encode_counter::<NoLabelSet, u64, f64>(&count, None)
}

/// A histogram of counts by upper bound, the last of them without one.
fn histogram(
    mut encoder: MetricEncoder<'_>,
    sum: f64,
    bounds: impl Iterator<Item = f64>,
    counts: &[u64],
) -> WriteResult {
    let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(counts.iter().copied()).collect();
    encoder.encode_histogram::<NoLabelSet>(sum, counts.iter().sum(), &buckets, None)
}

#[expect(clippy::cast_precision_loss, reason = "a sum of 2^53 microseconds is 285 years")]
fn float(number: u64) -> f64 {
    number as f64
}
