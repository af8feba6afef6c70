//! The way out: a connector that resolves, checks and dials, in this order and in one place.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
};
use tokio_rustls::TlsConnector;

use super::{Guard, Refusal};

/// How long it may take until a connection is there, TLS included.
const CONNECT: Duration = Duration::from_secs(5);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The guard says no.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// No address answered.
    #[error("no connection: {0}")]
    Io(#[from] io::Error),
    /// Nobody answered in time.
    #[error("no connection within {} seconds", CONNECT.as_secs())]
    Late,
    /// The URL has no host.
    #[error("the URL has no host")]
    NoHost,
}

/// TLS that trusts the authorities of the web, and `more`, and offers these protocols.
///
/// # Errors
/// A certificate in `more` is not valid.
pub fn trusting(
    more: &[rustls::pki_types::CertificateDer<'static>],
    protocols: &[&[u8]],
) -> Result<TlsConnector, rustls::Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in more {
        roots.add(certificate.clone())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Dials what the guard permits. A clone shares the settings.
#[derive(Clone)]
pub struct Dialler {
    guard: Arc<Guard>,
    tls: TlsConnector,
}

impl Dialler {
    /// TLS trusts the authorities of the web, and `more`.
    ///
    /// # Errors
    /// A certificate in `more` is not valid.
    pub fn new(guard: Arc<Guard>, more: &[rustls::pki_types::CertificateDer<'static>]) -> Result<Self, rustls::Error> {
        Ok(Self { guard, tls: trusting(more, &[b"http/1.1"])? })
    }

    /// A connection to the host of a URL.
    ///
    /// # Errors
    /// The host may not be called, or cannot be.
    pub async fn dial(&self, to: &Uri) -> Result<Stream, DialError> {
        let host = to.host().ok_or(DialError::NoHost)?;
        let secure = to.scheme_str() == Some("https");
        let port = to.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let connecting = async {
            let addresses = self.guard.resolve(host, port).await?;
            // What is dialled is these addresses, not the name.
            let plain = TcpStream::connect(addresses.as_slice()).await?;
            plain.set_nodelay(true)?;
            if !secure {
                return Ok(Stream::new(plain));
            }
            let name = ServerName::try_from(host.trim_start_matches('[').trim_end_matches(']').to_owned());
            let name = name.map_err(|_| DialError::NoHost)?;
            Ok(Stream::new(self.tls.connect(name, plain).await?))
        };
        tokio::time::timeout(CONNECT, connecting).await.unwrap_or(Err(DialError::Late))
    }
}

/// What bytes go through.
trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection, with or without TLS.
pub struct Stream {
    io: Box<dyn Io>,
    /// The right to be kept between calls; without it the connection serves one call.
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

impl Stream {
    fn new(io: impl Io + 'static) -> Self {
        Self { io: Box::new(io), permit: None }
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new();
        if self.permit.is_none() {
            connected.poison();
        }
        connected
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_read(context, into)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }
}
