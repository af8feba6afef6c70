//! How an error becomes an answer: one problem shape for all, the private cause in the log.

use actix_web::{HttpResponse, ResponseError, http::StatusCode, http::header};
use base::problem::{Kind, Problem};

use crate::request_id;

/// The result of a handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a handler fails with.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(#[from] pub db::Error);

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self(db::Error::Problem(problem))
    }
}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        match &self.0 {
            db::Error::Problem(problem) => status(problem.kind),
            db::Error::Taken(_) => StatusCode::CONFLICT,
            db::Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            db::Error::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let problem = match &self.0 {
            db::Error::Problem(problem) => {
                if problem.kind == Kind::Internal {
                    tracing::error!(request_id = %request_id::current(), cause = %problem.origin, "a request failed");
                }
                problem.clone()
            }
            other => {
                // The one place where the private cause is told, to the log.
                tracing::error!(request_id = %request_id::current(), cause = %other, "a request failed");
                match other {
                    db::Error::Taken(_) => db::Error::Taken(String::new()).into_problem(),
                    db::Error::Unavailable(text) => db::Error::Unavailable(text.clone()).into_problem(),
                    _ => Problem::internal(),
                }
            }
        };
        problem_response(&problem)
    }
}

fn status(kind: Kind) -> StatusCode {
    StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A problem as a response, with the headers that its kind calls for.
pub fn problem_response(problem: &Problem) -> HttpResponse {
    let mut response = HttpResponse::build(status(problem.kind));
    response.insert_header((header::CONTENT_TYPE, "application/problem+json"));
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    if problem.kind == Kind::Unauthenticated {
        response.insert_header((header::WWW_AUTHENTICATE, "Bearer error=\"invalid_token\""));
    }
    if let Some(seconds) = problem.retry_after {
        response.insert_header((header::RETRY_AFTER, seconds));
    }
    if let Some(limit) = problem.rate_limit {
        response.insert_header(("X-RateLimit-Limit", limit.limit));
        response.insert_header(("X-RateLimit-Remaining", limit.remaining));
        response.insert_header(("X-RateLimit-Reset", limit.reset));
    }
    if !problem.allow.is_empty() {
        response.insert_header((header::ALLOW, problem.allow.join(", ")));
    }
    response.body(problem.to_json(&request_id::current()).to_string())
}

/// The problem for a bare status of the framework.
pub fn from_status(status: StatusCode) -> Problem {
    match status.as_u16() {
        401 => Problem::new(Kind::Unauthenticated, "A valid bearer token is needed."),
        403 => Problem::forbidden("This key's role does not allow that."),
        404 => Problem::not_found("The path was not found. The reference is at /docs."),
        405 => Problem::new(Kind::MethodNotAllowed, "This path does not take that method."),
        409 => Problem::conflict("The state of the record does not allow that."),
        413 => Problem::new(Kind::TooLarge, "The body is too large."),
        414 => Problem::new(Kind::UriTooLong, "The URL is too long."),
        415 => Problem::new(Kind::UnsupportedMediaType, "The content type is not one that this operation reads."),
        408 | 503 => Problem::unavailable("The service cannot answer right now. Try again in a moment."),
        400..=499 => Problem::invalid("The request could not be read."),
        _ => Problem::internal(),
    }
}
