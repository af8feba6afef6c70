use std::collections::VecDeque;

use proptest::prelude::*;
use tokio::runtime::{Builder, Runtime};

use super::*;

/// A transport that takes and gives as many bytes as `steps` say, one after the other; at 0 it does not.
struct Wire {
    written: Vec<u8>,
    unread: VecDeque<u8>,
    steps: VecDeque<usize>,
}

impl Wire {
    fn step(&mut self) -> usize {
        self.steps.rotate_left(1);
        self.steps[0]
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            return Poll::Pending;
        }
        let most = self.step().min(self.unread.len()).min(buffer.remaining());
        if most == 0 {
            return Poll::Pending;
        }
        let bytes: Vec<u8> = self.unread.drain(..most).collect();
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let most = self.step();
        if most == 0 {
            return Poll::Pending;
        }
        let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).take(most).collect();
        self.written.extend_from_slice(&bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn frame(kind: u8, flags: u8, length: usize) -> Vec<u8> {
    let size = u32::try_from(length).unwrap().to_be_bytes();
    // A payload that would be taken for heads, were it taken for one.
    [&size[1..], &[kind, flags, 0, 0, 0, 1], &vec![1; length]].concat()
}

/// Frames, and the places between them where another one may be.
fn frames() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    let length = || prop_oneof![0..3_usize, 0..40_usize, 300..700_usize];
    // DATA, or headers in so many frames.
    let group = (length(), 0..4_usize).prop_map(|(length, parts)| match parts {
        0 => frame(0, 1, length),
        _ => (1..=parts)
            .flat_map(|part| frame(if part == 1 { 1 } else { 9 }, u8::from(part == parts) * 4, length))
            .collect(),
    });
    prop::collection::vec(group, 1..6).prop_map(|groups: Vec<Vec<u8>>| {
        let mut places = vec![0];
        places.extend(groups.iter().scan(0, |end, group| {
            *end += group.len();
            Some(*end)
        }));
        (groups.concat(), places)
    })
}

fn steps() -> impl Strategy<Value = VecDeque<usize>> {
    prop::collection::vec(prop_oneof![0..20_usize, 0..1000_usize], 1..20).prop_map(|mut steps| {
        steps.push(1);
        steps.into()
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn transport(unread: &[u8], steps: VecDeque<usize>) -> EndingTransport<Wire> {
    let wire = Wire { written: Vec::new(), unread: unread.iter().copied().collect(), steps };
    EndingTransport::new(wire, Rc::default(), Drain::default())
}

/// The bytes with the frame at the first place that is not in front of `from`.
fn expected(bytes: &[u8], places: &[usize], from: usize) -> Vec<u8> {
    let place = *places.iter().find(|place| **place >= from).unwrap();
    [&bytes[..place], &GOAWAY, &bytes[place..]].concat()
}

proptest! {
    #[test]
    fn it_is_written_between_two_frames(
        (bytes, places) in frames(), steps in steps(), from in 0..3000_usize, slices in (0..50_usize, 1..900_usize),
    ) {
        let runtime = runtime();
        let _entered = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let mut transport = transport(&[], steps);
        let mut sent = 0;
        let mut told_from = None;
        let mut tell = |transport: &mut EndingTransport<Wire>, sent: usize| {
            if sent >= from.min(bytes.len()) && told_from.is_none() {
                told_from = Some(sent);
                transport.stage = Stage::Telling(0);
            }
        };
        while sent < bytes.len() {
            tell(&mut transport, sent);
            let (first, second) = bytes[sent..].split_at(slices.0.min(bytes.len() - sent));
            let slices = [IoSlice::new(first), IoSlice::new(&second[..slices.1.min(second.len())])];
            if let Poll::Ready(written) = Pin::new(&mut transport).poll_write_vectored(&mut context, &slices) {
                sent += written.unwrap();
            }
        }
        tell(&mut transport, sent);
        // h2 reads when it is woken.
        let mut nothing = [0; 9];
        while !matches!(transport.stage, Stage::Waiting(_)) {
            let polled = Pin::new(&mut transport).poll_read(&mut context, &mut ReadBuf::new(&mut nothing));
            prop_assert!(polled.is_pending());
        }
        prop_assert_eq!(&transport.transport.written, &expected(&bytes, &places, told_from.unwrap()));
    }

    #[test]
    fn it_is_read_between_two_frames(
        (bytes, mut places) in frames(), steps in steps(), from in 0..3000_usize, most in 1..1000_usize,
    ) {
        let runtime = runtime();
        let _entered = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let bytes = [&[b'P'; PREFACE][..], &bytes].concat();
        places.iter_mut().for_each(|place| *place += PREFACE);
        let mut transport = transport(&bytes, steps);
        let mut received = Vec::new();
        let mut told_from = None;
        while !matches!(transport.stage, Stage::Closed) || !transport.transport.unread.is_empty() {
            if received.len() >= from.min(bytes.len()) && told_from.is_none() {
                told_from = Some(received.len());
                transport.stage = Stage::Closing(0);
            }
            let mut buffer = vec![0; most];
            let mut buffer = ReadBuf::new(&mut buffer);
            if let Poll::Ready(result) = Pin::new(&mut transport).poll_read(&mut context, &mut buffer) {
                result.unwrap();
                prop_assert!(!buffer.filled().is_empty(), "that would be the end");
                received.extend_from_slice(buffer.filled());
            }
        }
        // What is read at once may end behind a place.
        let place = received.windows(LENGTH).position(|window| window == GOAWAY).unwrap();
        prop_assert!(places.contains(&place) && place >= told_from.unwrap());
        received.drain(place..place + LENGTH);
        prop_assert_eq!(received, bytes);
    }
}

#[test]
fn a_drain_wakes_who_waits_and_spares_who_has_sent_nothing() {
    let runtime = runtime();
    let _entered = runtime.enter();
    let mut context = Context::from_waker(Waker::noop());
    let drain = Drain::default();
    let used = Rc::new(Cell::new(false));
    let wire = Wire { written: Vec::new(), unread: VecDeque::new(), steps: VecDeque::from([100]) };
    let mut transport = EndingTransport::new(wire, Rc::clone(&used), drain.clone());
    let mut poll = |transport: &mut EndingTransport<Wire>| {
        let mut nothing = [0; 9];
        let _ = Pin::new(&mut *transport).poll_read(&mut context, &mut ReadBuf::new(&mut nothing));
        transport.transport.written.clone()
    };
    assert!(poll(&mut transport).is_empty());
    drain.begin();
    assert!(poll(&mut transport).is_empty(), "its client may be about to send a request");
    used.set(true);
    assert_eq!(poll(&mut transport), GOAWAY);
    assert_eq!(poll(&mut transport), GOAWAY, "once");
}
