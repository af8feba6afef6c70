//! Listening sockets: one that was handed over by the process that started this one, or one of its own.

use std::{
    env, io,
    net::{SocketAddr, TcpListener},
    process,
};

use listenfd::ListenFd;
use rustix::{
    io::{FdFlags, fcntl_setfd},
    net::{AddressFamily, SocketType, bind, listen, socket, sockopt},
};

/// Connections that wait to be accepted.
const BACKLOG: i32 = 4096;

/// The listening socket that was handed over to this process, as systemd does it (`sd_listen_fds`): `LISTEN_PID` is
/// this process, `LISTEN_FDS` is 1, and the socket is the file 3.
///
/// # Errors
/// When there are several, or one that is not a listening socket of TCP.
pub fn inherited() -> io::Result<Option<TcpListener>> {
    let is_ours = env::var("LISTEN_PID").is_ok_and(|pid| pid.trim().parse() == Ok(process::id()));
    if !is_ours {
        return Ok(None);
    }
    let mut found = ListenFd::from_env();
    match found.len() {
        0 => Ok(None),
        1 => {
            let Some(listener) = found.take_tcp_listener(0)? else { return Ok(None) };
            fcntl_setfd(&listener, FdFlags::CLOEXEC)?;
            Ok(Some(listener))
        }
        several => Err(io::Error::other(format!("LISTEN_FDS hands over {several} sockets, and one is served"))),
    }
}

/// Takes an address that other processes of the same user may take, too: the system shares connections among them.
///
/// # Errors
/// When somebody has it who does not share it.
pub fn bind_shared(address: SocketAddr) -> io::Result<TcpListener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket(family, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_socket_reuseport(&socket, true)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(TcpListener::from(socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shared_by_those_who_share_it() {
        let first = bind_shared(([127, 0, 0, 1], 0).into()).unwrap();
        let address = first.local_addr().unwrap();
        assert!(bind_shared(address).is_ok());
        assert!(TcpListener::bind(address).is_err());
        assert!(inherited().unwrap().is_none());
    }
}
