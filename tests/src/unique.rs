//! Names and identifiers that no other test uses.

use std::sync::atomic::{AtomicU64, Ordering};

/// A name that no other test of this run has: `prefix-7f3a-12`, ASCII, lower case, no `_` or `%`.
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{prefix}-{:x}-{number}", std::process::id())
}

/// A random UUID in its usual lower-case form.
pub fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}
