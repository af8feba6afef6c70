//! Cuts the connections of this process to a Postgres.
//!
//! libpq waits for an answer without an end, and diesel keeps the socket of a connection to itself. So the sockets of
//! the process are looked through for those that lead to the server.

use std::{
    fs,
    net::{IpAddr, SocketAddr},
    os::fd::{AsFd as _, BorrowedFd, OwnedFd, RawFd},
};

use rustix::net::{Shutdown, SocketAddrAny, SocketAddrUnix, getpeername, shutdown};

use crate::{
    tls::{ServerAddress, server_addresses},
    url::DatabaseUrl,
};

/// Ends every connection to the servers of the URL, so that all waiting calls fail; returns the number of connections.
pub(crate) fn connections(url: &DatabaseUrl) -> usize {
    end_those_to(&server_addresses(url))
}

/// As [`connections`], unless one of the servers is also one of the other URL.
pub(crate) fn connections_besides(url: &DatabaseUrl, other: &DatabaseUrl) -> usize {
    let (addresses, others) = (server_addresses(url), server_addresses(other));
    if addresses.iter().any(|address| others.contains(address)) { 0 } else { end_those_to(&addresses) }
}

fn end_those_to(server_addresses: &[ServerAddress]) -> usize {
    let sockets = open_files().into_iter().filter(|file| leads_to(file, server_addresses));
    sockets.filter(|socket| shutdown(socket, Shutdown::Both).is_ok()).count()
}

/// The open files of this process, each with a further descriptor: the one that was listed may be closed meanwhile, and
/// its number be that of another file.
fn open_files() -> Vec<OwnedFd> {
    let listed = fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers: Vec<RawFd> = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.into_iter().filter_map(duplicate).collect()
}

#[expect(
    unsafe_code,
    reason = "a number that is no longer an open file is an error of the system, and nothing else is done with it"
)]
fn duplicate(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: the descriptor is borrowed for one call, which fails where there is none; -1 is not listed.
    let file = unsafe { BorrowedFd::borrow_raw(number) };
    file.try_clone_to_owned().ok()
}

fn leads_to(file: &OwnedFd, server_addresses: &[ServerAddress]) -> bool {
    let Ok(Some(peer)) = getpeername(file.as_fd()) else { return false };
    server_addresses.iter().any(|address| match address {
        ServerAddress::Socket { port } => {
            let end = format!("/.s.PGSQL.{port}");
            SocketAddrUnix::try_from(peer.clone())
                .is_ok_and(|peer| peer.path_bytes().is_some_and(|path| path.ends_with(end.as_bytes())))
        }
        ServerAddress::Host { name, port } => is_host(&peer, name, *port),
    })
}

/// A name may have had any address when the connection was made: then the port alone says it.
fn is_host(peer: &SocketAddrAny, name: &str, port: u16) -> bool {
    let Ok(peer) = SocketAddr::try_from(peer.clone()) else { return false };
    let address = if name.eq_ignore_ascii_case("localhost") { None } else { name.parse::<IpAddr>().ok() };
    peer.port() == port && address.is_none_or(|address| address == peer.ip().to_canonical())
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        net::{TcpListener, TcpStream},
    };

    use super::*;

    #[test]
    fn only_calls_that_wait_for_the_server_fail() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let mut waits = TcpStream::connect(server.local_addr().unwrap()).unwrap();
        let _accepted = server.accept().unwrap();
        let stays = TcpStream::connect(other.local_addr().unwrap()).unwrap();
        let url = |host: &str| DatabaseUrl::parse(&format!("postgres://u@{host}:{port}/d")).unwrap();
        assert_eq!(connections(&url("127.0.0.2")), 0);
        assert_eq!(connections_besides(&url("127.0.0.1"), &url("127.0.0.1")), 0);
        let waiting = std::thread::spawn(move || waits.read(&mut [0]).unwrap());
        assert_eq!(connections(&url("127.0.0.1")), 1);
        assert_eq!(waiting.join().unwrap(), 0, "the end of the stream");
        assert!(stays.peer_addr().is_ok());
        let mut accepted = other.accept().unwrap().0;
        std::io::Write::write_all(&mut &stays, b"x").unwrap();
        assert_eq!(accepted.read(&mut [0]).unwrap(), 1);
    }
}
