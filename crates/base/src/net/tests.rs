use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

#[test]
fn both_families_share_the_keys() {
    assert_eq!(ip_key("10.0.0.1").unwrap(), "00000000000000000000ffff0a000001");
    assert_eq!(ip_key("::FFFF:10.0.0.1"), ip_key("10.0.0.1"));
    assert_eq!(ip_key("2001:DB8::1").unwrap(), "20010db8000000000000000000000001");
    assert_eq!(ip_key("fe80::1%eth0"), ip_key("fe80::1"));
}

#[test]
fn refuses_what_is_no_address() {
    let wrong = [
        "",
        " 10.0.0.1",
        "10.0.0.1 ",
        "10.0.0",
        "10.0.0.256",
        "10.0.0.01",
        "10.0.0.1%eth0",
        "fe80::1%",
        "[::1]",
        "::1::",
        "10.0.0.1/8",
        "localhost",
        "%",
    ];
    for text in wrong {
        assert_eq!(ip_key(text), None, "{text:?}");
    }
}

#[test]
fn a_block_is_a_range() {
    let range = |first, last| Some((ip_key(first).unwrap(), ip_key(last).unwrap()));
    assert_eq!(cidr_range("10.0.0.0/8"), range("10.0.0.0", "10.255.255.255"));
    assert_eq!(cidr_range("10.1.2.3/8"), cidr_range("10.0.0.0/8"));
    assert_eq!(cidr_range("10.1.2.3/32"), range("10.1.2.3", "10.1.2.3"));
    assert_eq!(cidr_range("0.0.0.0/0"), range("0.0.0.0", "255.255.255.255"));
    assert_eq!(cidr_range("2001:db8::/32"), range("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"));
    assert_eq!(cidr_range("::1/0"), range("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
    assert_eq!(cidr_range("::1/128"), range("::1", "::1"));
}

#[test]
fn addresses_that_machines_share_are_told() {
    for text in [
        "127.0.0.1",
        "127.8.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "169.254.7.1",
        "fe80::1%eth0",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "255.255.255.255",
        "ff02::1",
    ] {
        assert!(is_shared_ip(text), "{text}");
    }
    for text in ["10.0.0.1", "192.168.0.1", "8.8.8.8", "2001:db8::1", "fd00::1", "localhost", ""] {
        assert!(!is_shared_ip(text), "{text}");
    }
}

#[test]
fn refuses_what_is_no_block() {
    let wrong = [
        "",
        "/",
        "10.0.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/08",
        "10.0.0.0/8/8",
        "10.0.0.0/ 8",
        "/8",
        "10.0.0.0/99999999999",
    ];
    for text in wrong {
        assert_eq!(cidr_range(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn keys_sort_as_addresses_do(one: u128, other: u128) {
        let one = Ipv6Addr::from_bits(one);
        let other = Ipv6Addr::from_bits(other);
        let keys = (ip_key(&one.to_string()).unwrap(), ip_key(&other.to_string()).unwrap());
        prop_assert_eq!(keys.0.cmp(&keys.1), one.cmp(&other));
    }

    #[test]
    fn a_block_holds_the_addresses_that_share_its_prefix(base: u32, flip: u32, prefix in 0_u32..=32) {
        let (low, high) = cidr_range(&format!("{}/{prefix}", Ipv4Addr::from_bits(base))).unwrap();
        let other = base ^ flip;
        let key = ip_key(&Ipv4Addr::from_bits(other).to_string()).unwrap();
        let inside = flip.leading_zeros() >= prefix;
        prop_assert_eq!((low..=high).contains(&key), inside);
    }

    #[test]
    fn survives_any_text(text: String, near in "[0-9a-f:.]{0,20}%?/?[0-9]{0,4}") {
        for text in [text, near] {
            prop_assert!(ip_key(&text).is_none_or(|key| key.len() == 32));
            prop_assert!(cidr_range(&text).is_none_or(|(first, last)| first <= last));
        }
    }
}
