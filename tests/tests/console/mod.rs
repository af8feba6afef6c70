//! The console (docs/console.md): what is served, and what people see and do there, in a browser; and at the reference.

mod answer_page;
mod browser;
mod coverage;
mod everybody;
mod files;
mod keyboard;
mod lists;
mod night;
mod places;
mod reference;
mod refusals;
mod screens;
mod seen;
mod speed;
mod stories;
mod woken;
mod work;

use muster_tests::{Backend, Client, Server, Shared, chromium::Window, unique};
use serde_json::{Value, json};

/// A server with the demo company, which these tests share; what one of them changes, no other looks at.
fn demo() -> &'static Server {
    static DEMO: Shared<Server> = Shared::new();
    DEMO.get(|| Server::start_with(Backend::Sqlite, &["--demo"]))
}

/// The demo company, as its partner's admin sees it.
fn company(server: &Server) -> Client {
    server.admin().tenant("client_1")
}

/// A window in which a new person of the demo company with a role is signed in; `None` where there is no browser.
fn signed_in(server: &Server, role: &str) -> Option<Window> {
    signed_in_at(&company(server), role)
}

/// The same of another tenant, which its admin names.
fn signed_in_at(admin: &Client, role: &str) -> Option<Window> {
    let window = Window::open()?;
    let body = json!({"loginName": unique("eva"), "firstName": "Eva", "lastName": "Sand", "role": role});
    let id = text(&admin.post("/users", &body).ok()["id"]);
    let url = text(&admin.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    window.acts_as(role);
    window.go(&url);
    window.click("Sign in");
    window.until("location.pathname == '/console/on-call' && document.querySelector('h1')");
    window.shows("Eva Sand");
    Some(window)
}

/// Goes to a screen as the links of the console do, and waits for its head.
#[track_caller]
fn open(window: &Window, server: &Server, path: &str, title: &str) {
    follow(window, server, path);
    wait_for_head(window, title);
}

/// The same, with all of the console loaded anew.
#[track_caller]
fn load(window: &Window, server: &Server, path: &str, title: &str) {
    window.go(&format!("{}/console/{path}", server.base()));
    wait_for_head(window, title);
}

#[track_caller]
fn wait_for_head(window: &Window, title: &str) {
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    window.until("!document.querySelector('.loading')");
}

/// Goes to a page as the links of the console do, and waits until it has a head: to load all of the console anew takes
/// several times as long, and is for what needs it. What was there before is gone, also where both are the same screen.
#[track_caller]
fn follow(window: &Window, server: &Server, path: &str) {
    leave(window, server);
    change_address(window, path);
    let head = "document.querySelector('main h1')?.textContent";
    window.until(&format!("{head}?.length > 1 && {head} != 'Page not found' && !document.querySelector('.loading')"));
}

/// Goes to a page that the console does not have, which asks for nothing; what was said of the one before is gone.
#[track_caller]
fn leave(window: &Window, server: &Server) {
    let console = format!("{}/console/", server.base());
    let there = format!("location.href.startsWith({}) && !!document.querySelector('.menu')", json!(console));
    if window.evaluate(&there) == json!(true) {
        window.evaluate("document.querySelector('.toast button')?.click()");
        change_address(window, NO_PAGE);
    } else {
        window.go(&format!("{console}{NO_PAGE}"));
    }
    window.until(
        "document.querySelector('main h1')?.textContent == 'Page not found' && !document.querySelector('.toast')",
    );
}

const NO_PAGE: &str = "no-such-screen";

#[track_caller]
fn change_address(window: &Window, path: &str) {
    let address = json!(format!("/console/{path}"));
    window.evaluate(&format!("history.pushState(null, '', {address}); dispatchEvent(new PopStateEvent('popstate'))"));
}

/// From now on requests can be meddled with: those that a regular expression of method and address fits are
/// refused in the words of the service (`sessionStorage.refused`), take two seconds longer (`sessionStorage.slow`), or
/// are done and their answer is lost (`sessionStorage.lost`).
fn meddle(window: &Window) {
    let problem =
        json!({"title": "Too busy", "status": 503, "code": "0005", "detail": REFUSAL.0, "requestId": REFUSAL.1});
    let source = format!(
        "const asked = globalThis.fetch; globalThis.fetch = async (url, given) => {{ \
         const fits = name => sessionStorage[name] && \
         new RegExp(sessionStorage[name]).test(`${{given?.method || 'GET'}} ${{url}}`); \
         if (fits('slow')) await new Promise(done => setTimeout(done, 2000)); \
         if (fits('refused')) return new Response(JSON.stringify({problem}), {{status: 503}}); \
         const answer = await asked(url, given); \
         if (fits('lost')) throw new TypeError('lost'); \
         return answer; }}"
    );
    window.run_everywhere(&source);
}

/// What [`meddle`] has the service say, and the id of the request.
const REFUSAL: (&str, &str) = ("Come back when there is more time.", "5f1c3c1e8f0e4f6e9d5a3c1d7a5b2e90");

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
