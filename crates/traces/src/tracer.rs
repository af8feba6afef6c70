//! Whether spans are recorded, which traces are, and the queue in which spans wait for the exporter.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
    mpsc::{Receiver, SyncSender, sync_channel},
};

use crate::{Context, Span};

/// How many spans wait for the exporter. A span takes some 1,000 bytes, so that a collector that hangs costs 4 MiB.
const ROOM: usize = 4_096;

/// One more than the greatest number of 56 bits.
const ALL: f64 = (1_u64 << 56) as f64;

struct Tracer {
    /// A trace is recorded when its random bits are below this.
    below: u64,
    queue: SyncSender<Span>,
    dropped: AtomicU64,
}

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Records spans from now on: this share of the traces that begin here, from 0 to 1, and each trace that a caller says
/// is recorded. The spans come out of what is answered; `None` when they are recorded already.
pub fn start(share: f64) -> Option<Receiver<Span>> {
    let (queue, spans) = sync_channel(ROOM);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 56 bits fits")]
    let below = (share.clamp(0.0, 1.0) * ALL) as u64;
    TRACER.set(Tracer { below, queue, dropped: AtomicU64::new(0) }).ok().map(|()| spans)
}

/// Are spans recorded?
pub fn is_on() -> bool {
    TRACER.get().is_some()
}

/// How many spans were dropped, since the queue was full or the collector did not take them.
pub fn dropped() -> u64 {
    TRACER.get().map_or(0, |tracer| tracer.dropped.load(Ordering::Relaxed))
}

/// Counts spans that the collector did not take.
pub fn count_dropped(spans: u64) {
    if let Some(tracer) = TRACER.get() {
        tracer.dropped.fetch_add(spans, Ordering::Relaxed);
    }
}

/// The context of a new trace, when it is one of those that are recorded.
pub(crate) fn draw() -> Option<Context> {
    let tracer = TRACER.get()?;
    let context = Context::root();
    (context.trace_id.random_bits() < tracer.below).then_some(context)
}

/// Puts a span into the queue.
pub(crate) fn record(span: Span) {
    if let Some(tracer) = TRACER.get()
        && tracer.queue.try_send(span).is_err()
    {
        tracer.dropped.fetch_add(1, Ordering::Relaxed);
    }
}
