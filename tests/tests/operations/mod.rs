//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod backup;
mod check;
#[cfg(target_os = "linux")]
mod disk;
mod load;
mod metrics;
mod postgres_tls;
mod pressure;
mod rates;
mod stalled;
mod streams;
mod tls;
