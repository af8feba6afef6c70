//! A span: one step of a trace.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use crate::{Context, SpanId, tracer};

/// The part that a span has in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It answers a call.
    Server,
    /// It makes a call.
    Client,
    /// It takes from a queue.
    Consumer,
    /// Neither.
    Internal,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A number.
    Integer(i64),
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Self::Integer(number.into())
    }
}

/// One step of a trace, which is recorded when it [ends](Span::end).
#[derive(Clone, Debug)]
pub struct Span {
    /// The trace, and this span; what it causes belongs there.
    pub context: Arc<Context>,
    /// The span that caused this one.
    pub parent: Option<SpanId>,
    /// What it does, in few words that are the same for many.
    pub name: Cow<'static, str>,
    /// Its part in a call.
    pub kind: Kind,
    /// Nanoseconds since 1970.
    pub begun_ns: u64,
    /// Nanoseconds since 1970.
    pub ended_ns: u64,
    /// What else is known of it.
    pub attributes: Vec<(&'static str, Value)>,
    /// Why it failed.
    pub failure: Option<String>,
    clock: Instant,
}

impl Span {
    /// The first span of a trace. `None` while nothing is recorded, or when the trace is not one of those that are
    /// recorded ([`crate::start`]).
    pub fn root(kind: Kind, name: impl Into<Cow<'static, str>>) -> Option<Self> {
        tracer::draw().map(|context| Self::new(kind, name.into(), context, None))
    }

    /// A span that another one caused. `None` while nothing is recorded, or when the trace is not.
    pub fn child_of(parent: Option<&Context>, kind: Kind, name: impl Into<Cow<'static, str>>) -> Option<Self> {
        let parent = parent.filter(|parent| tracer::is_on() && parent.sampled)?;
        let context = parent.with_span(SpanId::random());
        Some(Self::new(kind, name.into(), context, Some(parent.span_id)))
    }

    /// A span whose ids are known, which began at an instant, in milliseconds since 1970.
    pub fn begun_at(
        context: Context,
        parent: Option<SpanId>,
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        millis: i64,
    ) -> Option<Self> {
        (tracer::is_on() && context.sampled).then(|| {
            let span = Self::new(kind, name.into(), context, parent);
            Self { begun_ns: u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000), ..span }
        })
    }

    fn new(kind: Kind, name: Cow<'static, str>, context: Context, parent: Option<SpanId>) -> Self {
        let begun_ns = now_ns();
        Self {
            context: Arc::new(context),
            parent,
            name,
            kind,
            begun_ns,
            ended_ns: 0,
            attributes: Vec::new(),
            failure: None,
            clock: Instant::now(),
        }
    }

    /// Adds what is known of it.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        self.attributes.push((name, value.into()));
    }

    /// As [`Span::set`].
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }

    /// Hands it to the exporter. When there is no room, it is dropped and counted: nobody waits.
    pub fn end(mut self) {
        self.ended_ns = self.begun_ns.saturating_add(nanos(self.clock.elapsed()));
        tracer::record(self);
    }

    /// As [`Span::end`], at an instant in milliseconds since 1970.
    pub fn end_at(mut self, millis: i64) {
        self.ended_ns = u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000).max(self.begun_ns);
        tracer::record(self);
    }
}

#[expect(clippy::disallowed_methods, reason = "spans tell nanoseconds, and decide nothing")]
fn now_ns() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, nanos)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
