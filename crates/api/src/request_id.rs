//! The id of a request: taken from `X-Request-Id` or made; logged and returned.

use std::future::Future;

use actix_web::http::header::HeaderMap;

/// The header's name.
pub const HEADER: &str = "x-request-id";

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that this task answers; `-` outside one.
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_else(|_| "-".to_owned())
}

/// Answers a request under its id.
pub async fn scope<F: Future>(id: String, future: F) -> F::Output {
    CURRENT.scope(id, future).await
}

/// The id of a request that came with these headers: the caller's own when it is 1 to 128 letters, digits or `._-`, a
/// new one otherwise; and whether it is the caller's own.
pub fn of(headers: &HeaderMap) -> (String, bool) {
    let id = headers.get(HEADER).and_then(|value| value.to_str().ok());
    let is_valid = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    match id.filter(is_valid) {
        Some(id) => (id.to_owned(), true),
        None => (uuid::Uuid::new_v4().simple().to_string(), false),
    }
}
