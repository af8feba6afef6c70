//! Addresses as text that sorts the way addresses do.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

/// The sortable key of an address: the 32 lower-case hex digits of its 16 bytes.
///
/// An IPv4 address counts as its IPv4-mapped form (`::ffff:a.b.c.d`), so that one column and one
/// comparison serve both families, and a CIDR block is a range of keys.
pub type IpKey = String;

/// The key of a literal IPv4 or IPv6 address; `None` when the text is not one.
///
/// The zone of an IPv6 address (`fe80::1%eth0`) is dropped: it means something on one machine only.
pub fn ip_key(text: &str) -> Option<IpKey> {
    parse(text).map(key)
}

/// The first and last key of a CIDR block such as `10.0.0.0/8` or `2001:db8::/32`.
///
/// Bits behind the prefix may be set and are ignored. `None` when the text is not a block, or the
/// prefix is longer than the address (32 or 128 bits).
pub fn cidr_range(text: &str) -> Option<(IpKey, IpKey)> {
    let (address, prefix) = text.split_once('/')?;
    let block = IpNet::new(parse(address)?, prefix_length(prefix)?).ok()?;
    Some((key(block.network()), key(block.broadcast())))
}

/// Whether a literal address is one that many machines have or none does: of the loopback, of one link, unspecified, of
/// a group, broadcast.
pub fn is_shared_ip(text: &str) -> bool {
    parse(text).is_some_and(|address| match address.to_canonical() {
        IpAddr::V4(address) => {
            address.octets()[0] == 0
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_broadcast()
        }
        IpAddr::V6(address) => {
            address.is_unspecified()
                || address.is_loopback()
                || address.is_unicast_link_local()
                || address.is_multicast()
        }
    })
}

/// Whether the host of a URL is this machine: `localhost`, or a loopback address, an IPv6 one in brackets.
pub fn is_loopback_host(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn parse(text: &str) -> Option<IpAddr> {
    match text.split_once('%') {
        None => text.parse().ok(),
        Some((_, "")) => None,
        Some((address, _)) => address.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
    }
}

/// One to three digits without a leading zero, which some readers would take for octal.
fn prefix_length(text: &str) -> Option<u8> {
    let plain = text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && (text == "0" || !text.starts_with('0'))).then(|| text.parse().ok())?
}

fn key(address: IpAddr) -> IpKey {
    let bits = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    };
    format!("{bits:032x}")
}

#[cfg(test)]
mod tests;
