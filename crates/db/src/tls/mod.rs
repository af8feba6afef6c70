//! TLS to Postgres.
//!
//! libpq is built into the program without OpenSSL, and so without TLS. A URL that asks for TLS (`sslmode`, with the
//! meaning that it has for libpq) is therefore taken apart: libpq is given a socket of this process in a private
//! directory, and this process speaks TLS to the server.
//!
//! The alternatives cost more than these files. libpq with OpenSSL needs perl and minutes to build, and is a second TLS
//! library with other roots, ciphers and advisories than the rustls of all other connections. A driver in Rust
//! (`tokio-postgres`, for which there are connectors) is none that diesel's own connection, and with it one set of
//! queries for two backends, can be had over.

mod settings;
mod startup;
mod tunnel;
mod verify;

use base::secret::Secret;

use self::settings::{Endpoint, Settings, Target};
pub(crate) use self::tunnel::Tunnel;
use crate::{Error, Result, url::DatabaseUrl};

/// The URL to connect to, complete, and the tunnel it leads through when TLS is asked for.
pub(crate) fn through(url: &DatabaseUrl) -> Result<(DatabaseUrl, Option<Tunnel>)> {
    let environment = |name: &str| std::env::var(name).ok();
    let url = url.with_defaults(&environment);
    let DatabaseUrl::Postgres(text) = &url else { return Ok((url, None)) };
    let Some(settings) = Settings::read(text.expose(), &environment).map_err(Error::Unavailable)? else {
        return Ok((url, None));
    };
    let tls = verify::client_config(&settings).map_err(Error::Unavailable)?;
    let targets = settings.endpoints.iter().filter_map(|endpoint| match endpoint {
        Endpoint::Tunnel(target) => Some(target.clone()),
        Endpoint::Socket { .. } => None,
    });
    let (tunnel, directories) = Tunnel::open(targets.collect(), tls, &settings)?;
    let url = settings.rewritten(&directories);
    Ok((DatabaseUrl::Postgres(Secret::new(url)), Some(tunnel)))
}

/// The address of a server, as libpq connects to it.
#[derive(PartialEq, Eq)]
pub(crate) enum ServerAddress {
    Host { name: String, port: u16 },
    Socket { port: String },
}

/// The servers that libpq connects to with a URL from [`through`].
pub(crate) fn server_addresses(url: &DatabaseUrl) -> Vec<ServerAddress> {
    let DatabaseUrl::Postgres(text) = url else { return Vec::new() };
    let environment = |name: &str| std::env::var(name).ok();
    let endpoints = settings::servers(text.expose(), &environment).unwrap_or_default().into_iter();
    let to_address = |endpoint| match endpoint {
        Endpoint::Tunnel(Target { host, address, port }) => ServerAddress::Host { name: address.unwrap_or(host), port },
        Endpoint::Socket { port, .. } => ServerAddress::Socket { port },
    };
    endpoints.map(to_address).collect()
}
