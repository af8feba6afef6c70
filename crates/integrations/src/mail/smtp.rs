//! The SMTP client: sends one mail to one server by `lettre`, with TLS or without. It limits the size of the server's
//! answers; the caller limits the time.

use std::{
    error::Error as _,
    fmt::Display,
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use lettre::{
    Message,
    transport::smtp::{
        Error,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, AsyncTokioStream, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::ClientId,
        response::{Response, Severity},
    },
};
use ports::SendError;
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncBufRead as _, AsyncRead, AsyncWrite, BufReader, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::{Privacy, SmtpUrl};

/// How many bytes and lines a server may say between two commands; a handshake of TLS counts too.
const MOST_BYTES: usize = 32 << 10;
const MOST_LINES: usize = 256;

/// A connection to a server, of which `lettre` reads one line at a time, and a bounded number of them.
///
/// `lettre` reads a line of any length, and an answer from its beginning for each of its lines; and it keeps over
/// STARTTLS what it has read before. Of one line at a time nothing is left by then: what somebody on the way added to
/// the answer before TLS goes to the handshake, and breaks it.
#[derive(Debug)]
struct BoundedStream<S> {
    stream: BufReader<S>,
    peer: SocketAddr,
    bytes: usize,
    lines: usize,
}

impl<S: AsyncRead> BoundedStream<S> {
    fn new(stream: S, peer: SocketAddr) -> Self {
        Self { stream: BufReader::new(stream), peer, bytes: 0, lines: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for BoundedStream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let mut stream = Pin::new(&mut this.stream);
        let read = ready!(stream.as_mut().poll_fill_buf(context))?;
        let line = read.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        let count = line.len().min(into.remaining());
        this.bytes += count;
        this.lines += 1;
        if this.bytes > MOST_BYTES || this.lines > MOST_LINES {
            return Poll::Ready(Err(io::Error::other("it says more than any mail server says")));
        }
        into.put_slice(line.get(..count).unwrap_or_default());
        stream.consume(count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for BoundedStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.bytes = 0;
        this.lines = 0;
        Pin::new(&mut this.stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

impl<S> AsyncTokioStream for BoundedStream<S>
where
    S: AsyncRead + AsyncWrite + Send + Sync + Unpin + std::fmt::Debug,
{
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

/// TLS to a server: from the first byte, or after STARTTLS.
#[derive(Clone)]
pub struct Tls {
    pub at_once: TlsConnector,
    pub started: TlsParameters,
}

/// Hands a mail over; answers the status by which the server takes it.
pub async fn send(server: &SmtpUrl, tls: &Tls, mail: &Message) -> Result<u16, SendError> {
    let mut connection = connect(server, tls).await?;
    if let Some((user, password)) = &server.login {
        let credentials = Credentials::new(user.clone(), password.expose().clone());
        let answered = connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await;
        answered.map_err(|error| unsent(&error, false, "the login"))?;
    }
    let envelope = mail.envelope();
    let from = Mail::new(envelope.from().cloned(), Vec::new());
    command(&mut connection, from, Severity::PositiveCompletion, "MAIL").await?;
    for to in envelope.to() {
        command(&mut connection, Rcpt::new(to.clone(), Vec::new()), Severity::PositiveCompletion, "RCPT").await?;
    }
    command(&mut connection, Data, Severity::PositiveIntermediate, "DATA").await?;
    let taken = connection.message(&mail.formatted()).await;
    let code = accepted(taken, Severity::PositiveCompletion, "the mail")?;
    // The mail is taken: the farewell is written, and its answer is not waited for.
    let _ = timeout(Duration::ZERO, connection.quit()).await;
    Ok(code)
}

/// Connects and takes leave.
pub async fn greet(server: &SmtpUrl, tls: &Tls) -> Result<(), SendError> {
    let mut connection = connect(server, tls).await?;
    let _ = timeout(Duration::ZERO, connection.quit()).await;
    Ok(())
}

async fn connect(server: &SmtpUrl, tls: &Tls) -> Result<AsyncSmtpConnection, SendError> {
    let unreached = |error: io::Error| SendError::new(format!("the mail server is not reached: {}", error.kind()));
    let stream = TcpStream::connect((server.host.as_str(), server.port)).await.map_err(unreached)?;
    let peer = stream.peer_addr().map_err(unreached)?;
    let stream: Box<dyn AsyncTokioStream> = if server.privacy == Privacy::Tls {
        let name = ServerName::try_from(server.host.clone());
        let name = name.map_err(|_| SendError::new("the mail server has no name"))?;
        let stream = tls.at_once.connect(name, stream).await.map_err(|error| no_tls(&error))?;
        Box::new(BoundedStream::new(stream, peer))
    } else {
        Box::new(BoundedStream::new(stream, peer))
    };
    let name = ClientId::Domain("muster".to_owned());
    let connected = AsyncSmtpConnection::connect_with_transport(stream, &name).await;
    let mut connection = connected.map_err(|error| unsent(&error, false, "the connection"))?;
    if server.privacy == Privacy::StartTls {
        if !connection.can_starttls() {
            return Err(SendError::new("the mail server offers no STARTTLS, and mail is not sent without it"));
        }
        let started = connection.starttls(tls.started.clone(), &name).await;
        started.map_err(|error| match error.status() {
            Some(_) => unsent(&error, false, "STARTTLS"),
            None => no_tls(&error),
        })?;
    }
    Ok(connection)
}

async fn command(
    connection: &mut AsyncSmtpConnection,
    command: impl Display,
    expected: Severity,
    doing: &str,
) -> Result<u16, SendError> {
    accepted(connection.command(command).await, expected, doing)
}

/// The code of an answer to something about the mail itself.
fn accepted(answered: Result<Response, Error>, expected: Severity, doing: &str) -> Result<u16, SendError> {
    let code = answered.map_err(|error| unsent(&error, true, doing))?.code();
    if code.severity != expected {
        return Err(SendError::new(format!("the mail server answered {doing} with {code}")));
    }
    Ok(code.into())
}

/// A refusal of the mail itself is for good when the server says so; of anything else it may be the operator's mistake,
/// and mended meanwhile.
fn unsent(error: &Error, of_the_mail: bool, doing: &str) -> SendError {
    let text = error.source().map_or_else(|| short(error), short);
    match error.status() {
        Some(code) => SendError {
            status: Some(code.into()),
            for_good: of_the_mail && error.is_permanent(),
            ..SendError::new(format!("the mail server answered {doing} with {code} {text}"))
        },
        None => SendError::new(format!("the mail server did not answer {doing}: {text}")),
    }
}

fn no_tls(error: &impl Display) -> SendError {
    SendError::new(format!("no TLS with the mail server: {}", short(error)))
}

/// A text that others may have written, without control characters, and not long.
fn short(text: impl Display) -> String {
    text.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect()
}
