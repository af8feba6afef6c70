//! The egress guard: calls may go to addresses of the internet, and to those that an operator allowed.
//!
//! An integrator decides where data goes, and must not thereby reach hosts that only this machine can: itself, its
//! network, the metadata service of its cloud. A URL is checked as a text when it is saved ([`Guard::url`]). Its name
//! is resolved when it is dialled ([`dial`]): every address is checked, and a checked address is dialled, not the name.
//! The error does not say whether the name or the address failed: it would tell which names exist inside.

pub mod connections;
pub mod dial;
mod ranges;

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

/// A block of addresses.
pub use ipnet::IpNet as Block;
use ipnet::Ipv4Net;
use url::{Host, Url};

/// The longest URL.
const LONGEST: usize = 2_000;

/// The message for a host that is not dialled, the same for every reason.
const NOT_DIALLED: &str = "the host cannot be called: its name does not resolve, or its address is not one of the \
                           internet and \
                           --egress-allow does not name it";

/// How long a name may take to resolve.
const RESOLVE: Duration = Duration::from_secs(5);

/// Reads a block of addresses such as `10.0.0.0/8` or `fd00::/8`, or one address.
///
/// # Errors
/// A sentence for the person who typed it.
pub fn block(text: &str) -> Result<Block, String> {
    let text = text.trim();
    let read = text.parse().or_else(|_| text.parse::<IpAddr>().map(Block::from));
    read.map_err(|_| format!("{text:?} is neither an address nor a block of addresses such as 10.0.0.0/8"))
}

/// The guard that decides which addresses may be dialled.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allowed: Vec<Block>,
}

impl Guard {
    /// The internet, and these blocks.
    pub fn new(allowed: Vec<Block>) -> Self {
        Self { allowed }
    }

    /// This machine too: for a look around, and for tests.
    #[must_use]
    pub fn with_loopback(mut self) -> Self {
        self.allowed.push(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8).into());
        self.allowed.push(IpAddr::V6(Ipv6Addr::LOCALHOST).into());
        self
    }

    /// May this address be dialled? Of an IPv6 address that carries an IPv4 address, that one counts.
    pub fn permits(&self, address: IpAddr) -> bool {
        let inner = ranges::innermost(address);
        let allowed = |address: IpAddr| self.allowed.iter().any(|block| block.contains(&address));
        allowed(inner) || allowed(address) || ranges::is_public(inner)
    }

    /// Reads a URL that may be called.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of its field.
    pub fn url(&self, text: &str) -> Result<Url, String> {
        if text.len() > LONGEST {
            return Err(format!("must have at most {LONGEST} characters"));
        }
        if text.chars().any(|letter| letter.is_control() || letter.is_whitespace() || letter == '\\') {
            return Err("must not contain blanks, backslashes or control characters".to_owned());
        }
        let url = Url::parse(text).map_err(|_| "must be a URL such as https://example.net/hook".to_owned())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must start with https:// or http://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not contain a user name or password: they are fields of the notifier".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must not contain a fragment (#)".to_owned());
        }
        match url.host() {
            Some(Host::Ipv4(address)) if !self.permits(address.into()) => Err(refused()),
            Some(Host::Ipv6(address)) if !self.permits(address.into()) => Err(refused()),
            Some(Host::Domain(name)) if self.is_inward(name) => Err(refused()),
            Some(_) => Ok(url),
            None => Err("must name a host".to_owned()),
        }
    }

    /// Does a name always mean this machine or this network, with any resolver?
    fn is_inward(&self, name: &str) -> bool {
        const INWARD: [&str; 5] = ["localhost", "localdomain", "internal", "local", "intranet"];
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        // Where an operator opened something, names of that network are what is wanted; the addresses decide.
        if !self.allowed.is_empty() {
            return false;
        }
        INWARD.contains(&last)
    }

    /// The addresses of a host, all of which may be dialled.
    ///
    /// # Errors
    /// One of them may not be, or the name does not resolve.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, Refusal> {
        if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            return if self.permits(address) { Ok(vec![SocketAddr::new(address, port)]) } else { Err(Refusal::Inward) };
        }
        let found = tokio::time::timeout(RESOLVE, tokio::net::lookup_host((host, port))).await;
        let addresses: Vec<SocketAddr> = match found {
            Ok(Ok(addresses)) => addresses.collect(),
            Ok(Err(_)) | Err(_) => return Err(Refusal::Unresolved),
        };
        match addresses.iter().all(|address| self.permits(address.ip())) {
            _ if addresses.is_empty() => Err(Refusal::Unresolved),
            true => Ok(addresses),
            false => Err(Refusal::Inward),
        }
    }
}

/// Why a host is not dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An address that is not of the internet, and that nobody allowed.
    #[error("{NOT_DIALLED}")]
    Inward,
    /// No address.
    #[error("{NOT_DIALLED}")]
    Unresolved,
}

fn refused() -> String {
    "must not lead to this machine or to a private network; an operator can allow one with --egress-allow".to_owned()
}

#[cfg(test)]
mod tests;
