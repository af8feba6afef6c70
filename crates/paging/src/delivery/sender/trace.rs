//! The trace of a page: each attempt to send it is a span.

use std::sync::Arc;

use ports::SendError;
use traces::{Context, Kind, Span};

use crate::delivery::pages::store::Row;

/// The trace that a page belongs to.
pub struct PageTrace {
    context: Option<Arc<Context>>,
    channel: String,
    attempts: i64,
}

impl PageTrace {
    /// As its row says.
    pub fn of(row: &Row) -> Self {
        let context = Context::from_text(&row.message.trace).map(Arc::new);
        let channel = context.as_ref().map(|_| row.channel.clone()).unwrap_or_default();
        Self { context, channel, attempts: row.attempts }
    }

    /// Begins the span of an attempt.
    pub fn begin(self, tenant: &str, id: &str) -> AttemptTrace {
        let span = Span::child_of(self.context.as_deref(), Kind::Client, "").map(|mut span| {
            span.name = format!("page {}", self.channel).into();
            span.with("muster.tenant.id", tenant)
                .with("muster.page.id", id)
                .with("muster.page.channel", self.channel)
                .with("http.request.resend_count", self.attempts)
        });
        let context = span.as_ref().map_or(self.context, |span| Some(Arc::clone(&span.context)));
        AttemptTrace { context, span }
    }
}

/// The trace of an attempt.
pub struct AttemptTrace {
    context: Option<Arc<Context>>,
    span: Option<Span>,
}

impl AttemptTrace {
    /// What the call belongs to.
    pub fn context(&self) -> Option<Arc<Context>> {
        self.context.clone()
    }

    /// Records how the attempt ended. Neither a page nor its recipient is told, both may be secret.
    pub fn end(self, sent: &Result<u16, SendError>) {
        let Some(mut span) = self.span else { return };
        match sent {
            Ok(status) => span.set("http.response.status_code", *status),
            Err(unsent) => {
                span.set("error.type", unsent.status.map_or("no answer".to_owned(), |status| status.to_string()));
                // What a mail server answers has the address in it.
                span.failure = Some(if unsent.status.is_some() { String::new() } else { unsent.why.clone() });
            }
        }
        span.end();
    }
}
