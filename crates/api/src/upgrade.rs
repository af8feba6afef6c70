//! What is done to the head of a request before the protocol layer reads it.
//!
//! Offers to go on in another protocol are not taken: a client may offer to go on in HTTP/2 with each request
//! (`Upgrade: h2c`, as Java's does by default), and anyone who does not take the offer answers as if it had not been
//! made (RFC 9110, 7.8). actix takes the mention of it in `Connection` for an upgrade that took place: it would say
//! `connection: upgrade`, and close after the answer.

/// Blanks the mention of an offer of HTTP/2, when the bytes are the head of a request, from its first byte to its end.
pub(crate) fn decline(head: &mut [u8]) {
    if !head.ends_with(b"\r\n\r\n") || !mentions_http_2(head) {
        return;
    }
    let offered =
        |line: &[u8]| value(line, b"upgrade").is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(b"h2c"));
    let mut lines = head.split(|byte| *byte == b'\n');
    let is_request = lines.next().is_some_and(|line| line.trim_ascii_end().ends_with(b" HTTP/1.1"));
    if !is_request || !lines.any(offered) {
        return;
    }
    for line in head.split_mut(|byte| *byte == b'\n').filter(|line| value(line, b"connection").is_some()) {
        let options = line.splitn_mut(2, |byte| *byte == b':').nth(1).into_iter();
        for option in options.flat_map(|options| options.split_mut(|byte| *byte == b',')) {
            if option.trim_ascii().eq_ignore_ascii_case(b"upgrade") {
                option.iter_mut().filter(|byte| byte.is_ascii_alphabetic()).for_each(|byte| *byte = b' ');
            }
        }
    }
}

/// Does the name of HTTP/2 stand in it anywhere? Most heads are not looked at further.
fn mentions_http_2(head: &[u8]) -> bool {
    let is_there =
        |at: usize| head.get(at.saturating_sub(1)..at + 2).is_some_and(|h2c| h2c.eq_ignore_ascii_case(b"h2c"));
    memchr::memchr_iter(b'2', head).any(is_there)
}

/// The value of a header, when the line is one of that name.
fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (own, value) = line.split_at_checked(name.len())?;
    value.strip_prefix(b":").filter(|_| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::decline;

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
    fn all_else_stays_as_it_is() {
        for text in [
            "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: close\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n",
            "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "\r\n\r\n",
            "",
        ] {
            assert_eq!(declined(text), text);
        }
    }
}
