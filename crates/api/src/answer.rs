//! Successful answers.

use actix_web::{HttpResponse, HttpResponseBuilder, http::header};
use serde::Serialize;

use crate::{RequestContext, Result};

/// 200 with a JSON body.
pub fn ok<T: Serialize>(value: &T) -> Result<HttpResponse> {
    Ok(json(None).body(encode(value)?))
}

/// 200 with one entity and its `ETag`; 304 when the caller has this version.
pub fn entity<T: Serialize>(context: &RequestContext, value: &T, version: i64) -> Result<HttpResponse> {
    let tag = format!("\"{version}\"");
    if context.request().method() == actix_web::http::Method::GET && context.has_version(version) {
        return Ok(HttpResponse::NotModified().insert_header((header::ETAG, tag)).finish());
    }
    tagged(value, version)
}

/// 200 with one entity and its `ETag`, never 304: for entities that show what changes without them, such as names of
/// others. The tag is that of what people change, for `If-Match`.
pub fn tagged<T: Serialize>(value: &T, version: i64) -> Result<HttpResponse> {
    Ok(json(Some(version)).body(encode(value)?))
}

/// The tags of a caller's `If-None-Match`, strong or weak: the versions that it has already.
pub(crate) fn known_tags(headers: &header::HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|known| known.trim().trim_start_matches("W/"))
}

/// 200 with an empty object: what a delete answers.
pub fn empty() -> HttpResponse {
    json(None).body("{}")
}

/// 200 with JSON to come, and the version of the entity that it is as `ETag`.
pub(crate) fn json(version: Option<i64>) -> HttpResponseBuilder {
    const JSON: header::HeaderValue = header::HeaderValue::from_static("application/json");
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_TYPE, JSON));
    if let Some(version) = version {
        response.insert_header((header::ETAG, format!("\"{version}\"")));
    }
    response
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| db::Error::Fault(format!("encoding an answer: {error}")).into())
}
