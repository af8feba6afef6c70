//! Running it: load, limits, metrics, TLS, backups, and what happens when the machine fails.

mod load;
mod pressure;
mod stalled;
