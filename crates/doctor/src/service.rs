//! Whether the service runs: it notes in the data directory which process it is and where it listens, and holds a lock
//! on the note as long as it lives.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    net::{TcpStream, ToSocketAddrs as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::fs::{FlockOperation, flock};
use tempfile::NamedTempFile;

use crate::report::Report;

const WHAT: &str = "service";
const FILE: &str = "service";

/// How long the service may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The note of a service that runs; the file is removed when this is dropped, and the lock ends with the process.
pub struct ServiceNote {
    file: File,
    path: PathBuf,
}

impl ServiceNote {
    /// Notes that this process serves at `address`, such as `http://127.0.0.1:8080`, as this machine reaches it.
    /// A disk that does not take the note stops nothing.
    pub fn write(data_dir: &Path, address: &str) -> Option<Self> {
        let path = data_dir.join(FILE);
        match write(&path, address) {
            Ok(file) => Some(Self { file, path }),
            Err(error) => {
                tracing::warn!(file = %path.display(), "cannot note that the service runs: {error}");
                None
            }
        }
    }
}

fn write(path: &Path, address: &str) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = NamedTempFile::with_prefix_in(".muster-", folder)?;
    writeln!(new, "{} {address}", std::process::id())?;
    db::give_to_owner_of_folder(new.as_file(), path)?;
    // Before it has its name: nobody finds it without the lock.
    flock(new.as_file(), FlockOperation::NonBlockingLockExclusive)?;
    new.persist(path).map_err(|error| error.error)
}

impl Drop for ServiceNote {
    fn drop(&mut self) {
        let inode = |found: io::Result<fs::Metadata>| found.ok().map(|found| found.ino());
        // The next service may have noted itself already.
        if inode(self.file.metadata()) == inode(fs::metadata(&self.path)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Report {
    /// Does the service of this data directory run, and is it ready?
    pub fn service(&mut self, data_dir: &Path) {
        let mut text = String::new();
        let file = File::open(data_dir.join(FILE));
        let file = file.and_then(|mut file| file.read_to_string(&mut text).map(|_| file));
        let file = match file {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.good(WHAT, "it does not run"),
            Err(error) => return self.warning(WHAT, format!("its note cannot be read: {error}")),
        };
        let (process, address) = text.trim_end().split_once(' ').unwrap_or_default();
        if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
            let text = format!("it does not run: the process {process} ended without stopping in order");
            return self.warning(WHAT, text);
        }
        match status(address) {
            Ok(None) => self.good(WHAT, format!("it runs as process {process} and takes connections at {address}")),
            Ok(Some(200)) => self.good(WHAT, format!("it runs as process {process} and is ready at {address}")),
            Ok(Some(status)) => {
                self.fault(WHAT, format!("it runs as process {process} and is not ready: {address} says {status}"));
            }
            Err(error) => {
                self.fault(WHAT, format!("it runs as process {process} and does not answer at {address}: {error}"));
            }
        }
    }
}

/// The status of `/health/ready`; `None` where it is reached over TLS, of which a connection alone is asked.
fn status(origin: &str) -> io::Result<Option<u16>> {
    let (scheme, address) = origin.split_once("://").ok_or(io::ErrorKind::InvalidData)?;
    let address = address.to_socket_addrs()?.next().ok_or(io::ErrorKind::AddrNotAvailable)?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    if scheme == "https" {
        return Ok(None);
    }
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /health/ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    let status = head.strip_prefix(b"HTTP/1.").and_then(|rest| std::str::from_utf8(rest.get(2..)?).ok()?.parse().ok());
    status.map(Some).ok_or_else(|| io::Error::other("it does not answer as HTTP does"))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader},
        net::TcpListener,
        thread,
    };

    use super::*;

    fn told(data_dir: &Path) -> String {
        let mut report = Report::default();
        report.service(data_dir);
        report.lines()
    }

    #[test]
    fn a_service_runs_or_does_not_or_ended_without_a_stop() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(told(directory.path()), "ok    service: it does not run");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = thread::spawn(move || {
            for answer in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 503 Service Unavailable\r\n\r\n", "220 mail\r\n\r\n"] {
                let (mut stream, _) = listener.accept().unwrap();
                let request = BufReader::new(stream.try_clone().unwrap()).lines();
                assert!(request.map_while(Result::ok).any(|line| line.is_empty()), "the request has an end");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let note = ServiceNote::write(directory.path(), &address).unwrap();
        let process = std::process::id();
        assert_eq!(
            told(directory.path()),
            format!("ok    service: it runs as process {process} and is ready at {address}")
        );
        assert!(told(directory.path()).contains("FAIL  service: ") && told(directory.path()).contains("as HTTP does"));
        answers.join().unwrap();
        assert!(told(directory.path()).contains("and does not answer at"), "nobody listens any more");
        drop(note);
        assert_eq!(told(directory.path()), "ok    service: it does not run");
        fs::write(directory.path().join(FILE), format!("{process} {address}\n")).unwrap();
        assert!(told(directory.path()).starts_with("warn  service: it does not run: the process"));
    }
}
