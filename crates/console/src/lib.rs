//! The console at `/console/` (`docs/console.md`): pages for people, which call the documented operations from the
//! browser, with the rights of the person who signed in.
//!
//! The files in `static/` are served as they are written: plain modules, no build step. [`operations`] and
//! [`forms`] make the two modules that are generated. This crate knows no domain and no table, and answers nothing but
//! files.

mod files;
mod forms;
mod operations;

use actix_web::{HttpRequest, HttpResponse, web};
use api::{Extras, Result};
use base::problem::Problem;

pub use self::{files::Files, forms::forms, operations::operations};

/// The path of the console.
pub const PATH: &str = "/console/";

/// The content security policy: pages run, show and request only what comes from here. Text never becomes markup.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src \
                          'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
                          require-trusted-types-for 'script'";

/// Serves the console. The files are shared by all threads; `operations` and `forms` make the texts of [`operations()`]
/// and [`forms()`] at the first request for them.
pub fn extras(
    operations: impl FnOnce() -> String + Send + 'static,
    forms: impl FnOnce() -> String + Send + 'static,
) -> Extras {
    let files = web::Data::new(Files::new(operations, forms));
    Extras::default().serving(|| web::redirect("/console", PATH)).serving(move || {
        let file = web::resource("/console/{path:.*}").app_data(files.clone());
        file.route(web::get().to(show)).route(web::head().to(show))
    })
}

/// A file; or the page, for the address of a screen.
async fn show(request: HttpRequest, path: web::Path<String>, files: web::Data<Files>) -> Result<HttpResponse> {
    let file =
        files.find(&path).ok_or_else(|| Problem::not_found("The console has no such file: it was not found."))?;
    let besides = [
        ("Content-Security-Policy", POLICY),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ];
    file.answer(&request, &besides).await
}
