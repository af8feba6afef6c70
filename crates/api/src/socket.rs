//! A connection of a client, and what it costs while the client does not read.
//!
//! Around the stream of the system: a client that takes nothing of its answers for [`PATIENCE`] is cut off, what waits to
//! be sent to it counts as memory of its address, and no more is read at once than the next layer needs.

use std::{
    cell::{Cell, RefCell},
    io,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use base::share::{Lease, Party};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};
use tokio_rustls::server::TlsStream;

use crate::{
    metrics,
    shed::{Gate, LocalParty, Reason},
    upgrade,
};

/// A client that takes less than [`LEAST`] bytes of what waits for it, this long, is cut off.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
const LEAST: usize = 20 << 10;

/// Read at once; a body that arrives faster than it is taken waits in the system.
const BURST: usize = 32 << 10;

/// What a connection takes in memory, with its buffers: measured.
const PLAIN: usize = 16 << 10;
const ENCRYPTED: usize = 48 << 10;

/// What the system keeps of answers that the client has not taken. It would let this grow to megabytes by itself, which are
/// memory of this machine as any other is.
const IN_THE_SYSTEM: usize = 128 << 10;

/// Requests of one connection that are answered at once (HTTP/2 streams); more are refused.
pub(crate) const MOST_IN_FLIGHT: usize = 128;

/// What such a request takes, also one that is refused, until its answer is sent.
const IN_FLIGHT: usize = 4 << 10;

/// What the layers above know of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    party: LocalParty,
    in_flight: Cell<usize>,
    /// The client does not take what was written.
    blocked: Cell<bool>,
    closed: Cell<bool>,
    /// Whether requests come beside each other (HTTP/2).
    multiplexed: Cell<bool>,
    wakers: RefCell<Vec<Waker>>,
}

impl Connection {
    /// The share of the address at its other end.
    pub(crate) fn party(&self) -> &LocalParty {
        &self.party
    }

    /// Another request, until what this answers is dropped.
    pub(crate) fn request(self: &Rc<Self>, gate: &Gate) -> InFlight {
        let before = self.in_flight.get();
        self.in_flight.set(before + 1);
        // Beside each other there may be thousands; one after the other is in what the connection takes.
        let memory = self.multiplexed.get().then(|| gate.remember(&self.party, IN_FLIGHT));
        if let Some(Err(reason)) = &memory {
            gate.refuse(*reason);
            self.close();
        }
        let _memory = memory.and_then(Result::ok);
        InFlight { connection: Rc::clone(self), too_many: before >= MOST_IN_FLIGHT, _memory }
    }

    /// Ready when the client takes what is written; an error when it is gone.
    pub(crate) fn poll_open(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        if self.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        if self.blocked.get() {
            self.wakers.borrow_mut().push(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Requests come beside each other from now on.
    pub(crate) fn multiplex(&self) {
        self.multiplexed.set(true);
    }

    fn close(&self) {
        self.closed.set(true);
        self.wake();
    }

    fn wake(&self) {
        self.wakers.take().into_iter().for_each(Waker::wake);
    }
}

/// A request that is under way or whose answer is not sent yet.
#[derive(Debug)]
pub(crate) struct InFlight {
    connection: Rc<Connection>,
    /// There were [`MOST_IN_FLIGHT`] before it.
    pub(crate) too_many: bool,
    _memory: Option<Lease>,
}

impl InFlight {
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.connection.in_flight.set(self.connection.in_flight.get().saturating_sub(1));
    }
}

/// The stream of a connection, as the system has it.
pub(crate) struct Socket {
    stream: TcpStream,
    connection: Rc<Connection>,
    gate: Arc<Gate>,
    memory: Lease,
    idle: usize,
    unsent: Option<Unsent>,
    read: usize,
    _counted: metrics::Connection,
}

/// Something that the client has not taken yet.
struct Unsent {
    timer: Pin<Box<Sleep>>,
    taken: usize,
}

impl Socket {
    /// A new connection of a party; refused when it has too many.
    pub(crate) fn new(
        stream: TcpStream,
        gate: &Arc<Gate>,
        party: Arc<Party>,
        encrypted: bool,
        counted: metrics::Connection,
    ) -> io::Result<Self> {
        if let Err(error) = rustix::net::sockopt::set_socket_send_buffer_size(&stream, IN_THE_SYSTEM) {
            tracing::debug!(%error, "the send buffer of a connection keeps its size");
        }
        let idle = if encrypted { ENCRYPTED } else { PLAIN };
        let memory = gate.remember(&party, idle).map_err(|reason| {
            gate.refuse(reason);
            closed()
        })?;
        let (in_flight, blocked, closed, multiplexed, wakers) = Default::default();
        let party = Rc::new(party);
        let connection = Rc::new(Connection { party, in_flight, blocked, closed, multiplexed, wakers });
        let gate = Arc::clone(gate);
        Ok(Self { stream, connection, gate, memory, idle, unsent: None, read: 0, _counted: counted })
    }

    pub(crate) fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }

    fn wrote(&mut self, written: usize, all: bool) {
        let Some(unsent) = &mut self.unsent else { return };
        if all {
            self.unsent = None;
            self.memory.shrink_to(self.idle);
            self.connection.blocked.set(false);
            self.connection.wake();
        } else {
            unsent.taken += written;
        }
    }

    /// The client takes nothing now: `waiting` bytes wait for it, and what the system took before.
    fn wait(&mut self, context: &mut Context<'_>, waiting: usize) -> Poll<io::Error> {
        let more = (self.idle + IN_THE_SYSTEM + waiting).saturating_sub(self.memory.amount());
        if more > 0 && self.memory.grow(more).is_err() {
            return Poll::Ready(self.give_up());
        }
        let unsent = self.unsent.get_or_insert_with(|| {
            self.connection.blocked.set(true);
            Unsent { timer: Box::pin(sleep_until(Instant::now() + PATIENCE)), taken: 0 }
        });
        while unsent.timer.as_mut().poll(context).is_ready() {
            if unsent.taken < LEAST {
                return Poll::Ready(self.give_up());
            }
            unsent.taken = 0;
            unsent.timer.as_mut().reset(Instant::now() + PATIENCE);
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

fn closed() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
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
            connection.wakers.borrow_mut().push(context.waker().clone());
            return Poll::Pending;
        }
        if this.read >= BURST {
            this.read = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.stream).poll_read(context, buffer);
        this.read = if polled.is_pending() { 0 } else { this.read + buffer.filled().len() - before };
        if polled.is_pending() && connection.multiplexed.get() {
            // Whoever closes the connection wakes its reader.
            let mut wakers = connection.wakers.borrow_mut();
            if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                wakers.push(context.waker().clone());
            }
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
                this.wrote(written, written == waiting);
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => this.wait(context, waiting).map(Err),
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

/// A connection, encrypted or not.
pub(crate) enum Stream {
    Plain(Socket),
    Encrypted(Box<TlsStream<Socket>>),
}

impl Stream {
    pub(crate) fn connection(&self) -> &Rc<Connection> {
        match self {
            Self::Plain(socket) => socket.connection(),
            Self::Encrypted(stream) => stream.get_ref().0.connection(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => {
                let before = buffer.filled().len();
                let polled = Pin::new(&mut *socket).poll_read(context, buffer);
                // With no request under way, what comes is the beginning of one.
                if socket.connection.in_flight.get() == 0 {
                    upgrade::decline(&mut buffer.filled_mut()[before..]);
                }
                polled
            }
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write_vectored(context, slices),
            Self::Encrypted(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.is_write_vectored(),
            Self::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
