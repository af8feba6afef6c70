//! Spans as the collector takes them.

use opentelemetry_proto::tonic::{
    collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse},
    common::v1::{InstrumentationScope, any_value},
    resource::v1::Resource,
    trace::v1::{ResourceSpans, ScopeSpans, Span, Status, span::SpanKind, status::StatusCode},
};
use prost::Message as _;
use traces::{Kind, Value};

use crate::resource::attribute;

/// The path of their messages.
pub(crate) const PATH: &str = "/v1/traces";

/// The flags of a span whose trace is recorded.
const SAMPLED: u32 = 1;

/// A message with spans.
pub(crate) fn message(resource: &Resource, spans: &[traces::Span]) -> Vec<u8> {
    let scope_spans =
        ScopeSpans { scope: Some(scope()), spans: spans.iter().map(span).collect(), ..ScopeSpans::default() };
    let all =
        ResourceSpans { resource: Some(resource.clone()), scope_spans: vec![scope_spans], ..ResourceSpans::default() };
    ExportTraceServiceRequest { resource_spans: vec![all] }.encode_to_vec()
}

/// How many spans the collector refused, by its answer, and why.
pub(crate) fn rejected(answer: &[u8]) -> Option<(u64, String)> {
    let partial = ExportTraceServiceResponse::decode(answer).ok()?.partial_success?;
    let spans = u64::try_from(partial.rejected_spans).ok().filter(|spans| *spans > 0)?;
    Some((spans, partial.error_message))
}

/// What records.
pub(crate) fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: "muster".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}

fn span(span: &traces::Span) -> Span {
    let kind = match span.kind {
        Kind::Server => SpanKind::Server,
        Kind::Client => SpanKind::Client,
        Kind::Consumer => SpanKind::Consumer,
        Kind::Internal => SpanKind::Internal,
    };
    let attributes = span.attributes.iter().map(|(name, value)| {
        let value = match value {
            Value::Text(text) => any_value::Value::StringValue(text.clone()),
            Value::Integer(number) => any_value::Value::IntValue(*number),
        };
        attribute(*name, value)
    });
    let status = span.failure.as_ref().map(|why| Status { message: why.clone(), code: StatusCode::Error.into() });
    Span {
        trace_id: span.context.trace_id.bytes().to_vec(),
        span_id: span.context.span_id.bytes().to_vec(),
        trace_state: span.context.tracestate().unwrap_or_default().to_owned(),
        parent_span_id: span.parent.map(|parent| parent.bytes().to_vec()).unwrap_or_default(),
        flags: SAMPLED,
        name: span.name.to_string(),
        kind: kind.into(),
        start_time_unix_nano: span.begun_ns,
        end_time_unix_nano: span.ended_ns,
        attributes: attributes.collect(),
        status,
        ..Span::default()
    }
}
