//! Files of the program over HTTP: the console, the reference page, the document.
//!
//! They are there for as long as the program runs, so their bytes take nothing of the share of a caller. Each is
//! compressed when somebody asks for that first; a browser keeps what it has, and asks whether it is still that.

use std::{
    io::{self, Write as _},
    sync::{Arc, OnceLock},
};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{self, HeaderMap},
    },
};
use base::hex;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use crate::{Result, answer::known_tags, sending::StaticBody};

/// A file of the program.
#[derive(Debug)]
pub struct File {
    kind: String,
    digest: String,
    bytes: Bytes,
    zipped: OnceLock<Bytes>,
}

impl File {
    /// Of a media type.
    pub fn new(kind: impl Into<String>, bytes: Bytes) -> Arc<Self> {
        let digest = hex(&Sha256::digest(&bytes)[..12]);
        Arc::new(Self { kind: kind.into(), digest, bytes, zipped: OnceLock::new() })
    }

    /// What tells it from other files.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Its bytes as they are.
    pub const fn plain(&self) -> &Bytes {
        &self.bytes
    }

    /// Its bytes as gzip; as they are, where that failed.
    pub fn zipped(&self) -> &Bytes {
        self.zipped.get_or_init(|| gzip(&self.bytes).map_or_else(|_| self.bytes.clone(), Bytes::from))
    }

    /// The answer to a request for it, with these headers besides: 200, or 304 when the caller has it.
    pub async fn answer(
        self: &Arc<Self>,
        request: &HttpRequest,
        extra_headers: &[(&str, &str)],
    ) -> Result<HttpResponse> {
        let zipped = takes_gzip(request.headers());
        let tag = format!("\"{}{}\"", self.digest, if zipped { "-gzip" } else { "" });
        let same = known_tags(request.headers()).any(|known| known == tag || known == "*");
        let mut response = HttpResponse::build(if same { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
        response
            .insert_header((header::ETAG, tag))
            .insert_header((header::VARY, "Accept-Encoding"))
            .insert_header((header::CACHE_CONTROL, "no-cache"));
        for header in extra_headers {
            response.insert_header(*header);
        }
        if same {
            return Ok(response.finish());
        }
        response.content_type(self.kind.as_str());
        if !zipped {
            return Ok(static_response(&mut response, self.bytes.clone()));
        }
        response.insert_header((header::CONTENT_ENCODING, "gzip"));
        let bytes = match self.zipped.get() {
            Some(bytes) => bytes.clone(),
            // A large one takes a tenth of a second, once.
            None => {
                let file = Arc::clone(self);
                let zipped = tokio::task::spawn_blocking(move || file.zipped().clone());
                zipped.await.map_err(|error| db::Error::Fault(format!("compressing a file: {error}")))?
            }
        };
        Ok(static_response(&mut response, bytes))
    }
}

/// An answer whose bytes are there anyway, for as long as the program runs: it takes nothing of the share of its
/// caller.
fn static_response(response: &mut HttpResponseBuilder, bytes: Bytes) -> HttpResponse {
    let mut response = response.body(bytes);
    response.extensions_mut().insert(StaticBody);
    response
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Does a client take gzip? One that names it with a weight of nothing does not.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get_all(header::ACCEPT_ENCODING).filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let nothing = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0);
        name.trim().eq_ignore_ascii_case("gzip") && !nothing
    })
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::HeaderValue, test::TestRequest};

    use super::*;

    #[test]
    fn who_takes_gzip() {
        for (named, takes) in
            [("gzip, deflate, br", true), ("br;q=1.0, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(named));
            assert_eq!(takes_gzip(&headers), takes, "{named}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn who_has_it_is_not_sent_it_again() {
        let file = File::new("text/plain", Bytes::from("a".repeat(10_000)));
        for (accepts, length) in [("identity", 10_000..=10_000), ("gzip", 1..=200)] {
            let ask = || TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepts));
            let first = file.answer(&ask().to_http_request(), &[]).await.unwrap();
            let tag = first.headers().get(header::ETAG).unwrap().clone();
            let body = actix_web::body::to_bytes(first.into_body()).await.unwrap();
            assert!(length.contains(&body.len()), "{accepts}: {} bytes", body.len());
            let again = ask().insert_header((header::IF_NONE_MATCH, tag)).to_http_request();
            let again = file.answer(&again, &[]).await.unwrap();
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
            assert!(actix_web::body::to_bytes(again.into_body()).await.unwrap().is_empty());
            let other = ask().insert_header((header::IF_NONE_MATCH, "\"other\"")).to_http_request();
            assert_eq!(file.answer(&other, &[]).await.unwrap().status(), StatusCode::OK);
        }
    }
}
