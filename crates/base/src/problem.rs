//! Problems: errors in the one shape that clients see.

use std::{fmt, panic::Location};

use serde::Serialize;
use serde_json::{Value, json};

/// The cases of the error table in `docs/interface.md`; each has one status and one code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 400: an invalid or missing field, bad JSON, a bad query.
    Invalid,
    /// 401: no token, or one that is unknown, expired or revoked.
    Unauthenticated,
    /// 403: a known caller, an action outside its role.
    Forbidden,
    /// 404: an unknown id, or one of another tenant.
    NotFound,
    /// 405: the resource has other methods; they are in [`Problem::allow`].
    MethodNotAllowed,
    /// 412: `If-Match` names another version.
    PreconditionFailed,
    /// 413: the body is larger than the service reads.
    TooLarge,
    /// 415: the body is not of a type that the operation reads.
    UnsupportedMediaType,
    /// 414: the URL is longer than the service reads.
    UriTooLong,
    /// 409: a name is taken, or the state does not allow the change.
    Conflict,
    /// 422: an idempotency key came again with another body.
    KeyReused,
    /// 429: too many requests.
    Throttled,
    /// 503: overloaded, or the database is away.
    Unavailable,
    /// 500: the service's own fault.
    Internal,
}

impl Kind {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Kind::Invalid => 400,
            Kind::Unauthenticated => 401,
            Kind::Forbidden => 403,
            Kind::NotFound => 404,
            Kind::MethodNotAllowed => 405,
            Kind::Conflict => 409,
            Kind::PreconditionFailed => 412,
            Kind::TooLarge => 413,
            Kind::UriTooLong => 414,
            Kind::UnsupportedMediaType => 415,
            Kind::KeyReused => 422,
            Kind::Throttled => 429,
            Kind::Internal => 500,
            Kind::Unavailable => 503,
        }
    }

    /// The code in the body, on which clients branch.
    pub const fn code(self) -> &'static str {
        match self {
            Kind::Invalid
            | Kind::MethodNotAllowed
            | Kind::TooLarge
            | Kind::UriTooLong
            | Kind::UnsupportedMediaType
            | Kind::KeyReused => INVALID_CODE,
            Kind::Unauthenticated => "invalid_token",
            Kind::Forbidden => "0006",
            Kind::NotFound => "0003",
            Kind::Conflict | Kind::PreconditionFailed => "0004",
            Kind::Throttled => "throttled",
            Kind::Unavailable | Kind::Internal => "0005",
        }
    }

    /// The phrase that HTTP has for the status, as the problem type `about:blank` asks.
    pub const fn title(self) -> &'static str {
        match self {
            Kind::Invalid => "Bad Request",
            Kind::Unauthenticated => "Unauthorized",
            Kind::Forbidden => "Forbidden",
            Kind::NotFound => "Not Found",
            Kind::MethodNotAllowed => "Method Not Allowed",
            Kind::Conflict => "Conflict",
            Kind::PreconditionFailed => "Precondition Failed",
            Kind::TooLarge => "Content Too Large",
            Kind::UriTooLong => "URI Too Long",
            Kind::UnsupportedMediaType => "Unsupported Media Type",
            Kind::KeyReused => "Unprocessable Content",
            Kind::Throttled => "Too Many Requests",
            Kind::Internal => "Internal Server Error",
            Kind::Unavailable => "Service Unavailable",
        }
    }
}

/// The code of every refused field.
const INVALID_CODE: &str = "0002";
/// How many fields the sentence of a problem names; `errors` names all of them.
const FIELDS_IN_DETAIL: usize = 10;

/// Refused fields from several places, to be told together: of the form of a body, and of what it names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// Those that were found so far.
    pub fn new(errors: Vec<FieldError>) -> Self {
        Self(errors)
    }

    /// Notes a field. What is wrong in form already, by itself or with all that it is in, has one error.
    pub fn add(&mut self, field: &str, message: impl Into<String>) {
        if !self.0.iter().any(|error| is_in(field, &error.field_name)) {
            self.0.push(FieldError::new(field, message));
        }
    }

    /// Notes that an id names nothing of the kind that it should, such as `user of the tenant`.
    pub fn unknown(&mut self, field: &str, what: &str, id: &str) {
        self.add(field, names_no(what, id));
    }

    /// What was read elsewhere; `None` when fields were refused there, which are noted here.
    ///
    /// # Errors
    /// A problem that is not about fields.
    pub fn take<T>(&mut self, read: Result<T, Problem>) -> Result<Option<T>, Problem> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(problem) if problem.errors.is_empty() => Err(problem),
            Err(problem) => {
                problem.errors.into_iter().for_each(|error| self.add(&error.field_name, error.message));
                Ok(None)
            }
        }
    }

    /// Is this field refused, or one inside it?
    pub fn has(&self, field: &str) -> bool {
        self.0.iter().any(|error| is_in(&error.field_name, field))
    }

    /// Refuses the request when there are any.
    ///
    /// # Errors
    /// 400 that lists them in the order in which they were found.
    pub fn check(self) -> Result<(), Problem> {
        if self.0.is_empty() { Ok(()) } else { Err(Problem::fields(self.0)) }
    }
}

/// Is a path that of a field, or of one inside it?
fn is_in(path: &str, field: &str) -> bool {
    path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// One refused field or parameter.
#[derive(Clone, Debug, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    /// Always `0002`.
    pub code: &'static str,
    /// The parameter, or the path in the body: `schedule.pattern`, `shiftDetails[2].name`.
    pub field_name: String,
    /// What is wrong with it, to be read after the name: `is required`.
    pub message: String,
}

impl FieldError {
    /// An error of one field.
    pub fn new(field_name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: INVALID_CODE, field_name: field_name.into(), message: message.into() }
    }
}

/// A request that could not be answered as asked; `api` turns it into `application/problem+json`.
///
/// Everything in it is public: never an SQL text, a path or a stack.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {detail}", kind.title())]
pub struct Problem {
    /// The case, which gives status, code and title.
    pub kind: Kind,
    /// One sentence for the person who reads it.
    pub detail: String,
    /// Every refused field, in the order in which they were read.
    pub errors: Vec<FieldError>,
    /// Seconds until another attempt makes sense (`Retry-After`).
    pub retry_after: Option<u32>,
    /// The methods that the resource has (`Allow`), for [`Kind::MethodNotAllowed`].
    pub allow: Vec<String>,
    /// The limit that was reached (`X-RateLimit-*`), for [`Kind::Throttled`].
    pub rate_limit: Option<RateLimit>,
    /// Where in the program it was found out, for [`Kind::Internal`] and the log alone.
    pub origin: Origin,
}

/// A place in the program. Two problems that differ in it alone are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(Option<&'static Location<'static>>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => write!(out, "found impossible at {}:{}", place.file(), place.line()),
            None => out.write_str("no place is known"),
        }
    }
}

/// How much of a limit is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many come through in a burst (`X-RateLimit-Limit`).
    pub limit: u32,
    /// How many come through now (`X-RateLimit-Remaining`).
    pub remaining: u32,
    /// Seconds until as many come through as in a burst again (`X-RateLimit-Reset`).
    pub reset: u32,
}

impl Problem {
    /// A problem of a kind, with its sentence and nothing else.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        let errors = Vec::new();
        let allow = Vec::new();
        let origin = Origin::default();
        Self { kind, detail: detail.into(), errors, retry_after: None, allow, rate_limit: None, origin }
    }

    /// 400, not about one field.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, detail)
    }

    /// 400 about one field.
    pub fn field(field_name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::fields(vec![FieldError::new(field_name, message)])
    }

    /// 400 about a field whose id names nothing of the kind that it should, such as `user of the tenant`.
    pub fn unknown(field_name: &str, what: &str, id: &str) -> Self {
        Self::field(field_name, names_no(what, id))
    }

    /// 400 about some fields; the sentence names the first ten.
    pub fn fields(errors: Vec<FieldError>) -> Self {
        let named = errors.iter().take(FIELDS_IN_DETAIL);
        let named = named.map(|error| format!("{}: {}", error.field_name, error.message));
        let mut detail = named.collect::<Vec<_>>().join("; ");
        if errors.len() > FIELDS_IN_DETAIL {
            detail.push_str(&format!("; and {} more", errors.len() - FIELDS_IN_DETAIL));
        }
        Self { errors, ..Self::invalid(detail) }
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, detail)
    }

    /// 409.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, detail)
    }

    /// 403.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(Kind::Forbidden, detail)
    }

    /// 503, worth another attempt after a second.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self { retry_after: Some(1), ..Self::new(Kind::Unavailable, detail) }
    }

    /// 429, worth another attempt after some seconds.
    pub fn throttled(detail: impl Into<String>, retry_after: u32, limit: RateLimit) -> Self {
        Self { retry_after: Some(retry_after), rate_limit: Some(limit), ..Self::new(Kind::Throttled, detail) }
    }

    /// 500, for what cannot be; the log tells where in the program this was called, the client does not hear of it.
    #[track_caller]
    pub fn internal() -> Self {
        let detail = "The service failed to answer; the request id leads to the reason in its log.";
        Self { origin: Origin(Some(Location::caller())), ..Self::new(Kind::Internal, detail) }
    }

    /// The body: `type`, `title`, `status`, `detail`, `code`, `message` (the detail again, for older
    /// clients), `requestId`, and `errors` when there are any.
    pub fn to_json(&self, request_id: &str) -> Value {
        let mut body = json!({
            "type": "about:blank",
            "title": self.kind.title(),
            "status": self.kind.status(),
            "detail": self.detail,
            "code": self.kind.code(),
            "message": self.detail,
            "requestId": request_id,
        });
        if let (false, Value::Object(members)) = (self.errors.is_empty(), &mut body) {
            members.insert("errors".to_owned(), json!(self.errors));
        }
        body
    }
}

fn names_no(what: &str, id: &str) -> String {
    format!("names no {what}: {}", shorten(id))
}

/// A client's own text as a message may repeat it: 64 characters at most, none of them a control.
pub fn shorten(text: &str) -> String {
    const LONGEST: usize = 64;
    let mut rest = text.chars();
    let visible = |letter: char| {
        if letter.is_control() { '\u{FFFD}' } else { letter }
    };
    let mut short: String = rest.by_ref().take(LONGEST).map(visible).collect();
    if rest.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
