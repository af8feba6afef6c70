//! The end of an HTTP/2 connection whose server drains; actix would leave it open, and cut it off at last.
//!
//! GOAWAY tells the client to send its next request on another connection, while those that it has sent are answered
//! (RFC 9113, 6.8). h2 knows how to do that, but actix gives nobody the handle. So the frame is put between two frames
//! that h2 writes, with the highest id of streams there is, since any may be on its way. A round trip later the same
//! frame is put between two frames that h2 reads: as if the client ended the connection, h2 serves the streams that
//! there are, then says which was the last one, and closes. Of frames, their heads are read and nothing else.

mod frames;

use std::{
    cell::Cell,
    io::{self, IoSlice},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::futures::OwnedNotified,
    time::{Sleep, sleep},
};

use self::frames::FramePosition;
use crate::drain::Drain;

/// GOAWAY with the highest id and NO_ERROR.
const GOAWAY: [u8; LENGTH] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0];

const LENGTH: usize = 17;

/// What a client sent before it read the frame arrives within this time. A connection without a request yet is left
/// alone for as long: its client may be about to send one.
const ROUND_TRIP: Duration = Duration::from_secs(1);

/// The bytes that a client sends before its first frame.
const PREFACE: usize = 24;

/// An HTTP/2 connection that ends when the server drains.
pub(crate) struct EndingTransport<T> {
    transport: T,
    /// There was a request.
    used: Rc<Cell<bool>>,
    drain: Drain,
    written: FramePosition,
    read: FramePosition,
    stage: Stage,
}

enum Stage {
    /// The server does not drain; who is woken when it does.
    Serving(Pin<Box<OwnedNotified>>, Option<Waker>),
    /// There was no request yet.
    Unused(Pin<Box<Sleep>>),
    /// So many bytes of the frame are written.
    Telling(usize),
    /// What the client sent before it read the frame arrives.
    Waiting(Pin<Box<Sleep>>),
    /// So many bytes of the frame were given to h2.
    Closing(usize),
    /// h2 closes the connection when there are no streams.
    Closed,
}

impl<T: AsyncRead + AsyncWrite + Unpin> EndingTransport<T> {
    pub(crate) fn new(transport: T, used: Rc<Cell<bool>>, drain: Drain) -> Self {
        let stage = Stage::Serving(Box::pin(drain.beginning()), None);
        let written = FramePosition::default();
        Self { transport, used, drain, written, read: FramePosition::before(PREFACE), stage }
    }

    /// Takes the steps whose time has come. Pending while the transport does not take the rest of the frame.
    fn poll_stage(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            self.stage = match &mut self.stage {
                Stage::Serving(..) if self.drain.has_begun() => Stage::Unused(Box::pin(sleep(ROUND_TRIP))),
                Stage::Serving(beginning, waker) => {
                    // All connections share what wakes them, so that it is asked once by each.
                    if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                        *waker = Some(context.waker().clone());
                        let _ = beginning.as_mut().poll(context);
                    }
                    return Poll::Ready(Ok(()));
                }
                Stage::Unused(time) => {
                    if !self.used.get() && time.as_mut().poll(context).is_pending() {
                        return Poll::Ready(Ok(()));
                    }
                    Stage::Telling(0)
                }
                Stage::Telling(LENGTH) => Stage::Waiting(Box::pin(sleep(ROUND_TRIP))),
                Stage::Telling(sent) if *sent > 0 || self.written.is_between() => {
                    // h2 flushes at the end of each turn.
                    match ready!(Pin::new(&mut self.transport).poll_write(context, &GOAWAY[*sent..]))? {
                        0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                        written => Stage::Telling(*sent + written),
                    }
                }
                Stage::Waiting(time) => {
                    if time.as_mut().poll(context).is_pending() {
                        return Poll::Ready(Ok(()));
                    }
                    Stage::Closing(0)
                }
                Stage::Telling(_) | Stage::Closing(_) | Stage::Closed => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncRead for EndingTransport<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Poll::Ready(result) = this.poll_stage(context) {
            result?;
        }
        if let Stage::Closing(given) = &mut this.stage
            && (*given > 0 || this.read.is_between())
        {
            let part = &GOAWAY[*given..];
            let part = &part[..part.len().min(buffer.remaining())];
            buffer.put_slice(part);
            *given += part.len();
            if *given == GOAWAY.len() {
                this.stage = Stage::Closed;
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.transport).poll_read(context, buffer))?;
        this.read.pass(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EndingTransport<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_stage(context))?;
        let transport = Pin::new(&mut this.transport);
        if let Stage::Telling(_) = this.stage {
            // Up to the end of the frame under way, behind which is the place.
            let bytes = slices.iter().find(|slice| !slice.is_empty()).map_or(&[][..], |slice| &slice[..]);
            let rest = this.written.clone().pass_frame(bytes);
            let written = ready!(transport.poll_write(context, &bytes[..rest]))?;
            this.written.pass(&bytes[..written]);
            // Behind the last frame that h2 writes for now. An error comes again.
            let _ = this.poll_stage(context);
            return Poll::Ready(Ok(written));
        }
        let written = ready!(transport.poll_write_vectored(context, slices))?;
        let mut left = written;
        for slice in slices {
            let part = left.min(slice.len());
            this.written.pass(&slice[..part]);
            left -= part;
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
