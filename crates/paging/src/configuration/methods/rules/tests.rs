use super::*;

fn destination(fields: &[(&str, &str)]) -> Destination {
    fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn wrong(kind: &str, preset: &str, fields: &[(&str, &str)]) -> Vec<String> {
    let refused = check(kind, preset, &destination(fields), None, |url| {
        if url.starts_with("https://") { Ok(()) } else { Err("must start with https://".to_owned()) }
    });
    refused.err().map_or_else(Vec::new, |problem| problem.errors.into_iter().map(|e| e.field_name).collect())
}

#[test]
fn each_preset_says_what_it_needs() {
    assert_eq!(wrong(HTTP, "webhook", &[("url", "https://a.net/x")]), [""; 0]);
    assert_eq!(wrong(HTTP, "webhook", &[]), ["url"]);
    assert_eq!(wrong(HTTP, "webhook", &[("url", "ftp://a.net")]), ["url"]);
    assert_eq!(wrong(HTTP, "telegram", &[("url", "https://a.net")]), ["chatId"]);
    assert_eq!(wrong(HTTP, "twilio", &[("url", "https://a.net"), ("to", "+1")]), ["from", "userName", "password"]);
    assert_eq!(wrong(HTTP, "sms", &[("url", "https://a.net"), ("to", "+1\r\nx")]), ["to"]);
    assert_eq!(wrong(HTTP, "ntfy", &[("url", "https://a.net"), ("address", "a@b.net")]), ["address"]);
    assert_eq!(wrong(HTTP, "ntfy", &[("url", "https://a.net"), ("userName", "a")]), ["password"]);
    assert_eq!(wrong(EMAIL, "", &[]), ["address"]);
    assert_eq!(wrong(EMAIL, "", &[("address", "a@b.net"), ("url", "https://a.net")]), ["url"]);
}

#[test]
fn an_address_is_an_address_and_nothing_else() {
    for good in ["a@b.net", "ann.lee+oncall@mail.example.net", "root@localhost"] {
        assert!(is_address(good), "{good}");
    }
    for bad in [
        "",
        "a",
        "@b.net",
        "a@",
        "a b@c.net",
        "a@b.net\r\nBcc: x@y.net",
        "a@b.net,c@d.net",
        "<a@b.net>",
        "\"a\"@b.net",
        ".a@b.net",
        "a..b@c.net",
        "a@-b.net",
        "a@b..net",
        "ä@b.net",
    ] {
        assert!(!is_address(bad), "{bad}");
    }
}

#[test]
fn credentials_do_not_follow_to_another_host() {
    let stored = destination(&[("url", "https://a.net/x"), ("token", "t")]);
    let said = |url: &str| [("url", url.to_owned())].into_iter().collect();
    assert_eq!(laid_over(&stored, &said("https://a.net/y")).get("token").map(String::as_str), Some("t"));
    assert_eq!(laid_over(&stored, &said("https://b.net/x")).get("token"), None);
}
