//! Spans and metrics, sent to the collector of the operator.

use std::time::Duration;

use api::metrics::MetricsReader;
use db::Db;
use otlp::{Exporter, Headers, Settings};

use crate::command_line::Telemetry;

/// How long a stop waits for the collector at least, and at most; in between it is the time of the drain.
const FLUSH: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// What sends spans and metrics, when there is a collector.
pub struct Sending(Option<Exporter>);

impl Telemetry {
    /// Starts to send, when there is a collector. The reader gives the metrics once the service runs.
    ///
    /// # Errors
    /// When a file of the options cannot be read or used.
    pub fn start(&self, metrics: MetricsReader) -> anyhow::Result<Sending> {
        let Some(endpoint) = &self.otlp_endpoint else { return Ok(Sending(None)) };
        let settings = Settings {
            endpoint: endpoint.clone(),
            headers: self.otlp_headers_file.as_deref().map(Headers::read).transpose()?.unwrap_or_default(),
            authority: self.otlp_ca.clone(),
            share: self.otlp_sample,
            metrics_every: self.otlp_metrics_every,
            version: env!("CARGO_PKG_VERSION"),
        };
        Ok(Sending(Some(Exporter::start(settings, move || metrics.text())?)))
    }
}

impl Sending {
    /// Counts what is dropped among the metrics of the service.
    pub fn count(&self, db: &Db) {
        if self.0.is_some() {
            let help = "Spans that the collector of OpenTelemetry did not take, or for which there was no room";
            #[expect(clippy::cast_precision_loss, reason = "2^53 spans are enough")]
            let dropped = || vec![(Vec::new(), traces::dropped() as f64)];
            db.add_family("traces_dropped_spans", help, true, dropped);
        }
    }

    /// Sends what waits, within the time of the drain.
    pub fn stop(self, drain: Duration) {
        let [least, most] = FLUSH;
        if let Some(exporter) = self.0 {
            exporter.stop(drain.clamp(least, most));
        }
    }
}
