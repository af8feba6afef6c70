//! The trace of a request: taken up from `traceparent` or begun, recorded as a span, and told in `X-Trace-Id`.

use std::sync::Arc;

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method, StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
};
use traces::{Context, Kind, Span};

use crate::{guard::tenant_of, paths, worker::WorkerState};

/// The header of an answer with the id of its trace.
const HEADER: HeaderName = HeaderName::from_static("x-trace-id");

/// How much of a path is recorded, in letters: spans wait in memory.
const LONGEST_PATH: usize = 256;

/// The trace that a request belongs to; of none while nothing is recorded.
#[derive(Default)]
pub(crate) struct RequestTrace {
    /// What the request causes belongs there.
    context: Option<Arc<Context>>,
    span: Option<Span>,
}

impl RequestTrace {
    /// Takes up the trace of a caller, or begins one. Those who watch the service are left out.
    pub(crate) fn begin(request: &ServiceRequest) -> Self {
        let path = request.path();
        if !traces::is_on() || path == "/metrics" || path.starts_with("/health/") {
            return Self::default();
        }
        let parent = context_of(request.headers());
        let span = match &parent {
            Some(parent) => Span::child_of(Some(parent), Kind::Server, ""),
            None => Span::root(Kind::Server, ""),
        };
        let context = span.as_ref().map(|span| Arc::clone(&span.context)).or_else(|| parent.map(Arc::new));
        Self { context, span }
    }

    /// What the request causes belongs there.
    pub(crate) fn context(&self) -> Option<Arc<Context>> {
        self.context.clone()
    }

    /// The id of the trace, when it is recorded.
    pub(crate) fn id(&self) -> Option<String> {
        self.span.as_ref().map(|span| span.context.trace_id.to_string())
    }

    /// Tells the client the id of the trace.
    pub(crate) fn add_header(&self, headers: &mut HeaderMap) {
        if let Some(value) = self.id().and_then(|id| HeaderValue::from_str(&id).ok()) {
            headers.insert(HEADER, value);
        }
    }

    /// Records the span, by the conventions of OpenTelemetry for HTTP. A path is told as it is logged; queries, which
    /// may hold tokens, are not. `route` is the number of the operation, 0 for none.
    pub(crate) fn end(
        self,
        worker: &WorkerState,
        (method, path): (&Method, &str),
        request_id: &str,
        answer: RequestOutcome,
    ) {
        let Some(mut span) = self.span else { return };
        let RequestOutcome { route, status } = answer;
        let pattern = route.checked_sub(1).and_then(|place| worker.routes.get(place)).map(|route| &route.pattern);
        let method = shown_method(method);
        span.name = match pattern {
            Some(pattern) => format!("{method} {pattern}").into(),
            None => method.into(),
        };
        span.set("http.request.method", method);
        span.set("url.scheme", if worker.secure { "https" } else { "http" });
        span.set("url.path", worker.loggable(path, route).chars().take(LONGEST_PATH).collect::<String>());
        span.set("http.response.status_code", status.as_u16());
        span.set("muster.request.id", request_id);
        if let Some(pattern) = pattern {
            span.set("http.route", pattern.as_str());
            if let Some(tenant) = tenant_of(path).filter(|_| pattern.starts_with(paths::TENANT_PREFIX)) {
                span.set("muster.tenant.id", tenant.as_str());
            }
        }
        if status.is_server_error() {
            span.set("error.type", status.as_str());
            span.failure = Some(String::new());
        }
        span.end();
    }
}

/// A method that HTTP defines; any other one, which may be as long as a request line, is told as the conventions say.
fn shown_method(method: &Method) -> &'static str {
    const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"];
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}

/// How a request was answered.
#[derive(Clone, Copy)]
pub(crate) struct RequestOutcome {
    /// The number of its operation, 0 for none.
    pub(crate) route: usize,
    pub(crate) status: StatusCode,
}

/// The context in the headers of a request; a second `traceparent` makes both worthless.
fn context_of(headers: &HeaderMap) -> Option<Context> {
    let mut parents = headers.get_all("traceparent");
    let parent = parents.next()?.to_str().ok()?;
    if parents.next().is_some() {
        return None;
    }
    let states: Vec<&str> = headers.get_all("tracestate").filter_map(|state| state.to_str().ok()).collect();
    Context::parse(parent.trim(), &states.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_read_from_headers() {
        const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let name = HeaderName::from_static;
        let value = HeaderValue::from_static;
        let mut headers = HeaderMap::new();
        assert_eq!(context_of(&headers), None);
        headers.append(name("traceparent"), value(PARENT));
        headers.append(name("tracestate"), value("a=1"));
        headers.append(name("tracestate"), value("b=2"));
        let context = context_of(&headers).unwrap();
        assert_eq!((context.traceparent().as_str(), context.tracestate()), (PARENT, Some("a=1,b=2")));
        headers.append(name("traceparent"), value(PARENT));
        assert_eq!(context_of(&headers), None, "which one is it?");
    }
}
