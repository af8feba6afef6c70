//! A mail server that follows a script, over TLS or not, and keeps what it takes.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

use muster_tests::IssuedCertificate;
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

/// How it keeps a conversation private.
#[derive(Clone)]
pub enum Privacy {
    /// Not at all.
    None,
    /// From the first byte.
    Tls(Arc<ServerConfig>),
    /// After `STARTTLS`.
    StartTls(Arc<ServerConfig>),
}

/// TLS with this certificate.
pub fn with(certified: &IssuedCertificate) -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_slice_iter(certified.certificate.as_bytes()).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(certified.key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap())
}

type Script = dyn Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync;

/// What it has seen.
#[derive(Default)]
struct Kept {
    mails: Vec<String>,
    /// Every line of a client, with `tls ` or `plain ` in front.
    said: Vec<String>,
}

/// A mail server: `script` answers a line of the client, by how many connections there were; `None` is the usual
/// answer. The empty line is the greeting, and `mail` the end of a mail.
pub struct Fake {
    pub port: u16,
    kept: Arc<Mutex<Kept>>,
}

impl Fake {
    pub fn start(script: impl Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self::start_with(Privacy::None, script)
    }

    pub fn start_with(
        privacy: Privacy,
        script: impl Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), privacy, script)
    }

    /// On a socket that there is already.
    pub fn on(
        listener: TcpListener,
        privacy: Privacy,
        script: impl Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let port = listener.local_addr().unwrap().port();
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (seen, script): (_, Arc<Script>) = (Arc::clone(&kept), Arc::new(script));
        std::thread::spawn(move || {
            for (count, stream) in (1..).zip(listener.incoming().flatten()) {
                let seen = Arc::clone(&seen);
                let script = Arc::clone(&script);
                let privacy = privacy.clone();
                std::thread::spawn(move || drop(MailSession { count, script, seen }.serve(stream, privacy)));
            }
        });
        Self { port, kept }
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// The mails that it took, in the order of arrival.
    pub fn mails(&self) -> Vec<String> {
        self.kept.lock().unwrap().mails.clone()
    }

    /// What clients said.
    pub fn said(&self) -> Vec<String> {
        self.kept.lock().unwrap().said.clone()
    }
}

/// The value of a header of a mail, put together again where it was folded.
pub fn header(mail: &str, name: &str) -> Option<String> {
    let head = mail.split("\r\n\r\n").next()?.replace("\r\n ", " ");
    let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ").map(ToOwned::to_owned));
    found.map(|value| value.trim().to_owned())
}

enum MailStream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl MailStream {
    fn tls(config: &Arc<ServerConfig>, stream: TcpStream) -> Self {
        Self::Tls(Box::new(StreamOwned::new(ServerConnection::new(Arc::clone(config)).unwrap(), stream)))
    }

    const fn word(&self) -> &'static str {
        match self {
            Self::Plain(_) => "plain",
            Self::Tls(_) => "tls",
        }
    }
}

impl Read for MailStream {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into),
            Self::Tls(stream) => stream.read(into),
        }
    }
}

impl Write for MailStream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

struct MailSession {
    count: usize,
    script: Arc<Script>,
    seen: Arc<Mutex<Kept>>,
}

impl MailSession {
    fn serve(&self, stream: TcpStream, privacy: Privacy) -> std::io::Result<()> {
        let first = match &privacy {
            Privacy::Tls(config) => MailStream::tls(config, stream),
            _ => MailStream::Plain(stream),
        };
        let mut reader = BufReader::new(first);
        self.answer(&mut reader, "", b"220 fake\r\n")?;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            let said = line.trim_end().to_owned();
            let word = reader.get_ref().word();
            self.seen.lock().unwrap().said.push(format!("{word} {said}"));
            let starts = matches!(privacy, Privacy::StartTls(_)) && word == "plain";
            let usual: &[u8] = match said.split([' ', ':']).next().unwrap_or_default() {
                "EHLO" if starts => b"250-fake\r\n250 STARTTLS\r\n",
                "EHLO" => b"250-fake\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000000\r\n",
                "STARTTLS" => b"220 go on\r\n",
                "AUTH" => b"235 welcome\r\n",
                "DATA" => b"354 go on\r\n",
                "QUIT" => b"221 bye\r\n",
                _ => b"250 ok\r\n",
            };
            let answer = self.answer(&mut reader, &said, usual)?;
            if said == "STARTTLS"
                && answer.starts_with(b"220")
                && let Privacy::StartTls(config) = &privacy
            {
                let MailStream::Plain(stream) = reader.into_inner() else { return Ok(()) };
                reader = BufReader::new(MailStream::tls(config, stream));
            }
            if said == "DATA" && answer.starts_with(b"354") {
                self.mail(&mut reader)?;
            }
            line.clear();
        }
        Ok(())
    }

    fn answer(&self, reader: &mut BufReader<MailStream>, said: &str, usual: &[u8]) -> std::io::Result<Vec<u8>> {
        let answer = (self.script)(self.count, said).unwrap_or_else(|| usual.to_vec());
        if answer.is_empty() {
            return Err(std::io::ErrorKind::ConnectionAborted.into());
        }
        reader.get_mut().write_all(&answer)?;
        reader.get_mut().flush()?;
        Ok(answer)
    }

    fn mail(&self, reader: &mut BufReader<MailStream>) -> std::io::Result<()> {
        let mut mail = String::new();
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 && line != ".\r\n" {
            mail.push_str(&line);
            line.clear();
        }
        let answer = (self.script)(self.count, "mail").unwrap_or_else(|| b"250 taken\r\n".to_vec());
        // A mail that was taken stays so, whether or not the other side hears of it.
        if answer.is_empty() || answer.starts_with(b"250") {
            self.seen.lock().unwrap().mails.push(mail);
        }
        if answer.is_empty() {
            return Err(std::io::ErrorKind::ConnectionAborted.into());
        }
        reader.get_mut().write_all(&answer)?;
        reader.get_mut().flush()
    }
}
