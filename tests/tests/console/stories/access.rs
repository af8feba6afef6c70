//! An administrator brings a colleague in, and later out.

use muster_tests::{Browser, in_browser, unique};
use serde_json::json;

use super::{super::text, Actor, Input, person, results, server};

in_browser![
    an_admin_brings_a_colleague_in_and_out_by_mouse,
    an_admin_brings_a_colleague_in_and_out_by_keys,
    an_admin_brings_a_colleague_in_and_out_on_a_telephone
];

fn an_admin_brings_a_colleague_in_and_out_by_mouse() {
    bring(Input::Mouse);
}

fn an_admin_brings_a_colleague_in_and_out_by_keys() {
    bring(Input::Keys);
}

fn an_admin_brings_a_colleague_in_and_out_on_a_telephone() {
    bring(Input::Telephone);
}

fn bring(input: Input) {
    let company = server().new_client();
    (0..25).for_each(|number| drop(person(&company, "Ada", &format!("Ost {number}"), "viewer")));
    let Some(admin) = Actor::sign_in(&company, "admin", input) else { return };
    let login = unique("nina");
    admin.go("People");
    admin.press("New person…");
    admin.fill("Login name", &login);
    admin.choose("Role", "operator");
    admin.fill("First name", "Nina");
    admin.fill("Last name", "Nord");
    admin.fill("E-mail", "nina.nord@example.net");
    admin.send("Create");
    admin.press("Create sign-in link");
    admin.reads("Send this to Nina Nord");
    let url = admin.output();
    let id = text(&admin.window.evaluate("new URLSearchParams(location.search).get('user')"));
    let user = || company.get(&format!("/users/{id}")).ok();
    let shown = ["loginName", "firstName", "lastName", "email", "role"].map(|name| text(&user()[name]));
    assert_eq!(shown, [&login, "Nina", "Nord", "nina.nord@example.net", "operator"]);
    // Nina signs in by it, once.
    let nina = Browser::sign_in(server(), url.trim());
    let me = nina.get("/api/v2/me").ok();
    assert_eq!((&me["user"]["id"], &me["role"]), (&json!(id), &json!("operator")));

    let group = unique("Harbour");
    admin.go("User groups");
    admin.press("New user group…");
    admin.fill("Name", &group);
    admin.pick("Members", "Nina", "Nina Nord");
    admin.send("Create");
    admin.heading(&group);
    admin.reads("Nina Nord");
    let groups = results(&company.search("/userGroups/search", &format!("name:{group}")).page());
    let members = company.get(&format!("/userGroups/{}/members", text(&groups[0]["uniqueId"]))).page();
    assert_eq!(results(&members).iter().map(|one| text(&one["id"])).collect::<Vec<_>>(), [id.clone()]);

    // Out: no session and no link is left.
    admin.go("People");
    admin.press("Nina Nord");
    // The panel above the list is seen, however far below the name was.
    admin.window.until(
        "(box => box && box.top >= 0 && box.bottom < innerHeight)\
         (document.querySelector('#person')?.getBoundingClientRect())",
    );
    admin.press("Sessions, sign-in accounts");
    admin.reads("by link, since");
    admin.press("Deactivate");
    admin.reads("Deactivated.");
    assert_eq!(user()["activated"], json!(false));
    assert_eq!(nina.get("/api/v2/me").status, 401);
    admin.window.until("!found.button('Create sign-in link')");
    let log = results(&company.search("/auditLog/search", &format!("entityId:{id}")).page());
    assert!(log.len() >= 2, "{log:?}");
    admin.is_done();
}
