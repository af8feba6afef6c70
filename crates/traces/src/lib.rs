//! Traces ([W3C Trace Context](https://www.w3.org/TR/trace-context/)): the context that goes with what a request
//! causes, and the spans that are recorded. The crate `otlp` sends them to a collector.
//!
//! Nothing is recorded until [`start`]. Until then [`current`] is `None` everywhere, no context is read or stored, and
//! a request costs a look at one atomic.

mod context;
mod current;
mod span;
mod tracer;

pub use context::{Context, SpanId, TraceId};
pub use current::{Entered, current, enter, scope};
pub use span::{Kind, Span, Value};
pub use tracer::{count_dropped, dropped, is_on, start};
