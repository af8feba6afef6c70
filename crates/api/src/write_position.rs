//! `Muster-Write-Position`: where the last write of a caller stands, told in the answer, and which write a request has
//! to see, told by the caller ("Reads from a replica" in `docs/interface.md`).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use base::problem::Problem;
use db::WritePosition;

const HEADER: HeaderName = HeaderName::from_static("muster-write-position");

/// The position that a request names.
///
/// # Errors
/// 400 when it is not one.
pub(crate) fn of(headers: &HeaderMap) -> Result<Option<WritePosition>, Problem> {
    let Some(value) = headers.get(HEADER) else { return Ok(None) };
    let position = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    let wrong = || Problem::invalid("Muster-Write-Position takes what an answer had there, such as 16/B374D848.");
    position.map(Some).ok_or_else(wrong)
}

/// Tells where a write stands.
pub(crate) fn add_header(position: WritePosition, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(&position.to_string()) {
        headers.insert(HEADER, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_comes_back_as_it_was_told() {
        let mut headers = HeaderMap::new();
        assert_eq!(of(&headers), Ok(None));
        let position: WritePosition = "16/B374D848".parse().unwrap();
        add_header(position, &mut headers);
        assert_eq!(of(&headers), Ok(Some(position)));
        headers.insert(HEADER, HeaderValue::from_static("yesterday"));
        assert_eq!(of(&headers).unwrap_err().kind.status(), 400);
    }
}
