//! Requests for cover: somebody asks to be relieved for a time, and anyone who accepts is on call instead ("Requests
//! for cover" in `docs/interface.md`). What comes of one that is accepted is an override.

pub mod http;
mod row;
pub mod store;
mod view;
mod wire;
