//! What a request shows of who sends it.

use actix_web::{
    HttpRequest,
    http::header::{self, HeaderValue},
};
use base::{problem::Problem, secret::Secret};
use base64::Engine as _;

use crate::session::{self, SessionCookie};

/// What a request shows of who sends it.
pub(crate) enum Credentials {
    /// A header with a token, or with key and secret.
    Authorization(HeaderValue),
    /// The cookie of a session.
    Session(Secret<String>),
}

impl Credentials {
    /// Those of a request; [`None`] when it has none.
    ///
    /// # Errors
    /// 400 for more than one header.
    pub(crate) fn of(request: &HttpRequest) -> Result<Option<Self>, Problem> {
        let mut values = request.headers().get_all(header::AUTHORIZATION);
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err(Problem::invalid("The request has more than one Authorization header.")),
            (Some(value), None) => Ok(Some(Self::Authorization(value.clone()))),
            (None, _) => match session::read_cookie(request) {
                SessionCookie::One(token) => Ok(Some(Self::Session(token))),
                SessionCookie::Nothing | SessionCookie::Several => Ok(None),
            },
        }
    }

    pub(crate) fn is_session(&self) -> bool {
        matches!(self, Self::Session(_))
    }
}

/// Key and secret of `Authorization: Basic`.
pub fn read_basic(credentials: &str) -> Option<(String, Secret<String>)> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(credentials.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (key, secret) = text.split_once(':')?;
    Some((key.to_owned(), Secret::new(secret.to_owned())))
}
