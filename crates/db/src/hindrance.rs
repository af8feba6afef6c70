//! What keeps a process from being ready although the database answers.

use base::sync::lock;

use crate::Db;

impl Db {
    /// Says why no requests should be sent here; [`None`] when that is over.
    pub fn hinder(&self, why: Option<&'static str>) {
        *lock(&self.0.hindrance) = why;
    }

    /// Why no requests should be sent here, although the database answers.
    pub fn hindrance(&self) -> Option<&'static str> {
        *lock(&self.0.hindrance)
    }
}
