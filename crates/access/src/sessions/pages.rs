//! The pages that people see before they are in the console: text and forms, without a script.

use std::sync::LazyLock;

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
};
use base::text::escaped;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;\
    color:#1a1a1a;background:#fff}button,input{font:inherit;padding:.5rem 1rem}h1{font-size:1.5rem}\
    @media(prefers-color-scheme:dark){body{color:#eee;background:#1a1a1a}a{color:#9cf}}";

/// What a page may do: look like this, and send its forms here.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
});

/// What this is, for somebody who is not signed in; `oidc` says whether there is an issuer to sign in at, `by_mail`
/// whether links are mailed.
pub(crate) fn home(oidc: bool, by_mail: bool) -> HttpResponse {
    let how = if oidc {
        "<p>You are not signed in.</p><p><a href=\"/auth/oidc/start\">Sign in</a></p>"
    } else {
        "<p>You are not signed in. An administrator makes you a link that signs you in, as does \
         <code>muster user sign-in</code> where the service runs.</p>"
    };
    let form = if by_mail {
        "<form method=\"post\" action=\"/auth/signInLink\"><p><label for=\"email\">E-mail address</label><br>\
         <input id=\"email\" name=\"email\" type=\"email\" autocomplete=\"email\" maxlength=\"254\" required></p>\
         <p><button>Send me a sign-in link</button></p></form>"
    } else {
        ""
    };
    let body = format!(
        "<p>The inventory of machines, and the people, schedules and rules around them, behind one HTTP interface.</p>\
         {how}{form}<ul><li><a href=\"/docs/\">The reference of the interface</a>, in which every operation can be \
         tried</li>\
         <li><a href=\"/openapi.json\">The same for programs</a> (OpenAPI)</li></ul>"
    );
    page(StatusCode::OK, "Muster", &body)
}

/// The button that redeems a code of letters and digits. A program that fetches links presses none.
pub(crate) fn sign_in(code: &str) -> HttpResponse {
    let body = format!(
        "<p>This link signs you in on this browser, once. If nobody told you to expect it, close the page.</p>\
         <form method=\"post\" action=\"/auth/session\"><input type=\"hidden\" name=\"code\" value=\"{}\">\
         <button autofocus>Sign in</button></form>",
        escaped(code)
    );
    page(StatusCode::OK, "Sign in to Muster", &body)
}

/// The answer to somebody who asked for a link, whether or not there is one.
pub(crate) fn link_requested(minutes: i64) -> HttpResponse {
    let body = format!(
        "<p>If the address belongs to a person here, a link is on its way. It is valid for {minutes} minutes.</p>\
         <p><a href=\"/\">Back</a></p>"
    );
    page(StatusCode::ACCEPTED, "Sign-in link", &body)
}

/// Why somebody is not signed in.
pub(crate) fn refused(status: StatusCode, why: &str) -> HttpResponse {
    let body = format!("<p>{}</p><p><a href=\"/\">Back</a></p>", escaped(why));
    page(status, "Not signed in", &body)
}

fn page(status: StatusCode, title: &str, body: &str) -> HttpResponse {
    let title = escaped(title);
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, POLICY.as_str()))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // A form that is sent without a referrer says that it comes from nowhere; elsewhere nobody learns the address.
        .insert_header((header::REFERRER_POLICY, "same-origin"))
        .body(format!(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\
             <body><h1>{title}</h1>{body}</body></html>"
        ))
}
