//! The tunnel: libpq speaks in the clear to a socket that only this user may open, and what it says goes on to the
//! server inside TLS.

use std::{fs, io, path::PathBuf, sync::Arc, thread::JoinHandle, time::Duration};

use rustls::{ClientConfig, pki_types::ServerName};
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy},
    net::{TcpStream, UnixListener, UnixStream},
    sync::oneshot,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::{
    settings::{KeepAlive, Mode, Settings, Target},
    startup,
};
use crate::{Error, Result};

/// A server that has not answered by then is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// For so long what the server still says is handed on after libpq has closed its side.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// "May I speak TLS?", as the protocol of Postgres has it.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Open as long as the database is.
pub(crate) struct Tunnel {
    /// Removed with it.
    _directory: TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// One end of the tunnel, and how it leads to its server.
struct TunnelEnd {
    listener: std::os::unix::net::UnixListener,
    upstream: Upstream,
}

struct Upstream {
    target: Target,
    tls: Arc<ClientConfig>,
    mode: Mode,
    direct: bool,
    keep_alive: KeepAlive,
}

impl Tunnel {
    /// Opens an end for each target; gives the directories for libpq's `host`.
    pub(crate) fn open(targets: Vec<Target>, tls: ClientConfig, settings: &Settings) -> Result<(Self, Vec<PathBuf>)> {
        let failed = |error: io::Error| Error::Unavailable(format!("the TLS tunnel cannot be opened: {error}"));
        // Its mode is 0700: who could open the socket could speak for us.
        let directory = tempfile::Builder::new().prefix("muster-tls-").tempdir().map_err(failed)?;
        let tls = Arc::new(tls);
        let mut ends = Vec::new();
        let mut directories = Vec::new();
        for (number, target) in targets.into_iter().enumerate() {
            let directory_path = directory.path().join(number.to_string());
            fs::create_dir(&directory_path).map_err(failed)?;
            let listener =
                std::os::unix::net::UnixListener::bind(directory_path.join(format!(".s.PGSQL.{}", target.port)));
            let listener = listener.map_err(failed)?;
            listener.set_nonblocking(true).map_err(failed)?;
            let Settings { mode, direct, keep_alive, .. } = *settings;
            ends.push(TunnelEnd {
                listener,
                upstream: Upstream { target, tls: Arc::clone(&tls), mode, direct, keep_alive },
            });
            directories.push(directory_path);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("postgres-tls".to_owned()).spawn(move || {
            runtime.block_on(async {
                for end in ends {
                    tokio::spawn(serve(end));
                }
                let _ = stopped.await;
            });
        });
        let thread = Some(thread.map_err(failed)?);
        Ok((Self { _directory: directory, stop: Some(stop), thread }, directories))
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(end: TunnelEnd) {
    let upstream = Arc::new(end.upstream);
    let listener = match UnixListener::from_std(end.listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the TLS tunnel"),
    };
    loop {
        match listener.accept().await {
            Ok((local, _)) => {
                let upstream = Arc::clone(&upstream);
                tokio::spawn(async move { forward_connection(local, &upstream).await });
            }
            Err(error) => {
                tracing::warn!(%error, "the TLS tunnel");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// One connection of libpq, from its beginning to its end.
async fn forward_connection(mut local: UnixStream, upstream: &Upstream) {
    let dialled = timeout(PATIENCE, upstream.dial()).await;
    match dialled.unwrap_or_else(|_| Err(format!("no answer within {} seconds", PATIENCE.as_secs()))) {
        Ok(mut remote) => {
            let begun = timeout(PATIENCE, startup::relay(&mut local, &mut remote)).await;
            if matches!(begun, Ok(Ok(()))) {
                copy_both_ways(local, remote).await;
            }
        }
        Err(reason) => {
            let Target { host, port, .. } = &upstream.target;
            let _ = timeout(PATIENCE, startup::refuse(&mut local, &format!("{host}:{port}: {reason}"))).await;
        }
    }
}

/// Either side may go away at any time; the other learns of it from the end of its stream. A server that stands still
/// never ends its own, so that nobody waits for it once libpq has closed its side.
async fn copy_both_ways(local: UnixStream, remote: Box<dyn Stream>) {
    let (mut from_local, mut to_local) = local.into_split();
    let (mut from_remote, mut to_remote) = tokio::io::split(remote);
    let there = async {
        let _ = copy(&mut from_local, &mut to_remote).await;
        let _ = timeout(LAST_WORDS, to_remote.shutdown()).await;
    };
    let back = async {
        let _ = copy(&mut from_remote, &mut to_local).await;
        let _ = to_local.shutdown().await;
    };
    tokio::pin!(back);
    tokio::select! {
        () = &mut back => {}
        () = there => drop(timeout(LAST_WORDS, back).await),
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Upstream {
    /// A connection to the server, inside TLS unless the mode lets it be.
    async fn dial(&self) -> Result<Box<dyn Stream>, String> {
        let Target { host, address, port } = &self.target;
        let text = |error: io::Error| error.to_string();
        let mut stream = TcpStream::connect((address.as_deref().unwrap_or(host), *port)).await.map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        if let Err(error) = self.keep_alive.bound(&stream) {
            tracing::debug!(%error, "keep-alive");
        }
        if !self.direct {
            stream.write_all(&SSL_REQUEST).await.map_err(text)?;
            // Not a byte more is read: what follows in the clear is nothing the server said.
            match stream.read_u8().await.map_err(text)? {
                b'S' => {}
                b'N' if self.mode == Mode::Prefer => return Ok(Box::new(stream)),
                b'N' => return Err("the server does not speak TLS".to_owned()),
                _ => return Err("this is not a Postgres server".to_owned()),
            }
        }
        let name = ServerName::try_from(host.clone()).map_err(|_| format!("{host} is not a host name"))?;
        let stream = TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await;
        Ok(Box::new(stream.map_err(|error| format!("TLS: {error}"))?))
    }
}

impl KeepAlive {
    /// Tells the system when to give the server up.
    fn bound(&self, stream: &TcpStream) -> rustix::io::Result<()> {
        use rustix::net::sockopt;
        #[cfg(target_os = "linux")]
        if let Some(millis) = self.unanswered_ms {
            sockopt::set_tcp_user_timeout(stream, millis)?;
        }
        let Some([idle, interval, count]) = self.ask else { return Ok(()) };
        sockopt::set_socket_keepalive(stream, true)?;
        // 0 stands for what the system does by itself.
        let seconds = |number: u32| Some(Duration::from_secs(number.into())).filter(|time| !time.is_zero());
        if let Some(time) = seconds(idle) {
            sockopt::set_tcp_keepidle(stream, time)?;
        }
        if let Some(time) = seconds(interval) {
            sockopt::set_tcp_keepintvl(stream, time)?;
        }
        if count > 0 {
            sockopt::set_tcp_keepcnt(stream, count)?;
        }
        Ok(())
    }
}
