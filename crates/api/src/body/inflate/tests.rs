use std::io::Write as _;

use flate2::{
    Compress, Compression as Level, FlushCompress, GzBuilder,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use proptest::prelude::*;

use super::*;

const LIMIT: usize = 16 << 20;

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Level::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Level::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn status(body: Vec<u8>, limit: usize) -> u16 {
    inflate(body.into(), limit).map_or_else(|problem| problem.kind.status(), |_| 200)
}

/// Text that compresses about as well as a report does.
fn sample() -> Vec<u8> {
    let line = |i: u32| format!("<NAME>package-{}</NAME>\n", i.wrapping_mul(2_654_435_761)).into_bytes();
    (0..20_000).flat_map(line).take(300_000).collect()
}

#[test]
fn a_body_is_inflated_whatever_it_was_compressed_with() {
    let plain = sample();
    let named = GzBuilder::new().filename("report.xml").comment("c").extra(vec![1, 2, 3]);
    let mut named = named.write(Vec::new(), Level::fast());
    named.write_all(&plain).unwrap();
    for body in [plain.clone(), zlib(&plain), gzip(&plain), named.finish().unwrap()] {
        assert_eq!(inflate(body.into(), LIMIT).unwrap(), plain);
    }
    for (body, plain) in [(b"".to_vec(), ""), (b"x".to_vec(), "x"), (zlib(b""), ""), (gzip(b""), "")] {
        assert_eq!(inflate(body.into(), LIMIT).unwrap(), plain);
    }
}

#[test]
fn members_of_gzip_are_one_body() {
    let plain = sample();
    let (start, end) = plain.split_at(120_000);
    for body in [[gzip(start), gzip(end)].concat(), [gzip(b""), gzip(start), gzip(b""), gzip(end), gzip(b"")].concat()]
    {
        let with = |end: &[u8]| status([&body, end].concat(), LIMIT);
        assert_eq!([with(b""), with(b"\n"), with(b"!"), with(&gzip(b"a")[..9])], [200, 200, 400, 400]);
        let statuses = [plain.len(), plain.len() - 1].map(|limit| status(body.clone(), limit));
        assert_eq!(statuses, [200, 413]);
        assert_eq!(inflate(body.into(), LIMIT).unwrap(), plain);
    }
    let bomb = gzip(&vec![b' '; 3 << 20]);
    assert_eq!(status(bomb.repeat(2), LIMIT), 413, "more than so many times their size together");
    assert_eq!(status([zlib(b"a"), zlib(b"b")].concat(), LIMIT), 400, "zlib has no members");
    assert_eq!(inflate(gzip(b"").repeat(100_000).into(), LIMIT).unwrap(), "");
}

#[test]
fn zlib_has_windows_of_several_sizes() {
    for bits in 9..=15 {
        let mut compress = Compress::new_with_window_bits(Level::best(), true, bits);
        let mut body = Vec::with_capacity(1_000);
        compress.compress_vec(br#"{"subject": "small"}"#, &mut body, FlushCompress::Finish).unwrap();
        assert_eq!(inflate(body.into(), LIMIT).unwrap(), r#"{"subject": "small"}"#, "{bits} bits");
    }
    for text in ["Host down", "(a)", "host=a", "80", "xml", "X-A: 1", "{}", "[]"] {
        assert_eq!(inflate(text.into(), LIMIT).unwrap(), text);
    }
}

#[actix_web::test]
async fn a_header_says_what_nothing_in_the_body_does() {
    let mut raw = DeflateEncoder::new(Vec::new(), Level::default());
    raw.write_all(b"{\"a\": 1}").unwrap();
    let raw = raw.finish().unwrap();
    let plain = b"{\"a\": 1}".to_vec();
    for (body, named) in [
        (raw.clone(), Compression::Deflate),
        (zlib(&plain), Compression::Zlib),
        (gzip(&plain), Compression::Gzip),
        (plain.clone(), Compression::Plain),
    ] {
        let request = actix_web::test::TestRequest::post().insert_header((CONTENT_ENCODING, "Deflate"));
        let (request, payload) = request.set_payload(body).to_http_parts();
        let (read, compression) = read_inflated(&request, payload, LIMIT).await.unwrap();
        assert_eq!((read.as_ref(), compression), (&*plain, named));
    }
    let request = actix_web::test::TestRequest::post().insert_header((CONTENT_ENCODING, "deflate"));
    let (request, payload) = request.set_payload([&*raw, b"!"].concat()).to_http_parts();
    let (read, compression) = read_inflated(&request, payload, LIMIT).await.unwrap();
    assert_eq!((read.len(), compression), (raw.len() + 1, Compression::Plain), "it is as it is");
}

#[test]
fn a_cut_body_is_an_error_wherever_it_is_cut() {
    let plain = &sample()[..5_000];
    for body in [zlib(plain), gzip(plain)] {
        for length in 2..body.len() {
            assert_eq!(status(body[..length].to_vec(), LIMIT), 400, "{length} bytes");
        }
    }
}

#[test]
fn blanks_alone_may_follow_and_checksums_have_to_match() {
    for body in [zlib(b"<REQUEST/>"), gzip(b"<REQUEST/>")] {
        let with = |end: &[u8]| status([&body, end].concat(), LIMIT);
        assert_eq!([with(b""), with(b"\r\n\0"), with(b"!")], [200, 200, 400]);
        let mut wrong = body.clone();
        let last = wrong.len() - 1 - if wrong[0] == 0x1f { 4 } else { 0 };
        wrong[last] ^= 1;
        assert_eq!(status(wrong, LIMIT), 400);
    }
}

#[test]
fn bounds_hold_exactly() {
    let plain = sample();
    for body in [zlib(&plain), gzip(&plain)] {
        let statuses = [plain.len(), plain.len() - 1, 0].map(|limit| status(body.clone(), limit));
        assert_eq!(statuses, [200, 413, 413]);
    }
}

#[test]
fn a_bomb_is_refused_while_it_is_small() {
    let bomb = zlib(&vec![b' '; 40 << 20]);
    assert!(bomb.len() < 50_000);
    let mut inflater = Inflater::new(bomb.into(), Compression::Zlib, LIMIT).unwrap();
    let (problem, capacity) = loop {
        let before = inflater.plain.capacity();
        match inflater.step() {
            Ok(is_done) => assert!(!is_done),
            Err(problem) => break (problem, before),
        }
    };
    assert_eq!(problem.kind, Kind::TooLarge);
    assert!(capacity <= 2 * ANY_RATIO, "{capacity}");
}

proptest! {
    #[test]
    fn any_bytes_are_inflated_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for start in [&[][..], &[0x78, 0x9c], &[0x1f, 0x8b, 8]] {
            let _ = inflate([start, &bytes].concat().into(), LIMIT);
        }
    }
}
