//! A client of Muster: a method for each operation of its OpenAPI document, pages as iterators, streams, typed
//! problems.
//!
//! ```no_run
//! use muster_client::{Muster, models::ResourceInput};
//!
//! let muster = Muster::new("http://127.0.0.1:8080", "key", "secret", "client_1")?;
//! let input = ResourceInput { host_name: Some("web-01".to_owned()), ..ResourceInput::default() };
//! let made = muster.create_resource(&input)?;
//! # Ok::<_, muster_client::Error>(())
//! ```

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod call;
mod error;
mod lines;
#[rustfmt::skip]
pub mod models;
#[rustfmt::skip]
mod operations;
mod pages;
mod time;
mod union;
mod wire;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    call::{Again, Call, Content},
    models::{BulkLine, ResourceInput},
    wire::Wire,
};
pub use crate::{
    error::{Error, Refusal, Result},
    lines::Lines,
    operations::*,
    pages::{Each, FromCursor, PageOf},
    time::{format_time, parse_time},
};

/// A caller of the service, with key and secret of an API key. Clones share their token.
#[derive(Clone)]
pub struct Muster {
    wire: Arc<Wire>,
    tenant: String,
    if_match: Option<String>,
    idempotency_key: Option<String>,
    noted: Option<Arc<Mutex<Noted>>>,
}

/// What the headers of an answer said.
#[derive(Clone, Debug, Default)]
struct Noted {
    etag: Option<String>,
    replayed: bool,
}

/// An answer with its version.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was answered.
    pub data: T,
    /// The version of what was read, for [`Muster::if_match`].
    pub etag: Option<String>,
    /// Was the request carried out before, under the same idempotency key?
    pub replayed: bool,
}

impl Muster {
    /// A caller at a tenant, such as `client_1`, who tries again for a minute.
    ///
    /// # Errors
    /// When there is no client to be made on this system.
    pub fn new(url: &str, key: &str, secret: &str, tenant: &str) -> Result<Self> {
        Self::with_patience(url, key, secret, tenant, Duration::from_secs(60))
    }

    /// The same with another patience: how long a request is tried again while the service asks for it or is away.
    ///
    /// # Errors
    /// As [`Muster::new`].
    pub fn with_patience(url: &str, key: &str, secret: &str, tenant: &str, patience: Duration) -> Result<Self> {
        let wire = Arc::new(Wire::new(url, key, secret, patience)?);
        Ok(Self { wire, tenant: tenant.to_owned(), if_match: None, idempotency_key: None, noted: None })
    }

    /// The same caller at another tenant.
    #[must_use]
    pub fn at(&self, tenant: &str) -> Self {
        Self { tenant: tenant.to_owned(), ..self.clone() }
    }

    /// The same caller, who changes nothing that somebody else has changed since: the `etag` of what was read.
    #[must_use]
    pub fn if_match(&self, etag: &str) -> Self {
        Self { if_match: Some(etag.to_owned()), ..self.clone() }
    }

    /// The same caller with a key under which the service carries a request out once; without it the client makes one.
    #[must_use]
    pub fn idempotency_key(&self, key: &str) -> Self {
        Self { idempotency_key: Some(key.to_owned()), ..self.clone() }
    }

    /// Calls an operation for an answer with its version: `muster.answer(|muster| muster.get_site(7))?.etag`.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn answer<T>(&self, operation: impl FnOnce(&Self) -> Result<T>) -> Result<Answer<T>> {
        let noted = Arc::new(Mutex::new(Noted::default()));
        let data = operation(&Self { noted: Some(Arc::clone(&noted)), ..self.clone() })?;
        let Noted { etag, replayed } = noted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Answer { data, etag, replayed })
    }

    /// All that a list has, page by page: `muster.each(Muster::search_sites, SearchSites::default())`.
    pub fn each<T, Q, L>(&self, list: L, asked: Q) -> Each<T, Q, impl Fn(&Q) -> Result<PageOf<T>>>
    where
        Q: FromCursor,
        L: Fn(&Self, &Q) -> Result<PageOf<T>>,
    {
        let caller = self.clone();
        Each::new(move |asked: &Q| list(&caller, asked), asked)
    }

    /// Creates and updates resources, and says what became of each as it is done; the last line is the summary.
    ///
    /// # Errors
    /// When the service refuses it.
    pub fn bulk(&self, resources: &[ResourceInput]) -> Result<Lines<BulkLine>> {
        let mut text = Vec::new();
        for resource in resources {
            serde_json::to_writer(&mut text, resource).map_err(Error::unreadable)?;
            text.push(b'\n');
        }
        let mut call = self.call("POST", "/api/v2/tenants/{tenantId}/resources/bulk");
        call.content("application/x-ndjson", Content::Whole(text));
        call.again = Again::Always;
        Ok(Lines::new(call.open()?))
    }

    /// The same with rows that are made as they are sent. It is sent once, and not tried again.
    ///
    /// # Errors
    /// When the service refuses it.
    pub fn bulk_stream(
        &self,
        resources: impl Iterator<Item = ResourceInput> + Send + 'static,
    ) -> Result<Lines<BulkLine>> {
        let mut call = self.call("POST", "/api/v2/tenants/{tenantId}/resources/bulk");
        call.content("application/x-ndjson", Content::Stream(Mutex::new(Some(lines::body(resources)))));
        call.again = Again::Never;
        Ok(Lines::new(call.open()?))
    }

    /// All resources that a filter finds, as they can be imported again; an empty filter finds all.
    ///
    /// # Errors
    /// When the service refuses it.
    pub fn export(&self, query_string: &str) -> Result<Lines<ResourceInput>> {
        let mut call = self.call("GET", "/api/v2/tenants/{tenantId}/resources/export");
        call.query("queryString", Some(query_string).filter(|text| !text.is_empty()));
        Ok(Lines::new(call.open()?))
    }

    fn call(&self, method: &'static str, path: &'static str) -> Call {
        Call::new(self, method, path)
    }
}
