//! Where a request comes from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use actix_web::HttpRequest;

/// The address of a client: the peer, or behind a proxy of ours (`trust_forwarded`) the last address that the proxy
/// wrote to `X-Forwarded-For`. Without a proxy that header is anybody's to write.
pub fn of(request: &HttpRequest, trust_forwarded: bool) -> IpAddr {
    let forwarded = trust_forwarded.then(|| {
        let last = request.headers().get_all("x-forwarded-for").last()?.to_str().ok()?;
        read(last.rsplit(',').next()?)
    });
    let peer = || request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    network(forwarded.flatten().unwrap_or_else(peer))
}

/// What one subscriber has: of an IPv6 address the first 64 bits.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

/// An address as proxies write it: alone, with a port, or in brackets.
fn read(text: &str) -> Option<IpAddr> {
    let text = text.trim().trim_matches('"');
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn request(peer: &str, forwarded: &[&str]) -> HttpRequest {
        let request = TestRequest::default().peer_addr(peer.parse().unwrap());
        forwarded.iter().fold(request, |r, value| r.append_header(("X-Forwarded-For", *value))).to_http_request()
    }

    #[test]
    fn the_address_is_the_peers_or_the_last_that_a_proxy_wrote() {
        let proxy = "10.0.0.1:1234";
        let v6 = "[2001:db8:1:2:3:4:5:6]:80";
        let from = |peer, forwarded: &[&str], trust| of(&request(peer, forwarded), trust).to_string();
        assert_eq!(from(proxy, &["192.0.2.1"], false), "10.0.0.1");
        assert_eq!(from(proxy, &[], true), "10.0.0.1");
        assert_eq!(from(proxy, &["198.51.100.7, 192.0.2.1"], true), "192.0.2.1");
        assert_eq!(from(proxy, &["198.51.100.7", "192.0.2.1:443"], true), "192.0.2.1");
        assert_eq!(from(proxy, &["192.0.2.1, unknown"], true), "10.0.0.1");
        assert_eq!(from(proxy, &["::ffff:192.0.2.1"], true), "192.0.2.1");
        assert_eq!(from(proxy, &["\"[2001:db8::1]\""], true), "2001:db8::");
        assert_eq!(from(v6, &[], false), "2001:db8:1:2::");
    }
}
