//! Hostile and truncated reports: a clear problem, nothing stored, memory flat.

use std::io::Write;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use muster_tests::{Backend, Client, Response, Server, both_backends};
use serde_json::json;

use super::{PATH, gzip, only_machine, report, send_xml, xml, zlib};

both_backends![
    entities_are_not_expanded,
    external_entities_are_not_read,
    deep_nesting_is_refused,
    truncated_reports_are_refused,
    bytes_that_are_not_a_report_are_refused,
    a_report_without_a_machine_is_refused,
    one_wrong_character_is_repaired,
    xml_is_taken_in_any_encoding,
    a_bomb_is_refused_and_memory_stays_flat,
    a_report_may_be_larger_than_other_bodies,
    a_report_over_64_mib_is_refused,
];

#[track_caller]
fn refused(client: &Client, answer: &Response) {
    match answer.status {
        413 => answer.problem(413, "0002"),
        _ => answer.problem(400, "0002"),
    };
    let listed = client.get("/resources/minimal?state=all").list();
    assert!(listed.is_empty(), "stored: {listed:?}");
}

fn send(client: &Client, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    client.request("POST", PATH).body(content_type, body).send()
}

fn entities_are_not_expanded(server: &Server) {
    let client = server.new_client();
    let mut definitions = String::from("<!ENTITY a0 \"ha\">");
    for level in 1..=30 {
        let inner = format!("&a{};", level - 1).repeat(10);
        definitions.push_str(&format!("<!ENTITY a{level} \"{inner}\">"));
    }
    let body = xml("laughs", "<HARDWARE><NAME>&a30;</NAME></HARDWARE>");
    let with_type = |text: &str| text.replacen("<REQUEST>", &format!("<!DOCTYPE REQUEST [{definitions}]><REQUEST>"), 1);
    refused(&client, &send_xml(&client, &with_type(&body)));
    refused(&client, &send(&client, "application/x-compress-zlib", zlib(with_type(&body))));
}

fn external_entities_are_not_read(server: &Server) {
    let client = server.new_client();
    for definition in [
        "<!ENTITY x SYSTEM \"file:///etc/passwd\">",
        "<!ENTITY x SYSTEM \"http://127.0.0.1:9/x\">",
        "<!ENTITY % x SYSTEM \"file:///etc/passwd\"> %x;",
    ] {
        let body = xml("external", "<HARDWARE><NAME>&x;</NAME></HARDWARE>");
        let body = body.replacen("<REQUEST>", &format!("<!DOCTYPE REQUEST [{definition}]><REQUEST>"), 1);
        let answer = send_xml(&client, &body);
        refused(&client, &answer);
        assert!(!answer.text().contains("root:"), "{answer}");
    }
}

fn deep_nesting_is_refused(server: &Server) {
    let client = server.new_client();
    let deep_xml = format!("{}{}", "<A>".repeat(400_000), "</A>".repeat(400_000));
    refused(&client, &send_xml(&client, &xml("deep", &deep_xml)));
    refused(&client, &send_xml(&client, &"<REQUEST>".repeat(400_000)));
    refused(&client, &send(&client, "application/json", "[".repeat(400_000)));
    let inside = format!("{{\"action\":\"inventory\",\"deviceid\":\"d\",\"content\":{}", "{\"a\":".repeat(400_000));
    refused(&client, &send(&client, "application/json", inside));
}

fn truncated_reports_are_refused(server: &Server) {
    let client = server.new_client();
    let softwares: Vec<_> = (0..500).map(|n| json!({"name": format!("package-{n}"), "version": "1"})).collect();
    let as_json = report("cut", &json!({"hardware": {"name": "cut"}, "softwares": softwares})).to_string();
    let as_xml = xml(
        "cut",
        &format!("<HARDWARE><NAME>cut</NAME></HARDWARE>{}", "<SOFTWARES><NAME>p</NAME></SOFTWARES>".repeat(500)),
    );
    for text in [as_json, as_xml] {
        for bytes in [text.clone().into_bytes(), zlib(&text), gzip(&text)] {
            for length in [bytes.len() / 2, bytes.len() - 1, 10] {
                // The last byte of the XML is only a line break.
                let length = if bytes.ends_with(b">\n") { length - 1 } else { length };
                let answer = send(&client, "application/octet-stream", &bytes[..length]);
                refused(&client, &answer);
            }
        }
    }
}

fn bytes_that_are_not_a_report_are_refused(server: &Server) {
    let client = server.new_client();
    for body in [
        &b""[..],
        b"hello",
        b"<html><body>no</body></html>",
        b"<REQUEST></REQUEST>",
        b"{}",
        b"[]",
        b"null",
        b"\x78\x9c",
        b"\x1f\x8b\x08",
        b"\xff\xfe<\0R\0",
        b"{\"action\":\"inventory\",\"deviceid\":\"d\",\"content\":[]}",
        b"{\"action\":\"dance\",\"deviceid\":\"d\"}",
    ] {
        refused(&client, &send(&client, "application/octet-stream", body));
    }
    refused(&client, &send(&client, "application/x-compress-zlib", zlib(zlib("hello"))));
}

fn a_report_without_a_machine_is_refused(server: &Server) {
    let client = server.new_client();
    let no_device = json!({"action": "inventory", "content": {"hardware": {"name": "m"}}});
    refused(&client, &client.post(PATH, &no_device));
    let body = xml("x", "<HARDWARE><NAME>m</NAME></HARDWARE>").replace("<DEVICEID>x</DEVICEID>", "");
    refused(&client, &send_xml(&client, &body));
}

/// One wrong character must not keep a machine out, day after day.
fn one_wrong_character_is_repaired(server: &Server) {
    let client = server.new_client();
    let json = |name: &[u8]| {
        let before =
            br#"{"action":"inventory","deviceid":"d","content":{"hardware":{"name":"m"},"softwares":[{"name":""#;
        [before, name, br#"","version":"1"}]}}"#].concat()
    };
    for (name, stored, repair) in [
        (&br"Ser\\u0000ial"[..], r"Ser\u0000ial", ""),
        (br"CN0AAA\u0000\u0000", "CN0AAA", "NUL"),
        (b"CN0BBB\0", "CN0BBB", "NUL"),
        (br"Chat \ud83d", "Chat \u{fffd}", "surrogate"),
        (b"Caf\xe9", "Café", "UTF-8"),
        (br"C:\dir", r"C:\dir", "backslash"),
        (b"two\nlines", "two lines", "control"),
    ] {
        let repaired = send(&client, "application/json", json(name));
        assert_eq!(repaired.status, 200, "{repaired}");
        let warnings = repaired.json()["warnings"].clone();
        assert!(warnings.to_string().contains(repair), "{stored}: {warnings}");
        assert_eq!(warnings.is_null(), repair.is_empty(), "{stored}: {warnings}");
        let machine = only_machine(&client);
        assert_eq!(super::applications(&client, &machine), [stored], "{repaired}");
    }
    for (name, stored) in [
        ("a&#0;b".as_bytes(), "ab"),
        (b"a\0c", "ac"),
        (b"a&#xD83D;d", "ad"),
        (b"Caf\xe9", "Café"),
        (b"AT&T", "AT&T"),
        (b"a&#1;e", "ae"),
        (b"a &copy; b", "a © b"),
        (b"a&nbsp;c", "a\u{a0}c"),
        (b"&unknown;", "&unknown;"),
    ] {
        let text = xml("d", "<HARDWARE><NAME>m</NAME></HARDWARE><SOFTWARES><NAME>@</NAME></SOFTWARES>");
        let (before, after) = text.split_once('@').expect("a place for the name");
        let answer = send(&client, "application/xml", [before.as_bytes(), name, after.as_bytes()].concat());
        assert_eq!(answer.status, 200, "{answer}");
        let machine = only_machine(&client);
        assert_eq!(super::applications(&client, &machine), [stored], "{answer}");
    }
}

/// An encoding that is declared wrongly, or is another than UTF-8, must not either.
fn xml_is_taken_in_any_encoding(server: &Server) {
    let client = server.new_client();
    let declared = |encoding: &str, name: &str| {
        let content = format!("<HARDWARE><NAME>m</NAME></HARDWARE><SOFTWARES><NAME>{name}</NAME></SOFTWARES>");
        xml("d", &content).replacen("UTF-8", encoding, 1)
    };
    let utf_16 = |text: &str| [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let bytes = |encoding: &str, byte: u8| -> Vec<u8> {
        declared(encoding, "@").bytes().map(|old| if old == b'@' { byte } else { old }).collect()
    };
    for (body, stored) in [
        (declared("ISO-8859-15", "plain").into_bytes(), "plain"),
        (declared("UTF-16", "é").into_bytes(), "é"),
        (declared("EBCDIC-CP-US", "plain again").into_bytes(), "plain again"),
        (bytes("ISO-8859-15", 0xa4), "€"),
        (bytes("windows-1250", 0xb3), "ł"),
        (bytes("EBCDIC-CP-US", 0xe4), "ä"),
        (utf_16(&declared("UTF-16", "ö")), "ö"),
    ] {
        let answer = send(&client, "application/xml", body);
        assert_eq!(answer.status, 200, "{answer}");
        assert_eq!(super::applications(&client, &only_machine(&client)), [stored]);
    }
}

const MIB: usize = 1024 * 1024;

/// `before`, then 256 MiB of spaces, compressed.
fn bomb(gzipped: bool, before: &str) -> Vec<u8> {
    fn fill(out: &mut impl Write, before: &str) -> std::io::Result<()> {
        out.write_all(before.as_bytes())?;
        let spaces = vec![b' '; MIB];
        (0..256).try_for_each(|_| out.write_all(&spaces))
    }
    let written = if gzipped {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        fill(&mut encoder, before).and_then(|()| encoder.finish())
    } else {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        fill(&mut encoder, before).and_then(|()| encoder.finish())
    };
    written.unwrap_or_else(|error| panic!("{error}"))
}

fn bombs() -> &'static [Vec<u8>] {
    static BOMBS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BOMBS.get_or_init(|| {
        let inside_xml = "<?xml version=\"1.0\"?><REQUEST><CONTENT><HARDWARE><NAME>";
        let inside_json = "{\"action\":\"inventory\",\"deviceid\":\"d\",\"content\":{\"hardware\":{\"name\":\"";
        vec![bomb(false, ""), bomb(false, inside_xml), bomb(true, inside_xml), bomb(false, inside_json)]
    })
}

/// On a server of its own: the highest memory is a server's, not a test's.
fn a_bomb_is_refused_and_memory_stays_flat(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    client.post(PATH, &report("warm", &json!({"hardware": {"name": "warm"}}))).ok();
    client.delete(&format!("/resources/{}", super::text(&super::only_machine(&client)["id"]))).ok();
    let before = server.memory_kib();
    for bomb in bombs() {
        refused(&client, &send(&client, "application/x-compress-zlib", bomb.as_slice()));
    }
    if let (Some((_, before)), Some((_, after))) = (before, server.memory_kib()) {
        let grown = after.saturating_sub(before) / 1024;
        assert!(grown < 96, "four bombs of 256 MiB took {grown} MiB");
    }
}

fn a_report_may_be_larger_than_other_bodies(server: &Server) {
    let client = server.new_client();
    let padding = "y".repeat(100 * 1024);
    let pads: Vec<_> = (0..120).map(|_| json!({"caption": padding})).collect();
    let body = report("large", &json!({"hardware": {"name": "large"}, "inputs": pads})).to_string();
    assert!(body.len() > 11 * MIB);
    let answer = send(&client, "application/json", body);
    assert_eq!(answer.status, 200, "{answer}");
    super::only_machine(&client);
}

fn a_report_over_64_mib_is_refused(server: &Server) {
    let client = server.new_client();
    let head = format!(
        "POST /api/v2/tenants/{}{PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        client.tenant_id(),
        client.bearer(),
        65 * MIB
    );
    let mut request = head.into_bytes();
    request.resize(request.len() + 65 * MIB, b' ');
    match server.raw(&request) {
        Some(answer) => answer.problem(413, "0002"),
        None => panic!("closed without an answer"),
    };
}
