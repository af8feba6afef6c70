//! What the protocol layer reads: encrypted or not, and one request at a time.

use std::{
    future::Future as _,
    io,
    mem::MaybeUninit,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep_until},
};
use tokio_rustls::server::TlsStream;

use super::{Arrival, Connection, Socket, closed};

/// The most that is read without knowing whose it is: it may be several requests, or a body and the next one.
const AHEAD: usize = 4 << 10;

/// A connection, as the protocol layer sees it.
///
/// Over HTTP/1.1, what a client sends before its last request is answered stays below: in `held` up to [`AHEAD`] bytes,
/// then with the system, then with the client.
pub(crate) struct Stream {
    transport: Transport,
    held: BytesMut,
    /// Until the next request may be read.
    pause: Option<Pin<Box<Sleep>>>,
    arrival: Arrival,
}

/// A connection, encrypted or not.
enum Transport {
    Plain(Socket),
    Encrypted(Box<TlsStream<Socket>>),
}

impl Stream {
    pub(crate) fn plain(socket: Socket) -> Self {
        Self::of(Transport::Plain(socket))
    }

    pub(crate) fn encrypted(stream: TlsStream<Socket>) -> Self {
        Self::of(Transport::Encrypted(Box::new(stream)))
    }

    fn of(transport: Transport) -> Self {
        Self { transport, held: BytesMut::new(), pause: None, arrival: Arrival::default() }
    }

    pub(crate) fn connection(&self) -> &Rc<Connection> {
        match &self.transport {
            Transport::Plain(socket) => socket.connection(),
            Transport::Encrypted(stream) => stream.get_ref().0.connection(),
        }
    }

    fn transport(&mut self) -> Pin<&mut dyn Both> {
        let transport: &mut dyn Both = match &mut self.transport {
            Transport::Plain(socket) => socket,
            Transport::Encrypted(stream) => stream,
        };
        Pin::new(transport)
    }

    /// Waits until the client has made its pause.
    fn poll_pause(&mut self, connection: &Connection, context: &mut Context<'_>) -> Poll<()> {
        let Some(until) = connection.pause.get() else { return Poll::Ready(()) };
        ready!(self.pause.get_or_insert_with(|| Box::pin(sleep_until(until))).as_mut().poll(context));
        self.pause = None;
        connection.end_pause();
        Poll::Ready(())
    }

    /// Passes on what is held, as far as it is its turn; true when it passed something.
    fn pass_held(&mut self, connection: &Connection, buffer: &mut ReadBuf<'_>) -> bool {
        let most = self.held.len().min(buffer.remaining());
        let passed = connection.take(&mut self.held[..most]);
        buffer.put_slice(&self.held[..passed]);
        self.held.advance(passed);
        if self.held.is_empty() {
            self.held = BytesMut::new();
            connection.ahead.set(false);
        }
        passed > 0
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let connection = Rc::clone(this.connection());
        if connection.multiplexed.get() {
            return this.transport().poll_read(context, buffer);
        }
        if connection.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        if !this.held.is_empty() {
            ready!(this.poll_pause(&connection, context));
            ready!(this.arrival.poll(&connection, context));
            if this.pass_held(&connection, buffer) {
                return Poll::Ready(Ok(()));
            }
            connection.depart();
            connection.wait(context);
            return Poll::Pending;
        }
        let room = buffer.remaining();
        let most = match connection.expects() {
            // Within a body whose length is known, all bytes are its own.
            expected if expected < u64::MAX && expected >= room as u64 => {
                let before = buffer.filled().len();
                ready!(this.transport().poll_read(context, buffer))?;
                connection.take(&mut buffer.filled_mut()[before..]);
                return Poll::Ready(Ok(()));
            }
            // That the client is gone has to be seen also while its request is worked on.
            0 => AHEAD,
            expected => AHEAD.min(room).min(usize::try_from(expected).unwrap_or(AHEAD)),
        };
        let mut bytes = [MaybeUninit::uninit(); AHEAD];
        let mut bytes = ReadBuf::uninit(&mut bytes[..most]);
        let Poll::Ready(read) = this.transport().poll_read(context, &mut bytes) else {
            connection.depart();
            return Poll::Pending;
        };
        read?;
        let bytes = bytes.filled_mut();
        if bytes.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let may_pass = connection.pause.get().is_none() && this.arrival.poll(&connection, context).is_ready();
        let passed = if may_pass { connection.take(bytes) } else { 0 };
        buffer.put_slice(&bytes[..passed]);
        this.held.extend_from_slice(&bytes[passed..]);
        connection.ahead.set(passed < bytes.len());
        if passed > 0 {
            return Poll::Ready(Ok(()));
        }
        connection.depart();
        connection.wait(context);
        if this.poll_pause(&connection, context).is_ready() {
            // It may be read now.
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().transport().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().transport().poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.transport {
            Transport::Plain(socket) => socket.is_write_vectored(),
            Transport::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().transport().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().transport().poll_shutdown(context)
    }
}

/// Both directions, of either transport.
trait Both: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Both for T {}
