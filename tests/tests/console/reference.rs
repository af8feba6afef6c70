//! The reference at `/docs`: people authorize with a key and its secret there, and try an operation.

use muster_tests::{chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{company, demo, text};

in_browser![a_key_authorizes_and_an_operation_is_tried];

/// The part of the page with the operation that is tried: who am I?
const OPERATION: &str = "[id$='-getMe']";

/// The part of the dialog that takes key and secret, before and after.
const FORM: &str = "[...document.querySelectorAll('.auth-container')]\
     .find(one => one.textContent.includes('Flow: clientCredentials'))";

/// Presses what an expression of the page is, once it is there.
#[track_caller]
fn press(window: &Window, element: &str) {
    window.until(element);
    window.evaluate(&format!("{element}.click()"));
}

/// The same by a selector.
#[track_caller]
fn press_one(window: &Window, selector: &str) {
    press(window, &format!("document.querySelector({})", json!(selector)));
}

/// Sends the operation; status and body that the page shows.
#[track_caller]
fn execute(window: &Window) -> (String, String) {
    press_one(window, &format!("{OPERATION} .execute"));
    let shown = format!("document.querySelector({})", json!(format!("{OPERATION} .live-responses-table .response")));
    window.until(&shown);
    let part = |class: &str| text(&window.evaluate(&format!("{shown}.querySelector('{class}').innerText")));
    let status = part(".response-col_status").split_whitespace().next().unwrap_or_default().to_owned();
    let answer = (status, part(".response-col_description"));
    press_one(window, &format!("{OPERATION} .btn-clear"));
    answer
}

fn a_key_authorizes_and_an_operation_is_tried() {
    let server = demo();
    let company = company(demo());
    let Some(window) = Window::open() else { return };
    let name = unique("reader");
    let key = company.post("/apiKeys", &json!({"name": name, "role": "viewer"})).ok();
    window.go(&format!("{}/docs/", server.base()));
    press_one(&window, &format!("{OPERATION} .opblock-summary-control"));
    press_one(&window, &format!("{OPERATION} .try-out__btn"));
    assert_eq!(execute(&window).0, "401", "nobody is known");

    press_one(&window, ".auth-wrapper .authorize");
    window.fill("#client_id_clientCredentials", &text(&key["key"]));
    window.fill("#client_secret_clientCredentials", &text(&key["secret"]));
    press(&window, &format!("{FORM}?.querySelector('button.authorize')"));
    window.until(&format!("{FORM}?.textContent.includes('Authorized')"));
    press_one(&window, ".dialog-ux .btn-done");
    let (status, body) = execute(&window);
    assert_eq!(status, "200", "{body}");
    for part in [&name, company.tenant_id(), "viewer"] {
        assert!(body.contains(part), "{part} is not in {body}");
    }
    let requests = window.requests();
    assert!(requests.contains(&("POST".to_owned(), format!("{}/auth/oauth/token", server.base()))), "{requests:?}");
    let ours = |url: &str| url.starts_with(server.base()) || url.starts_with("data:");
    assert!(requests.iter().all(|(_, url)| ours(url)), "it needs nobody else: {requests:?}");
    // What the browser would like of forms is a remark; what the policy of the page forbids is not.
    let complaints = window.complaints();
    assert!(complaints.iter().all(|one| one.contains("DEBUG")), "{complaints:?}");

    press_one(&window, ".auth-wrapper .authorize");
    press(
        &window,
        &format!("[...({FORM}?.querySelectorAll('button') ?? [])].find(one => one.textContent == 'Logout')"),
    );
    window.until(&format!("{FORM}?.textContent.includes('Authorized') === false"));
    press_one(&window, ".dialog-ux .btn-done");
    assert_eq!(execute(&window).0, "401", "the key is forgotten");
    let kept: Value = window.evaluate("JSON.stringify({...localStorage, ...sessionStorage})");
    assert!(!kept.to_string().contains(&text(&key["secret"])), "{kept}");
}
