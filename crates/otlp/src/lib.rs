//! Sends spans and metrics to a collector of OpenTelemetry, by OTLP over HTTP with Protobuf.
//!
//! One thread does it, so that a collector that hangs or is away costs nobody anything but spans: what waits is bounded
//! ([`traces::start`]), what has no room is dropped and counted, and the log says so once. Nothing of it goes through
//! the guard for calls of tenants: the address is the operator's.

mod collector;
mod exporter;
mod metrics;
mod resource;
mod sending;
mod spans;

pub use collector::{Headers, check_endpoint};
pub use exporter::Settings;
pub use sending::{DROPPED, Sending};
