//! Suspends and ends clients and users, together with the credentials that act for them, and takes them up again.

pub(crate) mod clients;
pub(crate) mod users;
