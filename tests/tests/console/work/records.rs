//! Screens of records, whose forms have the fields of the document: made, changed, found changed meanwhile, deleted.

use muster_tests::{in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    conflicts::sides,
};

in_browser![
    a_site_is_made_changed_and_deleted,
    what_somebody_else_saved_meanwhile_is_shown_first,
    a_refused_field_says_so_beside_it
];

fn a_site_is_made_changed_and_deleted() {
    let server = demo();
    let company = company(server);
    let Some(window) = signed_in(server, "integrator") else { return };
    let (name, machine) =
        (unique("Annex"), text(&company.search("/resources/search", "hostName:web-01").page()["results"][0]["id"]));
    open(&window, server, "sites", "Sites");
    window.click("New site…");
    window.fill("input[name=name]", &name);
    window.fill("input[name=city]", "Graz");
    window.click("Create");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(name)));
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    assert_eq!(company.get(&format!("/sites/{id}")).ok()["city"], "Graz");

    window.click("Add machines…");
    window.fill("dialog input[role=combobox]", "web-01");
    window.until("document.querySelector('[role=option]')?.textContent.trim() == 'web-01'");
    window.evaluate("document.querySelector('[role=option]').click()");
    window.until("document.querySelector('dialog .chips')");
    window.click("Add");
    window.until("document.querySelector('[aria-labelledby=members] .row-link')?.textContent == 'web-01'");
    let members = company.get(&format!("/sites/{id}/members")).page();
    assert_eq!(members["results"][0]["id"], json!(machine));

    window.click("Edit…");
    window.fill("input[name=city]", "");
    window.fill("input[name=country]", "Austria");
    window.click("Save");
    window.shows("Saved.");
    let site = company.get(&format!("/sites/{id}")).ok();
    assert_eq!((site.get("city"), &site["country"]), (None, &json!("Austria")));

    // A site with machines is not deleted.
    window.evaluate("document.querySelector('[aria-label=\"Select all\"]').click()");
    window.click("Take out 1");
    window.shows("There are no machines here.");
    window.click("Delete…");
    window.until("document.querySelector('dialog[open]')");
    window.evaluate("document.querySelector('dialog .danger').click()");
    window.until("location.pathname == '/console/sites'");
    company.get(&format!("/sites/{id}")).not_found();
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_somebody_else_saved_meanwhile_is_shown_first() {
    let server = demo();
    let company = company(server);
    let Some(window) = signed_in(server, "integrator") else { return };
    let name = unique("Depot");
    let id = company.post("/sites", &json!({"name": name, "city": "Linz", "country": "Austria"})).ok()["id"].clone();
    open(&window, server, &format!("sites/{id}"), &name);
    window.click("Edit…");
    window.fill("input[name=city]", "Wels");
    company.post(&format!("/sites/{id}"), &json!({"country": "Italy"})).ok();
    window.click("Save");
    assert_eq!(sides(&window), ["Country | Austria | Italy"]);
    assert_eq!(company.get(&format!("/sites/{id}")).ok()["city"], "Linz", "nothing was written");
    window.click("Save mine");
    window.until("!document.querySelector('dialog')");
    let site = company.get(&format!("/sites/{id}")).ok();
    assert_eq!((&site["city"], &site["country"]), (&json!("Wels"), &json!("Italy")), "what was not changed here stays");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_refused_field_says_so_beside_it() {
    let server = demo();
    let company = company(server);
    let Some(window) = signed_in(server, "integrator") else { return };
    let name = unique("Twin");
    company.post("/sites", &json!({"name": name})).ok();
    open(&window, server, "sites", "Sites");
    window.click("New site…");
    window.fill("input[name=name]", &name);
    window.fill("input[name=city]", "Steyr");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')");
    assert_eq!(
        window.evaluate("document.querySelector('input[name=city]').value"),
        json!("Steyr"),
        "what was typed stays"
    );
    // A draft is there again after the page was left.
    window.evaluate("location.reload()");
    window.until("document.querySelector('main h1')");
    window.click("New site…");
    window.until("document.querySelector('input[name=city]')?.value == 'Steyr'");
}
