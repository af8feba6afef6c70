//! Where spans and metrics are sent.

use std::{path::PathBuf, time::Duration};

use api::tls::authorities;
use clap::Args;
use config::values::{pause, share};

/// A collector of OpenTelemetry.
#[derive(Args, Clone)]
pub struct Telemetry {
    /// Send traces and metrics by OTLP over HTTP to the collector at this address, such as http://127.0.0.1:4318
    #[arg(long, env = "MUSTER_OTLP_ENDPOINT", value_name = "URL", value_parser = otlp::check_endpoint)]
    pub otlp_endpoint: Option<String>,
    /// The file with headers for the collector, each on a line, such as Authorization: Basic …
    #[arg(long, env = "MUSTER_OTLP_HEADERS_FILE", value_name = "FILE", requires = "otlp_endpoint")]
    pub otlp_headers_file: Option<PathBuf>,
    /// Trust the authorities in this PEM file too, when the collector is called
    #[arg(long, env = "MUSTER_OTLP_CA", value_name = "FILE", requires = "otlp_endpoint")]
    pub otlp_ca: Option<PathBuf>,
    /// The share of requests that are traced, from 0 to 1; a caller's own trace is taken up as its traceparent says
    #[arg(long, env = "MUSTER_OTLP_SAMPLE", value_name = "SHARE", default_value = "1", value_parser = share)]
    pub otlp_sample: f64,
    /// How often metrics are sent to the collector, from 1s; 0s for never
    #[arg(long, env = "MUSTER_OTLP_METRICS_EVERY", value_name = "TIME", default_value = "60s", value_parser = pause)]
    pub otlp_metrics_every: Duration,
}

impl Telemetry {
    /// Where spans and metrics go, when there is a collector.
    pub fn settings(&self) -> anyhow::Result<Option<otlp::Settings>> {
        let Some(endpoint) = &self.otlp_endpoint else { return Ok(None) };
        self.otlp_ca.as_deref().map(authorities).transpose()?;
        Ok(Some(otlp::Settings {
            endpoint: endpoint.clone(),
            headers: self.otlp_headers_file.as_deref().map(otlp::Headers::read).transpose()?.unwrap_or_default(),
            authority: self.otlp_ca.clone(),
            share: self.otlp_sample,
            metrics_every: self.otlp_metrics_every,
            version: env!("CARGO_PKG_VERSION"),
        }))
    }
}
