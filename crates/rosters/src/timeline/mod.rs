//! The final schedule of a roster, saved or not, with gaps and overlaps marked ("Timeline" in `docs/interface.md`).

pub mod cache;
pub mod http;
pub mod render;
pub mod wire;
