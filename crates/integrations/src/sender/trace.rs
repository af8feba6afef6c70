//! The trace of a delivery: each attempt is a span. The other side is told of it by `http_client`.

use std::sync::Arc;

use traces::{Context, Kind, Span};

use super::{
    claims::Job,
    http_client::{Answer, CallError},
};

/// The trace of an attempt of a delivery.
pub(super) struct AttemptTrace {
    context: Option<Arc<Context>>,
    span: Option<Span>,
}

impl AttemptTrace {
    /// Begins the span of an attempt. The URL may hold a secret, so that the host alone is told.
    pub(super) fn begin(job: &Job) -> Self {
        let span = Span::child_of(job.trace.as_deref(), Kind::Client, job.message.method.clone());
        let context = span.as_ref().map_or_else(|| job.trace.clone(), |span| Some(Arc::clone(&span.context)));
        let span = span.map(|span| {
            span.with("http.request.method", job.message.method.as_str())
                .with("http.request.resend_count", job.claimed.attempts)
                .with("server.address", job.host.1.as_str())
                .with("muster.tenant.id", job.claimed.tenant_id.as_str())
                .with("muster.delivery.id", job.claimed.id.as_str())
        });
        Self { context, span }
    }

    /// What the call belongs to.
    pub(super) fn context(&self) -> Option<Arc<Context>> {
        self.context.clone()
    }

    /// Records how the attempt ended.
    pub(super) fn end(self, answer: &Result<Answer, CallError>) {
        let Some(mut span) = self.span else { return };
        match answer {
            Ok(answer) => {
                span.set("http.response.status_code", answer.status);
                if answer.status >= 400 {
                    span.set("error.type", answer.status.to_string());
                    span.failure = Some(String::new());
                }
            }
            Err(error) => {
                span.set("error.type", "no answer");
                span.failure = Some(error.to_string());
            }
        }
        span.end();
    }
}
