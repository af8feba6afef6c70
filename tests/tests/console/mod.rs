//! The console (docs/console.md): what is served, and what people see and do there, in a browser; and at the reference.

mod files;
mod keyboard;
mod night;
mod reference;
mod screens;
mod speed;
mod work;

use std::sync::OnceLock;

use muster_tests::{Backend, Client, Server, chromium::Window, unique};
use serde_json::{Value, json};

/// A server with the demo company, which these tests share; what one of them changes, no other looks at.
fn demo() -> &'static Server {
    static DEMO: OnceLock<Server> = OnceLock::new();
    DEMO.get_or_init(|| Server::start_with(Backend::Sqlite, &["--demo"]))
}

/// The demo company, as its partner's admin sees it.
fn company(server: &Server) -> Client {
    server.admin().tenant("client_1")
}

/// A window in which a new person of the demo company with a role is signed in; `None` where there is no browser.
fn signed_in(server: &Server, role: &str) -> Option<Window> {
    let window = Window::open()?;
    let admin = company(server);
    let body = json!({"loginName": unique("eva"), "firstName": "Eva", "lastName": "Sand", "role": role});
    let id = text(&admin.post("/users", &body).ok()["id"]);
    let url = text(&admin.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
    window.go(&url);
    window.click("Sign in");
    window.until("location.pathname == '/console/on-call' && document.querySelector('h1')");
    window.shows("Eva Sand");
    Some(window)
}

/// Goes to a screen, and waits for its head.
#[track_caller]
fn open(window: &Window, server: &Server, path: &str, title: &str) {
    window.go(&format!("{}/console/{path}", server.base()));
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    window.until("!document.querySelector('.loading')");
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
