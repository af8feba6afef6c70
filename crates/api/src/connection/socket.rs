//! The stream of the system, and what it costs while the client does not read.

use std::{
    io,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use base::share::Lease;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::{Connection, closed};
use crate::{
    metrics,
    shed::{LoadGate, LocalParty, Reason},
};

/// A client that takes less than [`LEAST`] bytes of what waits for it, this long, is cut off.
const PATIENCE: Duration = Duration::from_secs(20);
const LEAST: usize = 20 << 10;

/// What a connection takes in memory, with its buffers: measured.
const PLAIN: usize = 16 << 10;
const ENCRYPTED: usize = 48 << 10;

/// What the system keeps of answers that the client has not taken. It would let this grow to megabytes by itself, which
/// are memory of this machine as any other is.
pub(crate) const IN_THE_SYSTEM: usize = 128 << 10;

/// The stream of a connection, as the system has it.
pub(crate) struct Socket {
    stream: TcpStream,
    pub(crate) connection: Rc<Connection>,
    gate: Arc<LoadGate>,
    memory: Lease,
    idle: usize,
    stalled: Option<StalledWrite>,
    _counted: metrics::Connection,
}

/// Something that the client has not taken yet.
struct StalledWrite {
    timer: Pin<Box<Sleep>>,
    taken: usize,
}

impl Socket {
    /// A new connection of a party; refused when it has too many.
    pub(crate) fn new(
        stream: TcpStream,
        gate: &Arc<LoadGate>,
        party: LocalParty,
        encrypted: bool,
        counted: metrics::Connection,
    ) -> io::Result<Self> {
        let idle = if encrypted { ENCRYPTED } else { PLAIN };
        let memory = gate.take_memory(&party, idle).map_err(|reason| {
            gate.refuse(reason);
            closed()
        })?;
        let connection = Connection::new(party);
        Ok(Self { stream, connection, gate: Arc::clone(gate), memory, idle, stalled: None, _counted: counted })
    }

    fn on_written(&mut self, written: usize, all: bool) {
        let Some(stalled) = &mut self.stalled else { return };
        if all {
            self.stalled = None;
            self.memory.shrink_to(self.idle);
            self.connection.blocked.set(false);
            self.connection.wake();
        } else {
            stalled.taken += written;
        }
    }

    /// The client takes nothing now: `waiting` bytes wait for it, and what the system took before.
    fn wait_for_client(&mut self, context: &mut Context<'_>, waiting: usize) -> Poll<io::Error> {
        let more = (self.idle + IN_THE_SYSTEM + waiting).saturating_sub(self.memory.amount());
        if more > 0 && self.memory.grow(more).is_err() {
            return Poll::Ready(self.give_up());
        }
        let stalled = self.stalled.get_or_insert_with(|| {
            self.connection.blocked.set(true);
            StalledWrite { timer: Box::pin(sleep_until(Instant::now() + PATIENCE)), taken: 0 }
        });
        while stalled.timer.as_mut().poll(context).is_ready() {
            if stalled.taken < LEAST {
                return Poll::Ready(self.give_up());
            }
            stalled.taken = 0;
            stalled.timer.as_mut().reset(Instant::now() + PATIENCE);
        }
        Poll::Pending
    }

    fn give_up(&self) -> io::Error {
        self.gate.refuse(Reason::Unread);
        self.connection.close();
        io::ErrorKind::TimedOut.into()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.connection.close();
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let connection = &this.connection;
        if connection.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        // Who does not take answers can ask for no more of them.
        if connection.multiplexed.get() && connection.blocked.get() {
            connection.wait(context);
            return Poll::Pending;
        }
        let polled = Pin::new(&mut this.stream).poll_read(context, buffer);
        if polled.is_pending() && connection.multiplexed.get() {
            // Anyone who closes the connection wakes its reader.
            connection.wait(context);
        }
        polled
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.connection.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        let waiting = slices.iter().map(|slice| slice.len()).sum();
        match Pin::new(&mut this.stream).poll_write_vectored(context, slices) {
            Poll::Ready(Ok(written)) => {
                this.on_written(written, written == waiting);
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => this.wait_for_client(context, waiting).map(Err),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
