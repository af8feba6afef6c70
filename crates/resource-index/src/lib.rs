//! An index of resources in memory: totals of filters without counting, pages without searching.
//!
//! For each tenant a gateway assigns ordinals to resources, and keeps for a filter that was searched the bitmap of its
//! matches. Several filters are the intersection of their bitmaps, a total is its size, and a page by id is a part of
//! it. A result is never older or newer than the rows of the answer: a bitmap names the snapshot it reflects, each
//! write logs the resources it changed ([`changes`]), and a reader checks those again that changed between the snapshot
//! of the bitmap and its own, by the condition that the bitmap was made by.
//!
//! A bitmap is built at once when an index of the database leads to few entries. Others are built beside the request
//! ([`builder`]); a request for a page or a total waits for them, and is answered by the database when that takes too
//! long. Names are searched in memory ([`names`]); they are read once in the same way, and reflect a snapshot as
//! bitmaps do. All of it has a budget in bytes; the tenant that takes most drops first what it did not use for longest.
//!
//! The crate knows no column of a resource: its owner implements [`Filter`].

mod builder;
mod changes;
mod filter;
mod index;
mod matches;
mod names;
mod ordinals;
mod tenant;
mod view;

use db::{Conn, Result};

pub use crate::{
    filter::{Filter, NamePattern},
    index::{Limits, PendingBuild, ResourceIndex},
    matches::{Hit, Matches},
    ordinals::{format_id, parse_id},
};

/// The table of changes. Its stamps mean something else on each database, so that it is never moved to another.
pub const CHANGE_LOG: &str = "resource_changes";

/// Logs that a resource changed: any attribute by which a filter may match it, its groups included.
pub fn log_change(conn: &mut Conn, tenant: &str, id: &str) -> Result<()> {
    changes::log(conn, tenant, id)
}

/// Logs that the members of a group changed, all at once.
pub fn log_group_change(conn: &mut Conn, tenant: &str, group: i64) -> Result<()> {
    changes::log(conn, tenant, &format!("{}{group}", tenant::GROUP))
}

/// Logs that any resource of a tenant may have changed.
pub fn log_tenant_change(conn: &mut Conn, tenant: &str) -> Result<()> {
    changes::log(conn, tenant, tenant::EVERYTHING)
}
