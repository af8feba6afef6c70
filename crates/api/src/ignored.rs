//! `X-Ignored-Fields`: what a body had that the service does not know ("Bodies" in `docs/interface.md`).

use std::{future::Future, pin::pin};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use base::body::ignored::{self, MOST};

/// The header's name.
const HEADER: &str = "x-ignored-fields";

/// Stands for all names beyond those that are told.
const MORE: &str = "...";

/// Carries out `future`, and collects the names of what nobody read of the bodies that it read.
pub async fn collecting<F: Future>(future: F) -> (F::Output, Vec<String>) {
    let mut future = pin!(future);
    let mut names = Vec::new();
    // Between two polls this thread does other work, so each poll collects for itself.
    let output = std::future::poll_fn(|context| {
        let (polled, more) = ignored::collect(|| future.as_mut().poll(context));
        ignored::add(&mut names, more);
        polled
    });
    let output = output.await;
    (output, names)
}

/// Names them in the answer.
pub fn add_header(names: &[String], headers: &mut HeaderMap) {
    if names.is_empty() {
        return;
    }
    let mut shown: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    if names.len() > MOST {
        shown.push(MORE);
    }
    if let Ok(value) = HeaderValue::from_str(&shown.join(", ")) {
        headers.insert(HeaderName::from_static(HEADER), value);
    }
}
