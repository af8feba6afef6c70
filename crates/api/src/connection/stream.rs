//! What the protocol layer reads: encrypted or not, and one request at a time.
//!
//! Over HTTP/1.1, the head of a request and a chunked body end at an empty line. So the connection is read in pieces
//! that end at the first empty line: a piece holds one such end at most, and an empty line elsewhere makes one piece
//! more. What a client sends before its last request is answered stays below: up to [`AHEAD`] bytes here, then with
//! the system, then with the client.

use std::{
    io,
    mem::{self, MaybeUninit},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite, Join, ReadBuf, ReadHalf, WriteHalf};

use super::{Connection, closed};
use crate::{empty_line, shed::AddressTurns, upgrade};

/// The most that is read at once.
pub(crate) const AHEAD: usize = 4 << 10;

/// A connection, as the protocol layer sees it.
pub(crate) type Stream = Join<Reader, WriteHalf<Box<dyn Transport>>>;

/// A connection, encrypted or not.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Transport for T {}

/// The reading side of a connection.
pub(crate) struct Reader {
    transport: ReadHalf<Box<dyn Transport>>,
    pub(crate) connection: Rc<Connection>,
    arrival: AddressTurns,
    held: BytesMut,
    /// The last line that was passed on is empty so far.
    in_empty_line: bool,
    /// A piece was passed on: the protocol layer looks at it before there is another.
    passed: bool,
}

impl Reader {
    pub(crate) fn stream(transport: Box<dyn Transport>, connection: Rc<Connection>, arrival: AddressTurns) -> Stream {
        let (transport, writer) = tokio::io::split(transport);
        let held = BytesMut::new();
        let reader = Self { transport, connection, arrival, held, in_empty_line: false, passed: false };
        tokio::io::join(reader, writer)
    }
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.connection.multiplexed.get() {
            return Pin::new(&mut this.transport).poll_read(context, buffer);
        }
        if this.connection.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        let has_passed = mem::take(&mut this.passed);
        if this.held.is_empty() {
            // Also while a request is worked on: that the client is gone has to be seen.
            let mut bytes = [MaybeUninit::uninit(); AHEAD];
            let mut bytes = ReadBuf::uninit(&mut bytes);
            ready!(Pin::new(&mut this.transport).poll_read(context, &mut bytes))?;
            if bytes.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.held.extend_from_slice(bytes.filled());
        }
        if has_passed {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let expected = usize::try_from(this.connection.expects()).unwrap_or(usize::MAX);
        if expected == 0 {
            this.connection.wait(context);
            return Poll::Pending;
        }
        let is_idle = this.connection.is_idle();
        if is_idle {
            ready!(this.connection.pauses.poll(context));
            ready!(this.arrival.poll(context))?;
        }
        let most = expected.min(this.held.len()).min(buffer.remaining());
        let length = empty_line::first_piece(&this.held[..most], &mut this.in_empty_line);
        let mut piece = this.held.split_to(length);
        if this.held.is_empty() {
            this.held = BytesMut::new();
        }
        if is_idle {
            upgrade::decline(&mut piece);
        } else if expected < usize::MAX {
            this.connection.wanted.set((expected - length) as u64);
        }
        buffer.put_slice(&piece);
        this.passed = true;
        Poll::Ready(Ok(()))
    }
}
