//! From a listening socket to requests: connections are counted and bounded before the first byte is read.

use std::{
    fmt,
    future::{Future, poll_fn},
    io,
    net::SocketAddr,
    pin::pin,
    rc::Rc,
    sync::Arc,
    task::ready,
    time::Duration,
};

use actix_http::{
    HttpService, KeepAlive, Protocol, Request, Response,
    body::{BoxBody, MessageBody},
    error::DispatchError,
};
use actix_service::{
    IntoServiceFactory, Service, ServiceFactory, ServiceFactoryExt as _, apply_fn_factory, fn_service, map_config,
};
use actix_web::{
    Error,
    dev::{AppConfig, Extensions},
    rt::net::TcpStream,
};
use futures_util::FutureExt as _;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::{
    address,
    connection::{IN_THE_SYSTEM, Reader, Socket, Stream},
    drain::Drain,
    goaway::EndingTransport,
    metrics::Connections,
    shed::{AddressTurns, LoadGate},
};

/// The head of the first request of a connection must be complete within this time, and so must a TLS handshake.
const HEADER_TIME: Duration = Duration::from_secs(5);

/// A connection without a request is closed after this time.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// What an HTTP/2 client may send ahead of what is read, on one stream and on the connection.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 512 << 10;

/// Where connections come in.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) gate: Arc<LoadGate>,
    pub(crate) open: Arc<Connections>,
    /// With it, connections are encrypted.
    pub(crate) tls: Option<TlsAcceptor>,
    /// All connections come from a proxy, which stands for many.
    pub(crate) behind_proxy: bool,
    /// When it begins, connections over HTTP/2 end.
    pub(crate) drain: Drain,
}

impl Acceptor {
    /// Makes requests of connections, for an application of one worker thread.
    pub(crate) fn service<I, S, B, Signal, Stopped>(
        self,
        application: I,
        stopping: Signal,
    ) -> impl ServiceFactory<TcpStream, Config = (), Response = (), Error = DispatchError, InitError = ()>
    where
        I: IntoServiceFactory<S, Request>,
        S: ServiceFactory<Request, Config = AppConfig> + 'static,
        S::Error: Into<Error> + 'static,
        S::InitError: fmt::Debug,
        S::Response: Into<Response<B>> + 'static,
        <S::Service as Service<Request>>::Future: 'static,
        S::Service: 'static,
        B: MessageBody + 'static,
        Signal: Fn() -> Stopped + 'static,
        Stopped: Future<Output = ()> + 'static,
    {
        let application = application.into_factory().map_err(|error| -> Response<BoxBody> {
            let error: Error = error.into();
            error.error_response().into()
        });
        let http = HttpService::build()
            .graceful_shutdown_signal(stopping)
            .keep_alive(KeepAlive::Timeout(IDLE_TIME))
            .client_request_timeout(HEADER_TIME)
            .client_disconnect_timeout(Duration::from_secs(1))
            .h2_initial_window_size(STREAM_WINDOW)
            .h2_initial_connection_window_size(CONNECTION_WINDOW)
            .on_connect_ext(|stream: &Stream, data: &mut Extensions| {
                data.insert(Rc::clone(&stream.reader().connection));
            })
            .finish(apply_fn_factory(map_config(application, |()| AppConfig::default()), |request, service| {
                // Each connection has room for the work of a request. In a box it takes room while it is done, and none
                // while the connection is idle.
                service.call(request).boxed_local()
            }));
        fn_service(move |stream: TcpStream| {
            let acceptor = self.clone();
            async move { acceptor.enter(stream).await.map_err(DispatchError::Io) }
        })
        .and_then(http)
    }

    async fn enter(self, stream: TcpStream) -> io::Result<(Stream, Protocol, Option<SocketAddr>)> {
        let peer = stream.peer_addr()?;
        let party = match self.behind_proxy {
            true => Arc::clone(self.gate.service()),
            false => self.gate.party_of(address::network(peer.ip())),
        };
        let mut arrival = AddressTurns::new(Rc::new(party), &self.gate);
        poll_fn(|context| arrival.poll(context)).await?;
        set_up(&stream);
        let socket = Socket::new(stream, &self.gate, arrival.party(), self.tls.is_some(), self.open.open())?;
        let connection = Rc::clone(&socket.connection);
        let Some(tls) = self.tls else {
            return Ok((Reader::stream(Box::new(socket), connection, arrival), Protocol::Http1, Some(peer)));
        };
        let mut accepting = pin!(tls.accept(socket));
        // Each step of a handshake is computed when it is the turn of its address, as the head of a request is read.
        let in_turn = poll_fn(|context| {
            ready!(arrival.poll(context))?;
            accepting.as_mut().poll(context)
        });
        let stream = timeout(HEADER_TIME, in_turn).await??;
        if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
            return Ok((Reader::stream(Box::new(stream), connection, arrival), Protocol::Http1, Some(peer)));
        }
        connection.multiplexed.set(true);
        let stream = EndingTransport::new(stream, Rc::clone(&connection.used), self.drain);
        Ok((Reader::stream(Box::new(stream), connection, arrival), Protocol::Http2, Some(peer)))
    }
}

/// Sets the options of a connection.
fn set_up(stream: &TcpStream) {
    if let Err(error) = rustix::net::sockopt::set_socket_send_buffer_size(stream, IN_THE_SYSTEM) {
        tracing::debug!(%error, "the send buffer of a connection keeps its size");
    }
    // The last piece of an answer is not kept back until the client has acknowledged those before it, which many put
    // off for 40 ms.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "the answers of a connection may wait for acknowledgements");
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::TcpListener;

    use super::*;

    #[actix_web::test]
    async fn the_end_of_an_answer_waits_for_no_acknowledgement() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        set_up(&stream);
        assert!(stream.nodelay().unwrap());
    }
}
