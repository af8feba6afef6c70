//! Who is on call ("Who is on call" in `docs/interface.md`).

pub mod cache;
pub mod http;
pub mod port;
pub mod render;
pub mod wire;
