//! The relay of the first messages between libpq and the server. It removes one authentication method from the server's
//! offer.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The longest first message of a client that Postgres takes; an answer to it is shorter still.
const LONGEST: usize = 10_000;

/// An answer of the kind "authenticate yourself".
const AUTHENTICATION: u8 = b'R';

/// The kind of authentication that lists its methods by name.
const SASL: [u8; 4] = [0, 0, 0, 10];

/// The method that binds a login to its TLS connection. libpq sees no TLS here, would take the offer for an attack by a
/// middleman, and give up.
const BOUND_TO_TLS: &[u8] = b"SCRAM-SHA-256-PLUS";

/// Hands on what both say until the server has said how to authenticate.
pub(super) async fn relay<L, R>(local: &mut L, remote: &mut R) -> io::Result<()>
where
    L: AsyncRead + AsyncWrite + Unpin,
    R: AsyncRead + AsyncWrite + Unpin,
{
    let length = local.read_u32().await?;
    let start = read_rest(local, length).await?;
    remote.write_u32(length).await?;
    remote.write_all(&start).await?;
    remote.flush().await?;
    loop {
        // The server ends a request to cancel without an answer.
        let kind = remote.read_u8().await?;
        let length = remote.read_u32().await?;
        let body = read_rest(remote, length).await?;
        let body = if kind == AUTHENTICATION { without_binding(&body) } else { body };
        local.write_all(&message(kind, &body)).await?;
        // Before it, a server may say which version of the protocol it speaks.
        if kind != b'v' {
            return Ok(());
        }
    }
}

/// What follows a length that counts itself.
async fn read_rest<S: AsyncRead + Unpin>(stream: &mut S, length: u32) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if !(4..=LONGEST).contains(&length) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut rest = vec![0; length - 4];
    stream.read_exact(&mut rest).await?;
    Ok(rest)
}

fn without_binding(body: &[u8]) -> Vec<u8> {
    let Some(ways) = body.strip_prefix(&SASL) else { return body.to_vec() };
    let mut kept = SASL.to_vec();
    for way in ways.split_inclusive(|byte| *byte == 0) {
        if way.strip_suffix(&[0]) != Some(BOUND_TO_TLS) {
            kept.extend_from_slice(way);
        }
    }
    kept
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    let mut message = vec![kind];
    message.extend(length.to_be_bytes());
    message.extend(body);
    message
}

/// Tells libpq why there is no connection, as a server would, so that the reason is in its error.
pub(super) async fn refuse<L: AsyncRead + AsyncWrite + Unpin>(local: &mut L, reason: &str) -> io::Result<()> {
    let length = local.read_u32().await?;
    read_rest(local, length).await?;
    let mut fields = Vec::new();
    for (kind, text) in [(b'S', "FATAL"), (b'V', "FATAL"), (b'C', "08001"), (b'M', reason)] {
        fields.push(kind);
        fields.extend(text.bytes().filter(|byte| *byte != 0));
        fields.push(0);
    }
    fields.push(0);
    local.write_all(&message(b'E', &fields)).await?;
    local.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn binding_to_tls_is_not_offered() {
        let start = [&8_u32.to_be_bytes()[..], b"abcd"].concat();
        let offered = [&SASL[..], b"SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"].concat();
        let kept = [&SASL[..], b"SCRAM-SHA-256\0\0"].concat();
        let (mut client, mut local) = tokio::io::duplex(1024);
        let (mut remote, mut server) = tokio::io::duplex(1024);
        let (to_client, to_server) = block_on(async {
            client.write_all(&start).await.unwrap();
            server.write_all(&message(b'v', b"123")).await.unwrap();
            server.write_all(&message(b'R', &offered)).await.unwrap();
            server.write_all(b"more").await.unwrap();
            relay(&mut local, &mut remote).await.unwrap();
            drop(local);
            let mut more = [0; 4];
            remote.read_exact(&mut more).await.unwrap();
            assert_eq!(&more, b"more", "nothing else is taken");
            drop(remote);
            let mut to_client = Vec::new();
            let mut to_server = Vec::new();
            client.read_to_end(&mut to_client).await.unwrap();
            server.read_to_end(&mut to_server).await.unwrap();
            (to_client, to_server)
        });
        assert_eq!(to_server, start);
        assert_eq!(to_client, [message(b'v', b"123"), message(b'R', &kept)].concat());
    }

    #[test]
    fn other_authentication_is_handed_on_as_it_is() {
        let cleartext = [0, 0, 0, 3];
        assert_eq!(without_binding(&cleartext), cleartext);
        assert_eq!(without_binding(&SASL), SASL);
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error() {
        for length in [0, 3, 10_001, u32::MAX] {
            assert!(block_on(read_rest(&mut [0; 8].as_slice(), length)).is_err(), "{length}");
        }
    }
}
