//! The console at `/console/` (`docs/console.md`): pages for people, which call the documented operations from the browser, with
//! the rights of whoever signed in there.
//!
//! What is served are the files in `static/`, as they are written: plain modules, no build step. [`operations`] makes the one
//! module that is generated. This crate knows no domain and no table, and answers nothing but files.

mod files;
mod operations;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderMap},
    },
    web,
};
use api::Result;
use base::problem::Problem;

pub use self::{files::Files, operations::operations};

/// Where the console is.
pub const PATH: &str = "/console/";

/// What a page may do: nothing but run, show and ask what comes from here. Text never becomes markup.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Serves the console. The files are compressed once, here, and shared by all threads; `module` makes what [`operations`]
/// answers, when somebody asks for it first.
pub fn extras(
    module: impl FnOnce() -> String + Send + 'static,
) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let files = web::Data::new(Files::new(module));
    move |config: &mut web::ServiceConfig| {
        config.service(web::redirect("/console", PATH)).service(
            web::resource("/console/{path:.*}")
                .app_data(files.clone())
                .route(web::get().to(show))
                .route(web::head().to(show)),
        );
    }
}

/// A file; or the page, for the address of a screen.
async fn show(request: HttpRequest, path: web::Path<String>, files: web::Data<Files>) -> Result<HttpResponse> {
    let file =
        files.find(&path).ok_or_else(|| Problem::not_found("The console has no such file: it was not found."))?;
    let zipped = takes_gzip(request.headers());
    let form = if zipped { &file.zipped } else { &file.plain };
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or("");
    let same = known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == form.tag || tag.trim() == "*");
    let mut response = HttpResponse::build(if same { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    response
        .insert_header((header::ETAG, form.tag.as_str()))
        .insert_header((header::VARY, "Accept-Encoding"))
        // A browser keeps what it has, and asks whether it is still that.
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .insert_header(("Cross-Origin-Opener-Policy", "same-origin"));
    if same {
        return Ok(response.finish());
    }
    response.content_type(file.kind);
    if zipped {
        response.insert_header((header::CONTENT_ENCODING, "gzip"));
    }
    Ok(api::of_the_program(&mut response, form.bytes.clone()))
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
    use actix_web::http::header::HeaderValue;

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
}
