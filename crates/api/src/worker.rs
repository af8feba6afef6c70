//! What a worker thread has for every request.

use std::{borrow::Cow, rc::Rc, sync::Arc};

use actix_web::{dev::ServiceRequest, http::header, web};

use crate::{
    address,
    connection::Connection,
    drain::Drain,
    metrics::{Counters, Metrics, Route},
    paths,
    shed::{Entry, KeyCache, LoadGate, Ticket},
};

/// What a worker thread has for every request.
#[derive(Clone)]
pub(crate) struct WorkerState {
    pub(crate) gate: Arc<LoadGate>,
    pub(crate) keys: Rc<KeyCache>,
    pub(crate) counters: Arc<Counters>,
    /// The operations, by their numbers, from 1.
    pub(crate) routes: Rc<[Route]>,
    /// The most connections of the whole process.
    pub(crate) connections: usize,
    pub(crate) behind_proxy: bool,
    pub(crate) encrypted: bool,
    /// Do browsers reach the service through TLS, of its own or of a proxy?
    pub(crate) secure: bool,
    /// How browsers reach it, where that is configured.
    pub(crate) origin: Option<Rc<str>>,
    /// Whether the server stops.
    pub(crate) drain: Drain,
}

impl WorkerState {
    /// Notes that a request came, of a client that made a pause before it or did not. Who watches the service is always
    /// let in.
    pub(crate) fn ticket(&self, request: &ServiceRequest, paused: bool) -> Rc<Ticket> {
        let path = request.path();
        let entry = match paused {
            _ if path == "/metrics" || path.starts_with("/health/") => Entry::Always,
            true => Entry::AfterPause,
            false => Entry::Usual,
        };
        let connection = request.conn_data::<Rc<Connection>>().filter(|_| !self.behind_proxy);
        let from = match connection {
            Some(connection) => Rc::clone(&connection.party),
            None => Rc::new(self.gate.party_of(address::of(request.request(), self.behind_proxy))),
        };
        Ticket::new(&self.gate, from, entry)
    }

    /// The path of a request as it is logged; the number is that of its operation, 0 for none.
    pub(crate) fn loggable<'p>(&self, path: &'p str, number: usize) -> Cow<'p, str> {
        let route = number.checked_sub(1).and_then(|place| self.routes.get(place));
        paths::loggable(path, route.map(|route| route.pattern.as_str()))
    }

    /// Are there so many connections that idle ones should be closed?
    pub(crate) fn is_crowded(&self, request: &ServiceRequest) -> bool {
        let open = request.app_data::<web::Data<Metrics>>().map_or(0, |metrics| metrics.connections().count());
        open > self.connections / 5 * 4
    }

    /// What every answer says to browsers: it is what it says it is, and nobody's page to frame or to run.
    pub(crate) fn harden(&self, headers: &mut header::HeaderMap) {
        const NO_SNIFF: header::HeaderValue = header::HeaderValue::from_static("nosniff");
        // The pages of answer links have forms.
        const POLICY: header::HeaderValue = header::HeaderValue::from_static(
            "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        );
        const A_YEAR: header::HeaderValue = header::HeaderValue::from_static("max-age=31536000");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
        if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
            headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        }
        if self.encrypted {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, A_YEAR);
        }
    }
}
