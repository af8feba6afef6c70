//! Pages of a tenant that is suspended.

use std::time::Duration;

use muster_tests::{
    Backend, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, text};

both_backends![pages_of_a_suspended_tenant_wait];

fn pages_of_a_suspended_tenant_wait(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let other = server.new_client();
    let receiver = Receiver::willing();
    for (tenant, name) in [(&client, "held"), (&other, "other")] {
        let user = person(tenant);
        let url = format!("{}/{name}", receiver.url());
        let late = json!({"name": "late", "type": "HTTP", "url": url, "verified": true});
        let late = text(&tenant.post(&format!("/users/{user}/contactMethods"), &late).ok()["id"]);
        let rule = json!({"urgency": "high", "steps": [{"contactMethod": {"id": late}, "after": "2s"}]});
        tenant.post(&format!("/users/{user}/notificationRules"), &rule).ok();
        let step = json!({"targets": [{"user": {"id": user}}], "wait": "3s"});
        let policy = json!({"name": unique("held"), "steps": [step, step, step]});
        let policy = tenant.post("/escalationPolicies", &policy).ok();
        tenant.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    }
    // One that is answered while the tenant is suspended, and one that nobody answers.
    let report = |subject: &str| {
        let body = json!({"currentState": "Critical", "subject": subject});
        text(&client.post("/alert", &body).ok()["id"])
    };
    let answered = report("answered");
    let open = report("open");
    let pages = |query: &str| {
        let page = client.get(&format!("/pages/search?isDescendingOrder=false&queryString={query}")).page();
        page["results"].as_array().unwrap().clone()
    };
    wait_for(Duration::from_secs(20), || pages("kind:page").len() >= 2, || json!(pages("kind:page")).to_string());
    let path = format!("/clients/{}", client.tenant_id());
    server.admin().post_empty(&format!("{path}/suspend")).ok();
    other.post("/alert", &json!({"currentState": "Critical", "subject": "not suspended"})).ok();
    // The others' three steps are through by then.
    let of = |name: &str| receiver.all().iter().filter(|request| request.path.ends_with(name)).count();
    wait_for(Duration::from_secs(40), || of("other") == 3, || receiver.count().to_string());
    assert_eq!(of("held"), 0, "nothing is sent while the tenant is suspended");
    let of_alert = |id: &str| pages(&format!("alertId:{id}"));
    assert!(of_alert(&open).iter().all(|page| page["status"] == "pending"), "{:?}", of_alert(&open));
    assert!(of_alert(&open).len() <= 2, "no further step is taken: {:?}", of_alert(&open));
    client.post_empty(&format!("/alerts/{answered}/actions/close")).ok();
    server.admin().post_empty(&format!("{path}/resume")).ok();
    let sent = |pages: Vec<Value>| pages.iter().filter(|page| page["status"] == "sent").count();
    wait_for(Duration::from_secs(60), || sent(of_alert(&open)) == 3, || json!(of_alert(&open)).to_string());
    assert!(of_alert(&answered).iter().all(|page| page["status"] == "stopped"), "{:?}", of_alert(&answered));
    assert_eq!(of("held"), 3);
}
