//! What may not be dialled, in every spelling.

use super::*;

fn permits(text: &str) -> bool {
    Guard::default().permits(text.parse().unwrap())
}

#[test]
fn only_the_internet_is_public() {
    for inward in [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "2002:0808:0808::",
        "2001:0:1:2:3:4:80ff:fffe",
        "2001:db8::1",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "100::1",
        "2600::5efe:7f00:1",
        "5f00::1",
    ] {
        assert!(!permits(inward), "{inward}");
    }
    for outward in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"] {
        assert!(permits(outward), "{outward}");
    }
}

#[test]
fn what_an_operator_allowed_is_allowed() {
    let guard = Guard::new(vec![block("10.0.0.0/8").unwrap(), block("fd00::/8").unwrap()]);
    for (address, permitted) in [
        ("10.9.8.7", true),
        ("::ffff:10.9.8.7", true),
        ("fd12::1", true),
        ("11.0.0.1", true),
        ("127.0.0.1", false),
        ("fe80::1", false),
        ("192.168.0.1", false),
    ] {
        assert_eq!(guard.permits(address.parse().unwrap()), permitted, "{address}");
    }
    assert!(Guard::default().with_loopback().permits("127.0.0.2".parse().unwrap()));
    assert!(Guard::new(vec![block("0.0.0.0/0").unwrap()]).permits("127.0.0.1".parse().unwrap()));
    for wrong in ["", "10.0.0.0/33", "::/129", "example.net", "10.0.0.0/-1", "10.0.0.0/x"] {
        assert!(block(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn urls_are_read_as_they_are_dialled() {
    let guard = Guard::default();
    for wrong in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://１２７.０.０.１/",
        "http://%31%32%37.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://a.localhost/",
        "http://ⓛocalhost/",
        "http://169.254.169.254/latest/",
        "http://metadata.google.internal/",
        "http://0/",
        "http://127。0。0。1/",
        "https://user@example.net/",
        "https://user:pw@example.net/",
        "ftp://example.net/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "http:///",
        "example.net",
        "",
        "http://exa mple.net/",
        "http://example.net\\@127.0.0.1/",
        "http://example.net/#f",
        "http://[fe80::1%25eth0]/",
        "http://127.0.0.1.:80/",
    ] {
        assert!(guard.url(wrong).is_err(), "{wrong}: {:?}", guard.url(wrong));
    }
    for right in ["https://example.net/hook", "http://8.8.8.8:8080/a?b=c", "https://[2606:4700::1111]/"] {
        assert!(guard.url(right).is_ok(), "{right}");
    }
}

/// A name that leads inward is found out when it is dialled, whatever was checked before: what is dialled are the
/// addresses that were checked.
#[test]
fn names_are_checked_when_they_are_dialled() {
    use std::{net::TcpListener, sync::Arc};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sink = TcpListener::bind("127.0.0.1:0").unwrap();
    sink.set_nonblocking(true).unwrap();
    let port = sink.local_addr().unwrap().port();
    let dial = |guard: Guard, url: String| {
        let dialler = dial::Dialler::new(Arc::new(guard), &[]).unwrap();
        runtime.block_on(dialler.dial(&url.parse().unwrap())).map(drop)
    };
    for host in ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"] {
        let refused = dial(Guard::default(), format!("http://{host}:{port}/"));
        assert!(matches!(refused, Err(dial::DialError::Refused(Refusal::Inward))), "{host}: {refused:?}");
    }
    assert!(sink.accept().is_err(), "somebody connected");
    assert!(dial(Guard::default().with_loopback(), format!("http://localhost:{port}/")).is_ok());
    assert!(sink.accept().is_ok());
    let none = dial(Guard::default(), "http://nobody.invalid/".to_owned());
    assert!(matches!(none, Err(dial::DialError::Refused(Refusal::Unresolved))), "{none:?}");
}
