//! What sends while the service runs, when there is a collector.

use std::time::Duration;

use crate::exporter::{Exporter, Settings};

/// How long a stop waits for the collector at least, and at most; in between it is the time of the drain.
const FLUSH: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// The name and help of the metric of [`Sending::dropped`].
pub const DROPPED: [&str; 2] =
    ["traces_dropped_spans", "Spans that the collector of OpenTelemetry did not take, or for which there was no room"];

/// What sends spans and metrics; nothing where there is no collector.
pub struct Sending(Option<Exporter>);

impl Sending {
    /// Starts to send, when there is a collector. `read` gives the metrics in the text format of OpenMetrics.
    ///
    /// # Errors
    /// When a file of the settings cannot be used.
    pub fn start(
        settings: Option<Settings>,
        read: impl Fn() -> Option<String> + Send + 'static,
    ) -> anyhow::Result<Self> {
        Ok(Self(settings.map(|settings| Exporter::start(settings, read)).transpose()?))
    }

    /// Is there a collector?
    pub const fn has_collector(&self) -> bool {
        self.0.is_some()
    }

    /// How many spans were dropped so far.
    #[expect(clippy::cast_precision_loss, reason = "2^53 spans are enough")]
    pub fn dropped() -> f64 {
        traces::dropped() as f64
    }

    /// Sends what waits, within the time of the drain.
    pub fn stop(self, drain: Duration) {
        let [least, most] = FLUSH;
        if let Some(exporter) = self.0 {
            exporter.stop(drain.clamp(least, most));
        }
    }
}
