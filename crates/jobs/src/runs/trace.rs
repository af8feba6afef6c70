//! The trace of a run: a span from when a runner took it until it was over, below the request that asked for it. A run
//! that its schedule makes begins a trace.
//!
//! The span has an id that follows from that of the run, so that the runner and its script can name it before it ends.

use traces::{Context, Kind, Span, SpanId};
use uuid::Uuid;

use super::{row::Run, rules};

/// The trace of a run that somebody asks for now, as its row has it.
pub fn of_requested(id: &str) -> Option<String> {
    let context = traces::current()?;
    own_span(id).map(|_| context.to_text())
}

/// The trace of a run that its schedule makes, as its row has it.
pub fn of_scheduled(id: &str) -> Option<String> {
    let first = Span::root(Kind::Internal, "")?;
    Some(first.context.with_span(own_span(id)?).to_text())
}

/// The context of a run, to which belongs what it causes.
pub fn of_run(run: &Run) -> Option<Context> {
    let context = Context::from_text(run.trace.as_deref()?)?;
    if context.sampled { Some(context.with_span(own_span(&run.id)?)) } else { Some(context) }
}

/// Records the span of a run that is over, once the write that ends it is committed.
pub fn record_end(run: &Run) {
    let Some((stored, own)) = run.trace.as_deref().and_then(Context::from_text).zip(own_span(&run.id)) else { return };
    let parent = Some(stored.span_id).filter(|parent| *parent != own);
    let begun_ms = run.started_ms.unwrap_or(run.created_ms);
    let Some(mut span) = Span::begun_at(stored.with_span(own), parent, Kind::Internal, "job run", begun_ms) else {
        return;
    };
    span.set("muster.tenant.id", run.tenant_id.as_str());
    span.set("muster.job.id", run.job_id.as_str());
    span.set("muster.run.id", run.id.as_str());
    span.set("muster.run.trigger", run.cause.as_str());
    span.set("muster.run.status", run.state.as_str());
    span.set("muster.run.attempt", run.attempt);
    if [rules::FAILED, rules::TIMED_OUT].contains(&run.state.as_str()) {
        span.set("error.type", run.state.as_str());
        span.failure = Some(String::new());
    }
    let ended_ms = run.finished_ms.unwrap_or(begun_ms);
    db::after_commit(move || span.end_at(ended_ms));
}

/// The span of a run, by its id.
fn own_span(id: &str) -> Option<SpanId> {
    Uuid::try_parse(id.strip_prefix("RUN-")?).ok().map(SpanId::of_uuid)
}
