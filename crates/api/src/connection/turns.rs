//! Where one request ends and the next begins, in the bytes of a connection.
//!
//! HTTP/1.1 lets a client send requests without waiting for answers. They are answered one after the other anyway, so
//! the next is not read before the last was answered: parsed requests that wait would be memory that nobody counts.
//! What the protocol layer makes of the bytes is its own affair; where it disagrees, a client waits, or is read a
//! request too far.

/// How the end of a body is found (RFC 9112, 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By its length; 0 when there is none.
    Length(u64),
    /// By a chunk without bytes.
    Chunked,
}

/// What comes next in the bytes of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The head of a request.
    Head(Lines),
    /// Its head is passed on, and nothing else until it is known whether it has a body.
    Begins,
    /// So many bytes of a body.
    Body(u64),
    /// A body in chunks.
    Chunks(Chunk),
    /// Nothing until it is answered.
    Answer,
}

/// Lines up to an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// There was a line with something in it.
    begun: bool,
    /// There is something in this line.
    filled: bool,
}

/// A place in a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// In the line that says how long it is, of which this much is read.
    Size { size: u64, complete: bool },
    /// So many bytes of it.
    Data(u64),
    /// In the line end after its bytes.
    End,
    /// Behind the last one.
    Trailer(Lines),
}

impl Default for Turn {
    fn default() -> Self {
        Self::Head(Lines::default())
    }
}

impl Lines {
    /// Reads a byte; true at the end of the empty line.
    fn ends(&mut self, byte: u8) -> bool {
        match byte {
            b'\n' if self.begun && !self.filled => return true,
            b'\n' => (self.begun, self.filled) = (self.begun || self.filled, false),
            b'\r' => {}
            _ => self.filled = true,
        }
        false
    }
}

impl Turn {
    /// The head that was passed on is that of a request with such a body.
    pub(crate) fn begin(&mut self, framing: Framing) {
        if *self == Self::Begins {
            *self = match framing {
                Framing::Length(0) => Self::Answer,
                Framing::Length(length) => Self::Body(length),
                Framing::Chunked => Self::Chunks(Chunk::Size { size: 0, complete: false }),
            };
        }
    }

    /// Everything before is answered.
    pub(crate) fn next(&mut self) {
        if *self == Self::Answer {
            *self = Self::default();
        }
    }

    /// How many bytes there may be of what comes next; none when it has to wait.
    pub(crate) const fn expects(&self) -> u64 {
        match self {
            Self::Begins | Self::Answer => 0,
            Self::Body(left) => *left,
            Self::Head(_) | Self::Chunks(_) => u64::MAX,
        }
    }

    /// How many of these bytes belong to what comes next.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> usize {
        match self {
            Self::Begins | Self::Answer => 0,
            Self::Body(left) => {
                let taken = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= taken as u64;
                if *left == 0 {
                    *self = Self::Answer;
                }
                taken
            }
            Self::Head(lines) => match bytes.iter().position(|byte| lines.ends(*byte)) {
                Some(end) => {
                    *self = Self::Begins;
                    end + 1
                }
                None => bytes.len(),
            },
            Self::Chunks(chunk) => match chunk.end(bytes) {
                Some(end) => {
                    *self = Self::Answer;
                    end
                }
                None => bytes.len(),
            },
        }
    }
}

impl Chunk {
    /// Reads bytes of a chunked body; the number of those that belong to it, once it has ended.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match self {
                Self::Size { size: 0, .. } if *byte == b'\n' => {
                    *self = Self::Trailer(Lines { begun: true, filled: false })
                }
                Self::Size { size, .. } if *byte == b'\n' => *self = Self::Data(*size),
                Self::Size { size, complete } => match char::from(*byte).to_digit(16).filter(|_| !*complete) {
                    Some(digit) => *size = size.saturating_mul(16).saturating_add(u64::from(digit)),
                    // What stands behind the size is nobody's here.
                    None => *complete = true,
                },
                Self::Data(left) => {
                    let here = bytes.len() - (at - 1);
                    let taken = usize::try_from(*left).map_or(here, |left| left.min(here));
                    *left -= taken as u64;
                    at += taken - 1;
                    if *left == 0 {
                        *self = Self::End;
                    }
                }
                Self::End if *byte == b'\n' => *self = Self::Size { size: 0, complete: false },
                Self::End => {}
                Self::Trailer(lines) => {
                    if lines.ends(*byte) {
                        return Some(at);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Framing, Turn};

    /// Requests, as a client may write them: how each is framed, its head, its body.
    const REQUESTS: [(Framing, &str, &str); 8] = [
        (Framing::Length(0), "GET / HTTP/1.1\r\nHost: t\r\n\r\n", ""),
        (Framing::Length(0), "GET / HTTP/1.1\nHost: t\n\n", ""),
        (Framing::Length(0), "\r\n\r\nGET / HTTP/1.1\r\n\r\n", ""),
        (Framing::Length(5), "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", "\r\n\r\n1"),
        (Framing::Chunked, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"),
        (
            Framing::Chunked,
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "3\r\nabc\r\n1A;b=2\r\n0\r\n\r\n567890123456789012345\r\n\r\n000\r\n\r\n",
        ),
        (
            Framing::Chunked,
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\n\n\n0\nTrailer: yes\r\nother: too\r\n\r\n",
        ),
        (Framing::Length(1), "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n", "G"),
    ];

    /// Pipelined requests are passed on one by one, wherever the bytes are cut.
    #[test]
    fn each_request_is_taken_from_its_first_byte_to_its_last() {
        for piece in 1..90 {
            for first in 0..REQUESTS.len() {
                let order: Vec<_> =
                    (0..REQUESTS.len()).map(|number| REQUESTS[(first + 3 * number) % REQUESTS.len()]).collect();
                let all: String = order.iter().map(|(_, head, body)| format!("{head}{body}")).collect();
                let mut turn = Turn::default();
                let mut at = 0;
                let mut take = |turn: &mut Turn, until: fn(&Turn) -> bool| {
                    let begun = at;
                    while !until(turn) {
                        assert!(turn.expects() > 0 && at < all.len(), "{turn:?} at {at}");
                        let end = (at + piece).min(all.len());
                        at += turn.take(&all.as_bytes()[at..end]);
                    }
                    assert_eq!((turn.expects(), turn.take(&all.as_bytes()[at..])), (0, 0));
                    &all[begun..at]
                };
                for (framing, head, body) in order {
                    assert_eq!(take(&mut turn, |turn| *turn == Turn::Begins), head);
                    turn.next();
                    assert_eq!(turn, Turn::Begins, "an answer before the request is none");
                    turn.begin(framing);
                    assert_eq!(take(&mut turn, |turn| *turn == Turn::Answer), body);
                    turn.begin(framing);
                    assert_eq!(turn, Turn::Answer);
                    turn.next();
                }
                assert_eq!(at, all.len());
            }
        }
    }

    #[test]
    fn a_size_beyond_all_bounds_is_a_long_chunk() {
        let mut turn = Turn::Begins;
        turn.begin(Framing::Chunked);
        let bytes = b"ffffffffffffffffffff\r\nabc\r\n0\r\n\r\n";
        assert_eq!(turn.take(bytes), bytes.len());
        assert!(matches!(turn, Turn::Chunks(super::Chunk::Data(left)) if left > 1 << 60));
    }
}
