//! The pure words of the interface: tenants, timestamps, pages, queries, bodies and problems.
//!
//! Nothing here knows HTTP, a database or a clock. Every other crate builds on these types, so that
//! the wire rules (`docs/interface.md`) are written once: lenient in what is read, strict in what is
//! answered. Whatever a client may send ends in a value or in a [`Problem`], never in a panic.

pub mod body;
pub mod calls;
pub mod csv;
pub mod cursor;
pub mod duration;
mod form;
mod json;
pub mod json_repair;
mod lenient;
pub mod matching;
pub mod near;
pub mod net;
pub mod page;
pub mod problem;
pub mod query;
pub mod query_string;
pub mod secret;
pub mod share;
pub mod sync;
pub mod tenant;
pub mod text;
pub mod timestamp;
pub mod turns;

pub use body::{Fields, parse_json};
pub use cursor::{Key, PageRequest, PageRows};
pub use json_repair::parse_nearly_json;
pub use net::{IpKey, cidr_range, ip_key};
pub use page::{NumberedPage, Page};
pub use problem::{FieldError, Kind, Problem, RateLimit};
pub use query::{Query, Sort};
pub use secret::Secret;
pub use sync::lock;
pub use tenant::{Level, TenantId};
pub use text::{fold, hex};
pub use timestamp::Timestamp;
