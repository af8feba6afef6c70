//! What is done to the head of a request before the protocol layer reads it.
//!
//! Offers to go on in another protocol are not taken: a client may offer to go on in HTTP/2 with each request
//! (`Upgrade: h2c`, as Java's does by default), and whoever does not take the offer answers as if it had not been made
//! (RFC 9110, 7.8). actix takes the mention of it in `Connection` for an upgrade that took place: it would say
//! `connection: upgrade`, and close after the answer.

/// How many bytes of body follow a head, where it says so; `None` where the protocol layer has to tell.
pub(crate) fn announced(head: &[u8]) -> Option<u64> {
    let mut lines = head.split(|byte| *byte == b'\n');
    let length = lines.find_map(|line| value(line, b"content-length"))?;
    std::str::from_utf8(length).ok()?.trim().parse().ok()
}

/// Blanks the mention of an offer of HTTP/2, when `bytes` are the head of a request and what comes behind it. To be
/// called with the first bytes of a request: those of a body may look alike.
pub(crate) fn decline(bytes: &mut [u8]) {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return };
    let head = &mut bytes[..end];
    let offered =
        |line: &[u8]| value(line, b"upgrade").is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(b"h2c"));
    let mut lines = head.split(|byte| *byte == b'\n');
    let is_request = lines.next().is_some_and(|line| line.trim_ascii_end().ends_with(b" HTTP/1.1"));
    if !is_request || !lines.any(offered) {
        return;
    }
    for line in head.split_mut(|byte| *byte == b'\n') {
        if value(line, b"connection").is_none() {
            continue;
        }
        let options = line.splitn_mut(2, |byte| *byte == b':').nth(1).into_iter();
        for option in options.flat_map(|options| options.split_mut(|byte| *byte == b',')) {
            if option.trim_ascii().eq_ignore_ascii_case(b"upgrade") {
                option.iter_mut().filter(|byte| byte.is_ascii_alphabetic()).for_each(|byte| *byte = b' ');
            }
        }
    }
}

/// The value of a header, when the line is one of that name.
fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (own, value) = line.split_at_checked(name.len())?;
    let named = own.eq_ignore_ascii_case(name);
    value.strip_prefix(b":").filter(|_| named)
}

#[cfg(test)]
mod tests {
    use super::{announced, decline};

    fn declined(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        decline(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn an_offer_of_http_2_is_not_mentioned_any_more() {
        let head = "POST /a HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: h\r\nUpgrade: h2c\r\n\r\n";
        assert_eq!(declined(head), head.replace(": Upgrade,", ":        ,"));
        let other = "GET / HTTP/1.1\r\nupgrade:h2c\r\nconnection:keep-alive,upgrade\r\n\r\n";
        assert_eq!(declined(other), other.replace(",upgrade", ",       "));
    }

    #[test]
    fn the_length_of_a_body_is_found() {
        for (head, length) in [
            ("POST / HTTP/1.1\r\nHost: t\r\ncontent-length: 12\r\n\r\n", Some(12)),
            ("POST / HTTP/1.1\nContent-Length:7\n\n", Some(7)),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", None),
            ("GET / HTTP/1.1\r\nHost: t\r\n\r\n", None),
        ] {
            assert_eq!(announced(head.as_bytes()), length, "{head}");
        }
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for text in [
            "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: close\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n",
            "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\n\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "\r\n\r\n",
            "",
        ] {
            assert_eq!(declined(text), text);
        }
    }
}
