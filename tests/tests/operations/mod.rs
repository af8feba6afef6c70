//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod load;
mod metrics;
mod postgres_tls;
mod pressure;
mod rates;
mod stalled;
mod streams;
mod tls;
