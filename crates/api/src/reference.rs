//! The reference page at `/docs`: files of the program, sent from where they lie.

use std::{borrow::Cow, sync::Arc};

use actix_web::{HttpResponse, http::header, web};
use base::problem::Problem;
use bytes::Bytes;
use utoipa_swagger_ui::Config;

use crate::{Result, sending::OfTheProgram, spec};

/// What the page may load: its own files, the icons within them, and styles that its scripts write.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /docs/{file}`.
pub(crate) async fn show(file: web::Path<String>, config: web::Data<Config<'static>>) -> Result<HttpResponse> {
    let found = utoipa_swagger_ui::serve(&file, config.into_inner());
    let found = found.map_err(|error| db::Error::Fault(format!("the reference page: {error}")))?;
    let file = found.ok_or_else(|| Problem::not_found("The path was not found. The reference is at /docs."))?;
    let mut response = HttpResponse::Ok();
    response.content_type(file.content_type).insert_header((header::CONTENT_SECURITY_POLICY, POLICY));
    if file.gzpipped {
        response.insert_header((header::CONTENT_ENCODING, "gzip"));
    }
    Ok(match file.bytes {
        Cow::Borrowed(bytes) => of_the_program(&mut response, Bytes::from_static(bytes)),
        Cow::Owned(bytes) => response.body(bytes),
    })
}

/// An answer whose bytes are there anyway, for as long as the program runs: it takes nothing of the share of its caller.
pub fn of_the_program(response: &mut actix_web::HttpResponseBuilder, bytes: Bytes) -> HttpResponse {
    let mut response = response.body(bytes);
    response.extensions_mut().insert(OfTheProgram);
    response
}

/// Where the page finds the document.
pub(crate) fn config() -> web::Data<Config<'static>> {
    web::Data::from(Arc::new(Config::from(spec::PATH)))
}
