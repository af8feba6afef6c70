//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod load;
mod postgres_tls;
mod pressure;
mod stalled;
