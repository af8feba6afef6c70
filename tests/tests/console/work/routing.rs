//! Routing, contact methods, the explanation of paging, and durations of deliveries.

use base64::Engine as _;
use muster_tests::{Backend, Server, in_browser, receiver::Receiver, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP, alerts, report,
};

in_browser![
    alerts_are_routed_to_people_who_say_how,
    who_would_be_told_is_explained_step_by_step,
    how_long_deliveries_took_is_drawn
];

/// Who is notified first in the form of a policy.
const KIND: &str = "[name='steps[0].targets[0].kind']";

fn alerts_are_routed_to_people_who_say_how() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "routing", "Routing");
    let name = format!("{} {MARKUP}", unique("Night"));
    window.click("New policy…");
    window.fill("input[name=name]", &name);
    window.fill(KIND, "owner");
    window.fill("[name='steps[0].wait']", "soon");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')?.textContent.includes('Wait')");
    window.fill("[name='steps[0].wait']", "3m");
    window.click("Create");
    window.shows("the owner of the machine");
    // A route goes to the policy that is open.
    window.click("New route…");
    let route = unique("Databases");
    window.fill("input[name=name]", &route);
    window.fill("[aria-label='Key of rule 1']", "metric");
    window.fill("[aria-label='Operator of rule 1']", "Startswith");
    window.fill("[aria-label='Value of rule 1']", "db.");
    window.click("Create");
    window.shows(&route);
    let routes = company.get("/alertRoutes/search").page();
    let routes = routes["results"].as_array().unwrap();
    let made = routes.iter().find(|one| one["name"] == json!(route)).unwrap_or_else(|| panic!("{routes:?}"));
    assert_eq!(made["rules"], json!([{"key": "metric", "operator": "Startswith", "value": "db."}]));
    // And each says how to be reached.
    open(&window, server, "settings", "Settings");
    window.click("Add e-mail…");
    window.fill("input[name=name]", "Mail");
    window.fill("input[name=address]", "eva@example.net");
    window.click("Add");
    window.shows("eva@example.net");
    window.shows("not verified");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn who_would_be_told_is_explained_step_by_step() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let host = unique("lock");
    let metric = unique("lock.level");
    let body = json!({"hostName": host, "type": "DEVICE", "resourceType": "Linux"});
    company.post("/resources", &body).ok();
    let eva = text(&window.evaluate("document.querySelector('.me').textContent"));
    let policy = json!({"name": unique("Locks"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]});
    let policy = company.post("/escalationPolicies", &policy).ok();
    let route = json!({"name": format!("{} {MARKUP}", unique("Locks")), "matchingType": "ALL", "position": 1,
        "rules": [{"key": "metric", "operator": "Equals", "value": metric}], "policy": {"id": policy["id"]}});
    let route = company.post("/alertRoutes", &route).ok();
    open(&window, server, "routing", "Routing");
    window.shows("Nothing is sent.");
    window.fill("input[name=host]", &host);
    window.fill("input[name=metric]", "another");
    window.click("Explain");
    window.until("document.querySelector('.decisions')");
    let decisions = "document.querySelector('.decisions').innerText";
    for part in
        [&host, "nobody owns it", "no window holds it back", "does not match", "does not hold", "found: another"]
    {
        window.until(&format!("{decisions}.includes({})", json!(part)));
    }
    // The question is the address, so that it can be sent to others.
    window.until(&format!("new URLSearchParams(location.search).get('host') == {}", json!(host)));
    window.fill("input[name=metric]", &metric);
    window.click("Explain");
    window.until(&format!("{decisions}.includes('matches') && {decisions}.includes({})", json!(policy["name"])));
    window.until(&format!("{decisions}.includes('step 1') && document.querySelector('.decisions .gaps')"));
    window.shows(&text(&route["name"]));
    // What is wrong with a question is said in the words of the interface.
    open(&window, server, "routing?alert=ALT-00000000-0000-7000-8000-000000000000", "Routing");
    window.until("document.querySelector('[role=alert]')?.textContent.includes('names no alert')");
    // And from an alert it is one step.
    report(&company, &format!("{metric} is high"));
    let id = text(&alerts(&company, &format!("{metric} is high"))[0]["id"]);
    window.go(&format!("{}/console/routing?alert={id}", server.base()));
    window.until(&format!("document.querySelector('.decisions') && {decisions}.includes('policy')"));
    assert!(!eva.is_empty() && window.evaluate("document.title") != json!("owned"));
    company.delete(&format!("/alertRoutes/{}", text(&route["id"]))).ok();
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn how_long_deliveries_took_is_drawn() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "integrator") else { return };
    let notifier = json!({"type": "REST_API", "baseURI": receiver.url()});
    let body = json!({"displayName": unique("desk"), "baseNotifier": notifier});
    let installed = text(&company.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let payload = base64::engine::general_purpose::STANDARD.encode("{\"text\": \"told\"}");
    let event = json!({"name": "ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "payload": payload});
    let event = text(&company.post(&format!("/integrations/installed/{installed}/event"), &event).ok()["id"]);
    for number in 0..3 {
        company.post("/incidents", &json!({"subject": format!("Leak {number}")})).ok();
    }
    receiver.wait(3);
    open(&window, server, &format!("deliveries?event={installed}/{event}"), "Deliveries");
    let said = "document.querySelector('.bars')?.getAttribute('aria-label')";
    window.until(&format!("{said}?.startsWith('Of the last 3 deliveries 3 arrived')"));
    assert_eq!(window.evaluate("document.querySelectorAll('.bars .good').length"), json!(3));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
