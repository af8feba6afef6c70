//! Which addresses are of the internet (the special-purpose registries of RFC 6890 and what came after).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 address that an IPv6 address stands for (mapped, translated, NAT64), or the address itself.
pub fn innermost(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address else { return address };
    match six.segments() {
        // ::ffff:0:0/96 mapped, ::ffff:0:0:0/96 translated, 64:ff9b::/96 NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        _ => address,
    }
}

/// Is this an address of the internet?
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_v4(four),
        IpAddr::V6(six) => is_public_v6(six),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 88, 99)
            | (192, 168, _)
            | (192, 175, 48)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224..=255, ..)
    ) && address != Ipv4Addr::new(168, 63, 129, 16)
}

/// Of IPv6 only 2000::/3 is given out, and not all of that: without Teredo and what else is below 2001:200::, the
/// documentation, 6to4, and ISATAP, whose tunnels may end anywhere.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x2002 | 0x3ffe, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}
