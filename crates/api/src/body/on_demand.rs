//! The body of a request over HTTP/1.1, which is read from the connection as it is asked for.

use std::{
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    HttpMessage as _,
    dev::{Payload, ServiceRequest},
    error::PayloadError,
};
use bytes::Bytes;
use futures_util::Stream;

use super::content_length;
use crate::connection::{AHEAD, Connection};

/// Has the body of a request read as far as its handler has asked for it. One that may have come with its head is read
/// in any case, so that it does not end the connection.
pub(crate) fn read_on_demand(request: &mut ServiceRequest, connection: &Rc<Connection>) {
    if connection.multiplexed.get() {
        return;
    }
    let left = match request.chunked().unwrap_or(false) {
        true => u64::MAX,
        false => content_length(request.headers()).unwrap_or(0),
    };
    connection.want(if left <= AHEAD as u64 { left } else { 0 });
    if left > 0 {
        let payload = request.take_payload();
        let body = Body { payload, left, connection: Rc::clone(connection) };
        request.set_payload(Payload::Stream { payload: Box::pin(body) });
    }
}

struct Body {
    payload: Payload,
    /// How many bytes of it are still to come, at most.
    left: u64,
    connection: Rc<Connection>,
}

impl Stream for Body {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.payload).poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            self.left = self.left.saturating_sub(bytes.len() as u64);
        }
        self.connection.want(if polled.is_pending() { self.left } else { 0 });
        polled
    }
}
