//! Where the frames of one direction of an HTTP/2 connection end.

/// The head of a frame: three bytes of length, its kind, its flags, and four bytes of stream.
const HEAD: usize = 9;

/// Kinds of frames whose block of headers goes on in the next frame, unless a flag says that it ends.
const WITH_HEADERS: [u8; 3] = [1, 5, 9];
const END_HEADERS: u8 = 4;

/// How far the frames of one direction have been passed.
#[derive(Clone, Default)]
pub(super) struct FramePosition {
    /// The head of the frame under way, as far as it is known.
    head: [u8; HEAD],
    known: usize,
    /// The bytes behind its head that are still to come.
    left: usize,
    /// A block of headers goes on: nothing else may come between.
    in_headers: bool,
}

impl FramePosition {
    /// In front of so many bytes, behind which the first frame begins.
    pub(super) fn before(preface: usize) -> Self {
        Self { head: [0; HEAD], known: HEAD, left: preface, in_headers: false }
    }

    /// May another frame begin here?
    pub(super) fn is_between(&self) -> bool {
        self.known == 0 && !self.in_headers
    }

    /// Passes over bytes.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let passed = self.pass_frame(bytes);
            bytes = &bytes[passed..];
        }
    }

    /// Passes over those of the bytes that belong to the frame under way; how many these are.
    pub(super) fn pass_frame(&mut self, bytes: &[u8]) -> usize {
        let of_head = bytes.len().min(HEAD - self.known);
        self.head[self.known..self.known + of_head].copy_from_slice(&bytes[..of_head]);
        self.known += of_head;
        if self.known < HEAD {
            return of_head;
        }
        if of_head > 0 {
            let [a, b, c, kind, flags, ..] = self.head;
            self.left = u32::from_be_bytes([0, a, b, c]) as usize;
            self.in_headers = WITH_HEADERS.contains(&kind) && flags & END_HEADERS == 0;
        }
        let of_payload = self.left.min(bytes.len() - of_head);
        self.left -= of_payload;
        if self.left == 0 {
            self.known = 0;
        }
        of_head + of_payload
    }
}
