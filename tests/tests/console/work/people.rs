//! People and keys: made, changed and taken out of use.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP,
};

in_browser![
    keys_and_people_are_looked_after,
    people_are_made_and_changed_and_two_who_do_see_each_other,
    keys_are_narrowed_and_given_new_secrets,
    a_rule_keeps_all_steps_of_a_contact_method,
];

fn keys_and_people_are_looked_after() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    open(&window, server, "keys", "API keys");
    let name = unique("robot");
    window.click("New key…");
    window.fill("input[name=name]", &name);
    window.click("Create");
    window.shows("MUSTER_SECRET=");
    window.click("Hide secret");
    window.click("Revoke…");
    window.click("Cancel");
    assert!(company.get("/apiKeys").list().iter().any(|key| key["name"] == json!(name)));
    open(&window, server, "people?q=eva", "People");
    window.evaluate("document.querySelector('.row-link').click()");
    window.click("Create sign-in link");
    window.shows("/auth/sign-in?code=");
    // The audit log knows it, before and after.
    open(&window, server, "audit?q=ApiKey", "Audit");
    window.until("document.querySelector('tbody tr').innerText.includes('Eva Sand')");
    window.evaluate("document.querySelector('.row-link').click()");
    window.shows(&name);
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn people_are_made_and_changed_and_two_who_do_see_each_other() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let login = unique("otto");
    open(&window, server, "people", "People");
    window.click("New person…");
    window.fill("input[name=loginName]", "anna.huber");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("input[name=loginName]", &login);
    window.fill("input[name=lastName]", MARKUP);
    window.click("Create");
    window.until("new URLSearchParams(location.search).has('user')");
    window.shows(MARKUP);
    let id = text(&window.evaluate("new URLSearchParams(location.search).get('user')"));
    assert_eq!(company.get(&format!("/users/{id}")).ok()["loginName"], json!(login));
    window.click("Change…");
    window.until("document.querySelector('dialog input[name=mobileNumber]')");
    company.post(&format!("/users/{id}"), &json!({"email": "otto@example.net", "mobileNumber": "+43 1 22"})).ok();
    window.fill("input[name=mobileNumber]", "+43 1 33");
    window.fill("select[name=role]", "viewer");
    window.click("Save");
    // What each of them did stands side by side, and only what was typed is sent.
    window.until("document.querySelector('.theirs .after')");
    let theirs = text(&window.evaluate("document.querySelector('.theirs tbody').innerText"));
    assert!(
        theirs.contains("otto@example.net") && theirs.contains("+43 1 22") && !theirs.contains("Login"),
        "{theirs}"
    );
    window.click("Save mine");
    window.until("!document.querySelector('dialog')");
    let user = company.get(&format!("/users/{id}")).ok();
    let kept = ["email", "mobileNumber", "role"].map(|name| text(&user[name]));
    assert_eq!(kept, ["otto@example.net", "+43 1 33", "viewer"]);
    window.click("Deactivate");
    window.shows("Deactivated.");
    assert_eq!(company.get(&format!("/users/{id}")).ok()["activated"], json!(false));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn keys_are_narrowed_and_given_new_secrets() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    open(&window, server, "keys", "API keys");
    let name = unique("sensor");
    window.click("New key…");
    window.fill("input[name=name]", &name);
    window.fill("textarea[name=operations]", "reportNonsense");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("select[name=role]", "operator");
    window.fill("textarea[name=operations]", "reportAlert, getMe");
    window.fill("input[name=expiresAt]", "2030-01-01T00:00");
    window.click("Create");
    window.shows("MUSTER_SECRET=");
    let find = |company: &Client| {
        company.get("/apiKeys").list().iter().find(|key| key["name"] == json!(name)).cloned().unwrap()
    };
    let key = find(&company);
    assert_eq!((&key["operations"], key["expiresAt"].is_string()), (&json!(["getMe", "reportAlert"]), true), "{key}");
    let secret = |window: &Window| text(&window.evaluate("document.querySelector('main .output').textContent"));
    let first = secret(&window);
    window
        .evaluate(&format!("document.querySelector('[aria-label={}]').click()", json!(format!("New secret… {name}"))));
    window.until("document.querySelector('dialog[open]')");
    window.click("Create");
    window.until(&format!("document.querySelector('main .output').textContent != {}", json!(first)));
    assert_eq!(find(&company)["previousSecretValid"], json!(true));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_rule_keeps_all_steps_of_a_contact_method() {
    let server = demo();
    let company = company(demo());
    let login = unique("rita");
    let user = text(&company.post("/users", &json!({"loginName": login, "lastName": login})).ok()["id"]);
    let method = json!({"type": "EMAIL", "name": "Mail", "address": "rita@example.net"});
    let method = company.post(&format!("/users/{user}/contactMethods"), &method).ok()["id"].clone();
    let step = |after: &str| json!({"contactMethod": {"id": method}, "after": after});
    let rule = json!({"urgency": "high", "steps": [step("0s"), step("10m")]});
    let path = format!("/users/{user}/notificationRules");
    company.post(&path, &rule).ok();
    let Some(window) = signed_in(server, "admin") else { return };
    open(&window, server, &format!("people?user={user}"), "People");
    window.click("Sessions, sign-in accounts and contact methods");
    window.click("Edit rule for high urgency…");
    window.until("document.querySelector('dialog [name^=after]')?.value == '0s, 10m'");
    window.fill("[name^=after]", "0s, 10m, 20m");
    window.click("Save");
    window.until("!document.querySelector('dialog')");
    let rules = company.get(&path).ok();
    let high = rules.as_array().unwrap().iter().find(|one| one["urgency"] == "high").cloned().unwrap();
    let after: Vec<_> = high["steps"].as_array().unwrap().iter().map(|one| text(&one["after"])).collect();
    assert_eq!(after, ["0s", "10m", "20m"]);
    assert_eq!(window.complaints(), Vec::<String>::new());
}
