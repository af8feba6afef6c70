//! An answer on its way: it counts until the client has taken it, and goes out in pieces.

use std::{
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll, ready},
};

use actix_web::{
    HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    dev::ServiceResponse,
    http::Version,
};
use base::share::Lease;
use bytes::Bytes;

use crate::{
    connection::InFlight,
    error,
    shed::{LoadGate, Ticket},
};

/// A piece of an answer; the next one is made when this one is taken.
const CHUNK: usize = 32 << 10;

/// An answer up to this size is handed on as it is: the connection has room for it.
const SMALL: u64 = 16 << 10;

/// What an answer of unknown size, or one that waits in a file, has in memory.
const STREAMED: usize = 128 << 10;

/// The bytes of an answer belong to the program and cost nothing: a file of the reference page.
#[derive(Clone, Copy)]
pub(crate) struct StaticBody;

/// The bytes of an answer come now and then, a few at a time: it holds less than one that is read from end to end.
#[derive(Clone, Copy)]
struct SparseBody;

/// What such an answer has in memory.
const SPARSE: usize = 8 << 10;

/// Marks an answer whose bytes come now and then, a few at a time.
pub fn sparse(mut response: HttpResponse) -> HttpResponse {
    response.extensions_mut().insert(SparseBody);
    response
}

/// Lets an answer count until it is sent. One that its caller has no room for is replaced by a 503.
pub(crate) fn count_until_sent(
    response: ServiceResponse<BoxBody>,
    gate: &Arc<LoadGate>,
    ticket: &Ticket,
    in_flight: Option<InFlight>,
) -> ServiceResponse<BoxBody> {
    let size = response.response().body().size();
    let small = match size {
        BodySize::None => true,
        BodySize::Sized(bytes) => bytes <= SMALL,
        BodySize::Stream => false,
    };
    // The streams of HTTP/2 are held up each by itself, and so is the smallest answer.
    let multiplexed = response.request().version() == Version::HTTP_2;
    if size.is_eof() || (small && !multiplexed) {
        return response;
    }
    let is_static = response.response().extensions().get::<StaticBody>().is_some();
    let is_sparse = response.response().extensions().get::<SparseBody>().is_some();
    let (request, response) = response.into_parts();
    let (head, body) = response.into_parts();
    let body = body.try_into_bytes();
    let held = match &body {
        Ok(bytes) if is_static => bytes.len().min(CHUNK),
        Ok(bytes) => bytes.len(),
        Err(_) if is_sparse => SPARSE,
        Err(_) => STREAMED,
    };
    let (head, body, lease) = match gate.take_memory(&ticket.party(), held) {
        Ok(lease) => (head, body, Some(lease)),
        Err(reason) => {
            let (head, body) = error::problem_response(&gate.refuse(reason)).into_parts();
            (head, body.try_into_bytes(), None)
        }
    };
    let (size, rest, body) = match body {
        Ok(bytes) => (BodySize::Sized(bytes.len() as u64), bytes, None),
        Err(body) => (body.size(), Bytes::new(), Some(body)),
    };
    gate.answers.fetch_add(1, Ordering::Relaxed);
    let send_lease = SendLease { gate: Arc::clone(gate), _memory: lease, in_flight };
    let sending = SendingBody { size, rest, body, send_lease, multiplexed, ending: false };
    ServiceResponse::new(request, head.set_body(BoxBody::new(sending)))
}

/// What an answer holds until it is sent.
struct SendLease {
    gate: Arc<LoadGate>,
    _memory: Option<Lease>,
    in_flight: Option<InFlight>,
}

impl Drop for SendLease {
    fn drop(&mut self) {
        self.gate.answers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer, piece by piece.
struct SendingBody {
    size: BodySize,
    /// What is left of what the body gave last.
    rest: Bytes,
    body: Option<BoxBody>,
    send_lease: SendLease,
    multiplexed: bool,
    /// All was handed on; what is left is to see that the connection took it.
    ending: bool,
}

impl MessageBody for SendingBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        // What HTTP/2 takes waits in it for the connection, without a bound that all streams share.
        if let Some(in_flight) = this.send_lease.in_flight.as_ref().filter(|_| this.multiplexed)
            && let Err(error) = ready!(in_flight.connection.poll_open(context))
        {
            return Poll::Ready(Some(Err(error.into())));
        }
        if this.rest.is_empty()
            && let Some(body) = &mut this.body
        {
            match ready!(Pin::new(body).poll_next(context)) {
                Some(Ok(bytes)) => this.rest = bytes,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => this.body = None,
            }
        }
        if !this.rest.is_empty() {
            let piece = this.rest.split_to(this.rest.len().min(CHUNK));
            return Poll::Ready(Some(Ok(piece)));
        }
        if this.body.is_some() {
            // An empty piece in the midst of others.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.multiplexed && !this.ending {
            // The connection comes first, writes what it has, and knows then whether the client takes it.
            this.ending = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::{IpAddr, Ipv4Addr},
        rc::Rc,
    };

    use actix_web::{HttpResponse, body::to_bytes, test::TestRequest};

    use super::*;
    use crate::shed::{Entry, Limits, Reason};

    fn gate() -> Arc<LoadGate> {
        Arc::new(LoadGate::new(Limits { memory: 200 << 10, ..Limits::for_size(1, 8) }))
    }

    fn answer(gate: &Arc<LoadGate>, caller: u32, bytes: usize) -> ServiceResponse<BoxBody> {
        let ticket = Ticket::new(gate, Rc::new(gate.party_of(IpAddr::V4(Ipv4Addr::from_bits(caller)))), Entry::Usual);
        let response = HttpResponse::Ok().body(vec![b'x'; bytes]).map_into_boxed_body();
        count_until_sent(TestRequest::default().to_srv_response(response), gate, &ticket, None)
    }

    #[actix_web::test]
    async fn an_answer_counts_until_it_is_sent() {
        let gate = gate();
        let unread = answer(&gate, 1, 90_000);
        let small = answer(&gate, 1, 10_000);
        assert_eq!((gate.under_way().memory, gate.under_way().answers), (90_000, 1));
        assert_eq!(unread.response().body().size(), BodySize::Sized(90_000));
        let mut body = Box::pin(unread.into_body());
        let first = std::future::poll_fn(|context| body.as_mut().poll_next(context)).await.unwrap().unwrap();
        assert_eq!((first.len(), gate.under_way().memory), (CHUNK, 90_000));
        assert_eq!(to_bytes(Pin::into_inner(body)).await.unwrap().len(), 90_000 - CHUNK);
        assert_eq!((gate.under_way().memory, gate.under_way().answers), (0, 0));
        assert_eq!(to_bytes(small.into_body()).await.unwrap().len(), 10_000);
    }

    #[actix_web::test]
    async fn who_does_not_read_is_refused_alone() {
        let gate = gate();
        let unread = answer(&gate, 1, 90_000);
        let refused = answer(&gate, 1, 50_000);
        assert_eq!((refused.status().as_u16(), gate.shed(Reason::MemoryShare)), (503, 1));
        assert!(refused.headers().contains_key("retry-after"));
        let text = to_bytes(refused.into_body()).await.unwrap();
        assert!(text.starts_with(b"{"), "{text:?}");
        assert_eq!(answer(&gate, 2, 50_000).status().as_u16(), 200);
        drop(unread);
        assert_eq!((gate.under_way().memory, answer(&gate, 1, 50_000).status().as_u16()), (0, 200));
    }
}
