//! The library of scripts that jobs of the type `custom` run ("Scripts of jobs" in `docs/interface.md`).
//!
//! A script belongs to one tenant; those of a partner may be used by its clients. A run takes the script as it is when
//! a runner takes the run.

mod filter;
pub mod http;
pub mod row;
pub mod rules;
pub mod store;
pub mod wire;
